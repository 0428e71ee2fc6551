import type { FolderRecord } from '../../../src/content/folders/folder-schemas.ts';
import { MINUTE_MS } from '../../../src/time/units.ts';
import type { FolderOverview } from '../../../src/ui-api/content/folder-overview.ts';
import type { FolderTree } from '../../../src/ui-api/content/folder-overview-routes.ts';
import { liveQuery } from './queries.ts';
import { request } from './request.ts';

export type { FolderOverview, FolderRecord, FolderTree };

/** The root folder. */
export const HOME_ID = 1;
const TREE_MS = MINUTE_MS;

/** The start of every query key for content, because a change shows in many places. */
export const contentKey = ['content'] as const;

/** All folders, up to a limit; beyond it, `truncated` is true. */
export const folderTreeQuery = liveQuery<FolderTree>([...contentKey, 'folders'], '/ui/api/folders', TREE_MS);

export function createFolder(
  body: { name: string; parent_id: number },
  idempotencyKey: string,
): Promise<FolderRecord> {
  return request('POST', '/folders', { body, idempotencyKey });
}
