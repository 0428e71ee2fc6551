import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { folderTreeQuery } from '../../../api/folders.ts';
import { FolderIndex } from './folder-index.ts';

/** The tree of all folders. `index` is null while loading. */
export function useFolderIndex() {
  const { data, error, refetch } = useQuery(folderTreeQuery);
  const index = useMemo(() => (data === undefined ? null : new FolderIndex(data.data)), [data]);
  return { index, truncated: data?.truncated ?? false, error, refetch };
}
