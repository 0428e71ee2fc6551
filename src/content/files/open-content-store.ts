import { mkdir } from 'node:fs/promises';
import { messageOf } from '../../problems/error-message.ts';
import type { ContentPlace } from '../../settings/content-place.ts';
import type { ContentStore } from './content-store.ts';
import { FolderContentStore } from './folder-content-store.ts';

const FOLDER_MODE = 0o750;

/** The content store cannot be used, or belongs to another database. */
export class ContentStoreError extends Error {
  override name = 'ContentStoreError';
}

/**
 * Opens the store that the setting `content_store` names, otherwise the one in the data folder.
 * @param ownFolder an existing folder @throws {ContentStoreError} if a folder cannot be created
 */
export async function openContentStore(place: ContentPlace | null, ownFolder: string): Promise<ContentStore> {
  if (place === null) return new FolderContentStore(ownFolder);
  if (place.kind === 's3') {
    // Loaded only if it is used, because the AWS SDK needs time and memory.
    const { S3ContentStore } = await import('./s3-content-store.ts');
    return new S3ContentStore(place);
  }
  try {
    await mkdir(place.folder, { recursive: true, mode: FOLDER_MODE });
  } catch (error) {
    const reason = messageOf(error);
    throw new ContentStoreError(`the content_store ${place.folder} cannot be used: ${reason}`, {
      cause: error,
    });
  }
  return new FolderContentStore(place.folder);
}
