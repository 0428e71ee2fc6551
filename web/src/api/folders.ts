import { queryOptions } from '@tanstack/react-query';
import { polling } from './polling.ts';
import { request } from './request.ts';

/** The folder that holds all others. */
export const HOME_ID = 1;
const TREE_MS = 60_000;

/** A folder in the tree, with how much stands in it itself. */
export interface FolderOverview {
  id: number;
  name: string;
  /** Null for Home alone. */
  parent_id: number | null;
  course_count: number;
  equivalent_count: number;
  bundle_count: number;
}

/** A folder as the API tells it. */
export interface FolderRecord {
  id: number;
  name: string;
  parent_id: number | null;
  location: string;
}

/** All that is read of content begins so: a change of one thing shows in many places. */
export const contentKey = ['content'] as const;

/** Every folder there is, up to a bound: then `truncated` is true. */
export const folderTreeQuery = queryOptions({
  queryKey: [...contentKey, 'folders'],
  queryFn: ({ signal }) =>
    request<{ data: FolderOverview[]; total: number; truncated: boolean }>('GET', '/ui/api/folders', {
      signal,
    }),
  ...polling(TREE_MS),
});

export function createFolder(
  body: { name: string; parent_id: number },
  idempotencyKey: string,
): Promise<FolderRecord> {
  return request('POST', '/folders', { body, idempotencyKey });
}
