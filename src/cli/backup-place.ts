import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { OF_FILE_SYSTEM } from '../database/foreign-files.ts';
import { syncFolder } from '../file-system/sync-folder.ts';
import { DAY_MS } from '../time/units.ts';
import { isUuid } from '../uuid.ts';

/** An incomplete backup has this and a UUID in its name. */
const PARTIAL = '.partial-';
/** Since its last change. A backup that is being made changes its folders more often. */
const LEFT_BEHIND_MS = DAY_MS;

/** Where a backup is made, and where it is once it is complete. */
export interface BackupPlace {
  /** Does not exist yet. */
  partial: string;
  /** Moves the backup to its place. @param last the file without which there is no backup */
  complete(last: string): Promise<void>;
}

/**
 * Chooses where to make a backup: next to its place or, if that is an existing folder, in it, because a mounted folder
 * cannot be replaced. Removes what killed backups to the same place left behind. Null if there is something else.
 */
export function backupPlaceOf(place: string): BackupPlace | null {
  const exists = existsSync(place);
  const stem = (exists ? path.join(place, path.sep) : place) + PARTIAL;
  removeLeftBehind(stem);
  if (exists && readdirSync(place).some((name) => name !== OF_FILE_SYSTEM)) return null;
  const partial = stem + randomUUID();
  return {
    partial,
    async complete(last) {
      if (exists) return await moveInto(place, partial, last);
      renameSync(partial, place);
      await syncFolder(path.dirname(place));
    },
  };
}

function removeLeftBehind(stem: string): void {
  const { dir, base } = path.parse(stem);
  if (!existsSync(dir)) return;
  for (const name of readdirSync(dir)) {
    if (!name.startsWith(base) || !isUuid(name.slice(base.length))) continue;
    const partial = path.join(dir, name);
    try {
      const changes = [partial, path.join(partial, 'content')].map(
        (folder) => statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0,
      );
      if (Math.max(...changes) >= Date.now() - LEFT_BEHIND_MS) continue;
      rmSync(partial, { recursive: true, force: true });
    } catch {
      // Someone else's: it does not prevent this backup.
    }
  }
}

async function moveInto(place: string, partial: string, last: string): Promise<void> {
  const moved: string[] = [];
  try {
    for (const name of [...readdirSync(partial).filter((each) => each !== last), last]) {
      if (name === last) await syncFolder(place);
      renameSync(path.join(partial, name), path.join(place, name));
      moved.push(name);
    }
    await syncFolder(place);
  } catch (error) {
    for (const name of moved) rmSync(path.join(place, name), { recursive: true, force: true });
    throw error;
  }
  rmdirSync(partial);
}
