import { HOME_ID } from '../../../api/folders.ts';
import { type TableState, useTable } from '../../../components/use-table.ts';
import { listQuery } from '../../../utilities/table-search.ts';

/** Members of the address that say where people are, not what they search for. */
const PLACE = ['folder', 'kind', 'below'];

/** The table of a folder's content, and its query. */
export interface ContentList {
  table: TableState;
  query: Record<string, unknown>;
  /** Whether subfolders are included: if they are requested, and for every search. */
  recursive: boolean;
}

/** Whether a list includes subfolders. Defaults to yes at Home, and to no elsewhere. */
export function includesSubfolders(folderId: number, below: unknown): boolean {
  return folderId === HOME_ID ? below !== 'no' : below === 'yes';
}

/** The content of a folder, as the address says: searched, sorted, filtered and with or without subfolders. */
export function useContentList(folderId: number): ContentList {
  const table = useTable(PLACE);
  const { folder: _folder, kind: _kind, below, ...search } = table.values;
  const recursive = includesSubfolders(folderId, below) || search.search !== undefined;
  const place =
    recursive && folderId === HOME_ID ? {} : { folder_id: folderId, ...(recursive ? { recursive } : {}) };
  return { table, recursive, query: { ...listQuery(search), ...place } };
}
