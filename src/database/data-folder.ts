import { accessSync, chmodSync, constants, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from '../file-system/file-modes.ts';
import { folderProblem } from '../file-system/folder-problem.ts';
import { foreignFileIn, wasUsedWithoutDatabase } from './foreign-files.ts';
import { resultCodeOf, SQLITE_BUSY } from './sqlite/result-code.ts';

const ROOT_USER = 0;
/** The result codes of SQLite if its file may not be written or opened. */
const SQLITE_READONLY = 8;
const SQLITE_CANTOPEN = 14;
/** SQLite opens no file whose path, with `-journal` at its end, is longer than 512 bytes. `coursewire.lock` is the longest. */
const MAX_FOLDER_PATH_BYTES = 512 - '/coursewire.lock-journal'.length;

/** The data folder is unusable: it is not writable, or another process is using it. */
export class DataFolderError extends Error {
  override name = 'DataFolderError';
}

/** A data folder and the paths in it. */
export interface DataFolder {
  path: string;
  databaseFile: string;
  /** The files of course versions, a folder each. */
  contentFolder: string;
  /** Uploads in progress and what was extracted from them. Removed at startup; on PostgreSQL, only leftovers are. */
  temporaryFolder: string;
  /** The file of the generated `webhooks_auth_secret`. */
  secretFile: string;
}

/** The paths in a data folder, whether it exists or not. */
export function dataFolderPaths(folder: string): DataFolder {
  const root = path.resolve(folder);
  return {
    path: root,
    databaseFile: path.join(root, 'coursewire.db'),
    contentFolder: path.join(root, 'content'),
    temporaryFolder: path.join(root, 'tmp'),
    secretFile: path.join(root, 'webhooks_auth_secret'),
  };
}

/** Whether there is no embedded database. False if the system does not say, for example without permission. */
export function lacksDatabase({ databaseFile }: DataFolder): boolean {
  try {
    statSync(databaseFile);
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR';
  }
}

/** What {@link openDataFolder} needs to know of the other settings. */
export interface DataFolderUse {
  /** Whether the database is in the folder. */
  holdsDatabase?: boolean;
  /** The folder of `content_store`, which may be in the data folder. */
  contentStore?: string | null;
}

/**
 * Ensures that the embedded database can be read, without a change.
 * @throws {DataFolderError} if it cannot, for example by another user than that of the service
 */
export function assertReadable({ path: root, databaseFile }: DataFolder): void {
  try {
    // First, because the owner of a file in a closed folder cannot be seen.
    accessSync(root, constants.R_OK | constants.X_OK);
    accessSync(databaseFile, constants.R_OK);
  } catch (error) {
    throw unusable(root, error);
  }
}

/**
 * Creates the folder if it is missing, readable by its owner only, and the file of the embedded database if the
 * folder holds it. Returns the paths. Changes nothing in a folder that is new to the service and has files of others.
 * @throws {DataFolderError} if it cannot be created or written, or if it has files of others
 */
export function openDataFolder(
  folder: string,
  { holdsDatabase = true, contentStore = null }: DataFolderUse = {},
): DataFolder {
  const places = dataFolderPaths(folder);
  const root = places.path;
  try {
    if (holdsDatabase) assertShortEnough(root);
    assertOwn(places, holdsDatabase, contentStore);
    for (const place of [root, places.contentFolder, places.temporaryFolder]) {
      mkdirSync(place, { recursive: true, mode: PRIVATE_FOLDER_MODE });
      chmodSync(place, PRIVATE_FOLDER_MODE);
    }
    if (holdsDatabase) {
      // SQLite gives the files next to a database (-wal, -shm) the mode of the database.
      createIfMissing(places.databaseFile);
      chmodSync(places.databaseFile, PRIVATE_FILE_MODE);
    }
  } catch (error) {
    throw error instanceof DataFolderError ? error : unusable(root, error);
  }
  return places;
}

function assertShortEnough(root: string): void {
  const bytes = Buffer.byteLength(root);
  if (bytes <= MAX_FOLDER_PATH_BYTES) return;
  throw new DataFolderError(
    `the path of the data folder ${root} has ${bytes} bytes, but may have at most ${MAX_FOLDER_PATH_BYTES}, because SQLite limits the ` +
      'paths of its files. Set data_dir to a shorter path',
  );
}

/** A folder that is closed to others and cleaned must not be the home folder of someone, or that of another program. */
function assertOwn(places: DataFolder, holdsDatabase: boolean, contentStore: string | null): void {
  if (!lacksDatabase(places) || (!holdsDatabase && wasUsedWithoutDatabase(places.path))) return;
  const foreign = foreignFileIn(places.path, contentStore);
  if (foreign === null) return;
  const lacking = holdsDatabase ? ' and has no database' : '';
  throw new DataFolderError(
    `the data folder ${places.path} is not empty${lacking}: it has ${foreign}. Set data_dir to a folder of its own`,
  );
}

/**
 * Locks the folder for this process until the result is disposed of. The operating system releases the lock when the
 * process ends in any way, so stale locks cannot occur.
 * @throws {DataFolderError} if another process has locked it, with the text that `refusal` returns for that process; or if
 *   it cannot be locked, for example on a full disk
 * @param needsNoRoom locks a folder that was locked before, even on a full disk
 */
export function lockDataFolder(
  folder: DataFolder,
  refusal = (holder: string) =>
    `the data folder ${folder.path} is in use by ${holder}; stop it first, or set data_dir to another folder`,
  { needsNoRoom = false }: { needsNoRoom?: boolean } = {},
): Disposable {
  const holderFile = path.join(folder.path, 'coursewire.pid');
  const lockFile = path.join(folder.path, 'coursewire.lock');
  let lock: DatabaseSync | undefined;
  try {
    createIfMissing(lockFile);
    lock = new DatabaseSync(lockFile, { timeout: 0 });
    // Otherwise, SQLite begins a file next to it.
    if (needsNoRoom) lock.exec('pragma journal_mode = memory');
    lock.exec('begin exclusive');
    writeFileSync(holderFile, `${process.pid}\n`, { mode: PRIVATE_FILE_MODE });
  } catch (error) {
    lock?.close();
    if (resultCodeOf(error) !== SQLITE_BUSY) throw unusable(folder.path, systemError(error, lockFile));
    throw new DataFolderError(refusal(`another process${holderOf(holderFile)}`), { cause: error });
  }
  return lock;
}

/** Why the system refuses to open a file that SQLite could not open; else the given error. SQLite does not say why. */
function systemError(error: unknown, file: string): unknown {
  if (![SQLITE_READONLY, SQLITE_CANTOPEN].includes(resultCodeOf(error))) return error;
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return error;
  } catch (reason) {
    return reason;
  }
}

