import type { ContentType } from '../../../src/events/catalogue.ts';
import { type Read, readRecord, request } from './request.ts';

export type { ContentType };

const PATHS: Readonly<Record<ContentType, string>> = {
  COURSE: 'courses',
  EQUIVALENT: 'equivalents',
  BUNDLE: 'bundles',
  FOLDER: 'folders',
};

/** What names something of the content. */
export interface AssetReference {
  type: ContentType;
  id: number;
}

/** What all records of content have in common; it is written back whole. */
export interface AssetRecord {
  id: number;
  name: string;
  location: string;
  /** The folder that it is in; absent of folders. */
  folder_id?: number;
  /** Of folders; null of Home. */
  parent_id?: number | null;
}

export function readAsset({ type, id }: AssetReference, signal?: AbortSignal): Promise<Read<AssetRecord>> {
  return readRecord(`/${PATHS[type]}/${id}`, signal);
}

/** Renames and moves; everything else stays as it was read. */
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
