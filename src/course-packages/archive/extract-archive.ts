import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { COURSE_FILE_MODE, COURSE_FOLDER_MODE } from '../../file-system/file-modes.ts';
import { forEachConcurrently } from '../../file-system/for-each-concurrently.ts';
import { syncFolder } from '../../file-system/sync-folder.ts';
import type { ArchiveFile, PackageArchive } from './package-archive.ts';

/** The result of an extraction. */
export interface Extraction {
  readonly files: number;
  readonly bytes: number;
}

// An fsync occupies one of Node's four threads for files, name lookups and cryptography. Three at a time let the disk
// combine flushes, and leave a thread for the rest of the service.
const PARALLEL_FILES = 3;

/**
 * Unpacks an archive into a new folder. When this resolves, all files survive a power failure. If it fails, the folder
 * is removed.
 *
 * @throws {PackageError} FILE_SIZE_WRONG, FILE_DAMAGED
 * @throws the reason of `signal`
 * @throws {NodeJS.ErrnoException} EEXIST if the folder exists, which is not changed; ENOSPC and the like
 */
export async function extractArchive(
  archive: PackageArchive,
  destination: string,
  signal: AbortSignal,
): Promise<Extraction> {
  await mkdir(destination, { mode: COURSE_FOLDER_MODE });
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(destination, { recursive: true, force: true }));

  const folders = archive.folders.map((folder) => join(destination, folder));
  for (const folder of folders) await mkdir(folder, { recursive: true, mode: COURSE_FOLDER_MODE });

  const { files } = archive;
  await forEachConcurrently(files, PARALLEL_FILES, (file, stopped) =>
    extractFile(file, join(destination, file.name), AbortSignal.any([signal, stopped])),
  );
  await forEachConcurrently([...folders, destination, dirname(destination)], PARALLEL_FILES, syncFolder);

  undo.move();
  return {
    files: files.length,
    bytes: files.reduce((sum, file) => sum + file.size, 0),
  };
}

async function extractFile(source: ArchiveFile, path: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await using file = await open(path, 'wx', COURSE_FILE_MODE);
  for await (const block of source.content()) {
    signal.throwIfAborted();
    await file.writeFile(block);
  }
  await file.sync();
}
