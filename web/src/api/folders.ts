import { queryOptions } from '@tanstack/react-query';
import type { FolderRecord } from '../../../src/content/folders/folder-schemas.ts';
import type { FolderOverview } from '../../../src/ui-api/content/folder-overview.ts';
import type { FolderTree } from '../../../src/ui-api/content/folder-overview-routes.ts';
import { polling } from './polling.ts';
import { request } from './request.ts';

export type { FolderOverview, FolderRecord, FolderTree };

/** The folder that holds all others. */
export const HOME_ID = 1;
const TREE_MS = 60_000;

/** All that is read of content begins so: a change of one thing shows in many places. */
export const contentKey = ['content'] as const;

/** Every folder there is, up to a bound: then `truncated` is true. */
export const folderTreeQuery = queryOptions({
  queryKey: [...contentKey, 'folders'],
  queryFn: ({ signal }) => request<FolderTree>('GET', '/ui/api/folders', { signal }),
  ...polling(TREE_MS),
});

export function createFolder(
  body: { name: string; parent_id: number },
  idempotencyKey: string,
): Promise<FolderRecord> {
  return request('POST', '/folders', { body, idempotencyKey });
}
