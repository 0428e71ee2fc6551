import { readdirSync } from 'node:fs';
import path from 'node:path';

/** What names of the service begin with: in a data folder, the database, its lock, its settings and its secrets. */
const OWN_BEGINNINGS = ['coursewire.', 'webhooks_auth_secret'];
const OWN_FOLDERS = ['content', 'tmp'];
const TEMPORARY_BEGINNINGS = ['upload-', 'time-'];
/** In the root of a formatted disk. */
export const OF_FILE_SYSTEM = 'lost+found';

/** Whether a name in `tmp/` is one that the service gives. Everything else there belongs to someone else. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY_BEGINNINGS.some((beginning) => name.startsWith(beginning));
}

/**
 * A path in a folder that the service did not make, or null. Hidden files do not count: file managers and file systems make
 * them.
 * @param contentStore the folder of `content_store`, which may be in this one; null if there is none
 */
export function foreignFileIn(folder: string, contentStore: string | null): string | null {
  const store = contentStore === null ? null : path.resolve(contentStore);
  for (const name of namesIn(folder)) {
    const place = path.join(folder, name);
    const holdsStore = store === place || store?.startsWith(place + path.sep);
    if (!isOwnName(name) && holdsStore !== true) return place;
  }
  const temporary = path.join(folder, 'tmp');
  const found = namesIn(temporary).find((name) => !isTemporaryName(name));
  return found === undefined ? null : path.join(temporary, found);
}

/** Whether a service has used a folder for its files, without a database. */
export function wasUsedWithoutDatabase(folder: string): boolean {
  const names = namesIn(folder);
  return OWN_FOLDERS.every((name) => names.includes(name));
}

function isOwnName(name: string): boolean {
  return OWN_FOLDERS.includes(name) || OWN_BEGINNINGS.some((beginning) => name.startsWith(beginning));
}

/** The visible names in a folder. None if it is not a folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.') && name !== OF_FILE_SYSTEM);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
