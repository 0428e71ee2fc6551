import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { COURSE_FILE_MODE, COURSE_FOLDER_MODE } from '../../file-system/file-modes.ts';
import { forEachConcurrently } from '../../file-system/for-each-concurrently.ts';
import { syncFolder } from '../../file-system/sync-folder.ts';

/** Node has four threads for files, name lookups and cryptography: one is left for the rest of the service. */
const PARALLEL_FILES = 3;

/**
 * Copies a folder to another disk, and overwrites the leftovers of an interrupted copy. When this resolves, the copy
 * survives a power failure. @throws the reason of `signal`
 */
export async function copyFolder(from: string, to: string, signal: AbortSignal): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { mode: COURSE_FOLDER_MODE });
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const placeOf = (entry: { parentPath: string; name: string }) =>
    path.join(to, path.relative(from, path.join(entry.parentPath, entry.name)));
  const folders = entries.filter((entry) => entry.isDirectory()).map(placeOf);
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: COURSE_FOLDER_MODE });
  await forEachConcurrently(
    entries.filter((entry) => entry.isFile()),
    PARALLEL_FILES,
    async (entry, stopped) => {
      await pipeline(
        createReadStream(path.join(entry.parentPath, entry.name)),
        createWriteStream(placeOf(entry), { mode: COURSE_FILE_MODE, flush: true }),
        { signal: AbortSignal.any([signal, stopped]) },
      );
    },
  ).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
  for (const folder of [...folders, to]) await syncFolder(folder);
}
