import {
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { copyFolder } from '../content/files/copy-folder.ts';
import { type CopiedMarker, readCopiedMarker } from '../database/copying/copied-marker.ts';
import { assertReadable, type DataFolder, lacksDatabase, lockDataFolder } from '../database/data-folder.ts';
import { isFull } from '../database/sqlite/full-disk.ts';
import { PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from '../file-system/file-modes.ts';
import { folderProblem } from '../file-system/folder-problem.ts';
import { syncFolder } from '../file-system/sync-folder.ts';
import { NEVER } from '../time/never.ts';
import { type BackupPlace, backupPlaceOf } from './backup-place.ts';
import { openBackupReader } from './backup-reader.ts';
import { type BackupSecret, secretOfBackup } from './backup-secret.ts';

/** The length of a date in ISO form. */
const DATE_LENGTH = 10;

/** A backup cannot be made: the message says why, and what to do instead. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** The contents of a backup. */
export interface Backup {
  databaseBytes: number;
  versions: number;
  /** Versions that were deleted while their files were being copied: they are in the backup's database, without files. */
  versionsGone: number;
  /** The secret that decrypts stored credentials, checked against the copied database. */
  secret: BackupSecret;
  /** Set if the database was copied to PostgreSQL, which the backup does not contain. */
  copied: CopiedMarker | null;
}

/**
 * Backs up the embedded data into a new or empty folder on which a service can start directly. It works while the
 * service is running, and completely or not at all. First it takes a snapshot of the database, then it copies the files
 * of every course version in it. Finally it copies the secret, if that decrypts the stored values.
 * @param configured the `webhooks_auth_secret` of the settings; null when it is in a file of the data folder
 * @param former the `webhooks_auth_secret_previous` of the settings
 * @param contentFolder the folder of course files; null if they are elsewhere and are backed up there
 * @throws {BackupError} @throws {DataFolderError} if the database cannot be read
 */
export async function backUp(
  source: DataFolder,
  {
    to,
    contentFolder,
    configured,
    former,
  }: { to: string; contentFolder: string | null; configured: string | null; former: string | null },
): Promise<Backup> {
  if (lacksDatabase(source)) {
    throw new BackupError(
      `there is no database in ${source.path}: set data_dir to the service's data folder`,
    );
  }
  assertReadable(source);
  const place = path.resolve(to);
  let partial: string | null = null;
  try {
    const chosen = choosePlace(place);
    partial = chosen.partial;
    mkdirSync(partial, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    const databaseFile = path.join(partial, path.basename(source.databaseFile));
    const readFrom = copyDatabase(source, databaseFile);
    const { keys, bytes } = checkCopy(databaseFile);
    const gone = contentFolder === null ? [] : await copyVersions(keys, contentFolder, partial);
    const missing = countNamed(readFrom, gone);
    if (missing > 0) {
      throw new BackupError(
        `the files of ${missing} course version${missing === 1 ? '' : 's'} are missing in ${contentFolder}: no backup was ` +
          'made. Is its disk mounted? To copy the existing files, stop the service and copy the data folder',
      );
    }
    const secret = await secretOfBackup(databaseFile, { secretFile: source.secretFile, configured, former });
    if (secret.copiesFile) {
      const secretFile = path.join(partial, path.basename(source.secretFile));
      copyFileSync(source.secretFile, secretFile);
      syncFile(secretFile);
    }
    const copied = await copiedMarkerOf(databaseFile);
    await syncFolder(partial);
    await chosen.complete(path.basename(databaseFile));
    return {
      databaseBytes: bytes,
      versions: contentFolder === null ? 0 : keys.length - gone.length,
      versionsGone: gone.length,
      secret,
      copied,
    };
  } catch (error) {
    if (partial !== null) rmSync(partial, { recursive: true, force: true });
    if (error instanceof BackupError) throw error;
    throw new BackupError(`no backup was made in ${place}: ${folderProblem(error)}`, { cause: error });
  }
}

/** @throws {BackupError} if there is something else at the place */
function choosePlace(place: string): BackupPlace {
  const chosen = backupPlaceOf(place);
  if (chosen !== null) return chosen;
  const example = path.join(place, new Date().toISOString().slice(0, DATE_LENGTH));
  throw new BackupError(`${place} is not empty: name a new folder, such as ${example}`);
}

/**
 * A snapshot while the service continues to write. The copy has no log file and no gaps. Returns what to open to read
 * the database once more.
 */
function copyDatabase(from: DataFolder, to: string): string | URL {
  // SQLite fills an existing empty file, but would create one that everybody can read.
  writeFileSync(to, '', { flag: 'wx', mode: PRIVATE_FILE_MODE });
  let readFrom: string | URL = from.databaseFile;
  try {
    vacuumInto(readFrom, to);
  } catch (error) {
    if (!isFull(from.path, error)) throw error;
    readFrom = copyFromFullDisk(from, to);
  }
  // Which SQLite leaves to others (https://www.sqlite.org/lang_vacuum.html).
  syncFile(to);
  return readFrom;
}

/**
 * To open a database, SQLite creates a file next to it, except for a database that is declared immutable. It is one
 * while no service runs, if a crash has left no changes in the log. Returns what to open to read it once more.
 * @throws {BackupError} if there are changes in the log
 * @throws {DataFolderError} while a service runs
 */
function copyFromFullDisk(from: DataFolder, to: string): URL {
  const refusal = (holder: string) =>
    `the disk of ${from.path} is full, and the folder is in use by ${holder}; stop it first`;
  using _lock = lockDataFolder(from, refusal, { needsNoRoom: true });
  if ((statSync(`${from.databaseFile}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new BackupError(
      `no backup was made: the disk of ${from.path} is full. Make room for 1 MiB on it, then try again`,
    );
  const unchanging = pathToFileURL(from.databaseFile);
  unchanging.searchParams.set('immutable', '1');
  vacuumInto(unchanging, to);
  return unchanging;
}

function vacuumInto(from: string | URL, to: string): void {
  using database = new DatabaseSync(from, { readOnly: true });
  database.prepare('vacuum into ?').run(to);
}

/** Reads the copy as a startup would. @throws {BackupError} if it is damaged. */
function checkCopy(file: string): { keys: string[]; bytes: number } {
  using database = new DatabaseSync(file, { readOnly: true });
  const [check] = database.prepare('pragma quick_check').all() as { quick_check: string }[];
  if (check?.quick_check !== 'ok') {
    throw new BackupError(`the database is damaged (${check?.quick_check}): restore an earlier backup`);
  }
  const keys = database.prepare('select content_key from course_versions').all() as { content_key: string }[];
  const [size] = database
    .prepare('select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()')
    .all() as { bytes: number }[];
  return { keys: keys.map((row) => row.content_key), bytes: size?.bytes ?? 0 };
}

async function copiedMarkerOf(file: string): Promise<CopiedMarker | null> {
  using reader = openBackupReader(file);
  return await readCopiedMarker(reader);
}

/** Returns the versions that had no files. */
async function copyVersions(keys: readonly string[], from: string, to: string): Promise<string[]> {
  const content = path.join(to, 'content');
  mkdirSync(content, { mode: PRIVATE_FOLDER_MODE });
  const gone: string[] = [];
  for (const key of keys) {
    try {
      await copyFolder(path.join(from, key), path.join(content, key), NEVER);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      rmSync(path.join(content, key), { recursive: true, force: true });
      gone.push(key);
    }
  }
  await syncFolder(content);
  return gone;
}

/** How many of the versions are still in the database: they were not deleted, so their files are lost. */
function countNamed(databaseFile: string | URL, keys: readonly string[]): number {
  if (keys.length === 0) return 0;
  using database = new DatabaseSync(databaseFile, { readOnly: true });
  const find = database.prepare('select 1 from course_versions where content_key = ?');
  return keys.filter((key) => find.get(key) !== undefined).length;
}

function syncFile(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