function unusable(root: string, error: unknown): DataFolderError {
  const reason = describeOwner(error as NodeJS.ErrnoException, root) ?? folderProblem(error);
  return new DataFolderError(`the data folder ${root} cannot be used: ${reason}`, { cause: error });
}

/** What to do if the cause is that a file belongs to another user, as after root has copied a backup; otherwise null. */
function describeOwner({ code, path: file = '' }: NodeJS.ErrnoException, root: string): string | null {
  const [user, group] = [process.getuid?.(), process.getgid?.()];
  if ((code !== 'EPERM' && code !== 'EACCES') || user === undefined) return null;
  const found = nearestOwner(file);
  if (found === null || found.owner === user) return null;
  const users = `${found.file} belongs to the user with the id ${found.owner}, and this process runs as the user with the id ${user}`;
  // Not the folder that contains it, which may have files of other programs.
  if (!isWithin(found.file, root))
    return `${users}. Create the folder for the user ${user}: install -d -m 0700 -o ${user} -g ${group} ${quoted(root)}`;
  const give = found.owner === ROOT_USER ? 'Give' : `Run coursewire as the user ${found.owner}, or give`;
  return `${users}. ${give} the folder to the user ${user}: chown -R ${user}:${group} ${quoted(`${root}/`)}`;
}

/** A path as a shell reads it. */
function quoted(text: string): string {
  return /^[\w/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function isWithin(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}${path.sep}`);
}

/** The owner of a file or, if it does not exist, of the nearest folder that does; null if the system does not say. */
function nearestOwner(file: string): { file: string; owner: number } | null {
  try {
    return { file, owner: statSync(file).uid };
  } catch (error) {
    const parent = path.dirname(file);
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing && parent !== file ? nearestOwner(parent) : null;
  }
}

/**
 * Never opens an existing file. Closing it would release all locks of this process on it, because POSIX record
 * locks belong to the process, not to the descriptor.
 */
function createIfMissing(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: PRIVATE_FILE_MODE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function holderOf(file: string): string {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return Number.isNaN(pid) ? '' : ` (process ${pid})`;
  } catch {
    return '';
  }
}
