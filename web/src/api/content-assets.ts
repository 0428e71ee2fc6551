import type { CourseRecord } from '../../../src/content/courses/course-schemas.ts';
import type { FolderRecord } from '../../../src/content/folders/folder-schemas.ts';
import type { ContentType } from '../../../src/events/catalogue.ts';
import type { ContentReference as AssetReference } from '../../../src/events/event.ts';
import { type Read, readRecord, request } from './request.ts';

export type { AssetReference, ContentType };

const PATHS: Readonly<Record<ContentType, string>> = {
  COURSE: 'courses',
  EQUIVALENT: 'equivalents',
  BUNDLE: 'bundles',
  FOLDER: 'folders',
};

/** The members that all records of content have. Other members are sent back as they were read. */
export type AssetRecord = Pick<FolderRecord, 'id' | 'name' | 'location'> &
  Partial<Pick<FolderRecord, 'parent_id'> & Pick<CourseRecord, 'folder_id'>>;

export function readAsset({ type, id }: AssetReference, signal?: AbortSignal): Promise<Read<AssetRecord>> {
  return readRecord(`/${PATHS[type]}/${id}`, signal);
}

/** The folder that an asset is in; undefined for the root folder. */
export function folderOf({ parent_id, folder_id }: AssetRecord): number | undefined {
  return parent_id ?? folder_id;
}

/** Renames and moves. All other members are sent back as they were read. */
export function changeAsset(
  { type, id }: AssetReference,
  { record, etag }: Read<AssetRecord>,
  { name = record.name, folderId }: { name?: string; folderId?: number },
): Promise<AssetRecord> {
  const place =
    folderId === undefined ? {} : type === 'FOLDER' ? { parent_id: folderId } : { folder_id: folderId };
  return request('PUT', `/${PATHS[type]}/${id}`, {
    body: { ...record, name, ...place },
    ...(etag === null ? {} : { ifMatch: etag }),
  });
}

export function deleteAsset({ type, id }: AssetReference): Promise<void> {
  return request('DELETE', `/${PATHS[type]}/${id}`);
}
