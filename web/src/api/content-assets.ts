import type { CourseRecord } from '../../../src/content/courses/course-schemas.ts';
import type { FolderRecord } from '../../../src/content/folders/folder-schemas.ts';
import type { ContentType } from '../../../src/events/catalogue.ts';
import type { ContentReference as AssetReference } from '../../../src/events/event.ts';
import { deleteIfPresent, type Read, readRecord, request } from './request.ts';

export type { AssetReference, ContentType };

const PATHS: Readonly<Record<ContentType, string>> = {
  COURSE: 'courses',
  EQUIVALENT: 'equivalents',
  BUNDLE: 'bundles',
  FOLDER: 'folders',
};

/** The members that all records of content have, and those of courses that can be long. */
export type AssetRecord = Pick<FolderRecord, 'id' | 'name' | 'location'> &
  Partial<Pick<FolderRecord, 'parent_id'> & Pick<CourseRecord, 'folder_id'>> &
  LongMembers;

/** Read-only members that can exceed the maximum size of a body. */
interface LongMembers {
  versions?: unknown;
  warnings?: unknown;
}

export function readAsset({ type, id }: AssetReference, signal?: AbortSignal): Promise<Read<AssetRecord>> {
  return readRecord(`/${PATHS[type]}/${id}`, signal);
}

/** The folder that an asset is in; undefined for the root folder. */
export function folderOf({ parent_id, folder_id }: AssetRecord): number | undefined {
  return parent_id ?? folder_id;
}

/** Renames and moves. Other members are sent back as they were read, except those that can be too long. */
export function changeAsset(
  { type, id }: AssetReference,
  { record: { versions: _versions, warnings: _warnings, ...record }, etag }: Read<AssetRecord>,
  { name = record.name, folderId }: { name?: string; folderId?: number },
): Promise<AssetRecord> {
  const place =
    folderId === undefined ? {} : type === 'FOLDER' ? { parent_id: folderId } : { folder_id: folderId };
  return request('PUT', `/${PATHS[type]}/${id}`, {
    body: { ...record, name, ...place },
    ifMatch: etag,
  });
}

/** Succeeds if it no longer exists. */
export function deleteAsset({ type, id }: AssetReference): Promise<void> {
  return deleteIfPresent(`/${PATHS[type]}/${id}`);
}
