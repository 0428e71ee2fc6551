import { HOME_ID } from '../../../api/folders.ts';
import { type TableState, useTable } from '../../../components/use-table.ts';
import { listQuery } from '../../../utilities/table-search.ts';

/** Members of the address that say where people are, not what they look for. */
const PLACE = ['folder', 'kind', 'below'];

/** The table of a folder's content, and what it asks the service for. */
export interface ContentList {
  table: TableState;
  query: Record<string, unknown>;
  /** Whether what stands in folders below is part of it: when it is wanted, and for every search. */
  recursive: boolean;
}

export function useContentList(folderId: number): ContentList {
  const table = useTable(PLACE);
  const { folder: _folder, kind: _kind, below, ...search } = table.values;
  const recursive = below === 'yes' || search.search !== undefined;
  const place =
    recursive && folderId === HOME_ID ? {} : { folder_id: folderId, ...(recursive ? { recursive } : {}) };
  return { table, recursive, query: { ...listQuery(search), ...place } };
}
