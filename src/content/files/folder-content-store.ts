import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import {
  type FileHandle,
  link,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { KIB } from '../../bytes.ts';
import { COURSE_FILE_MODE } from '../../file-system/file-modes.ts';
import { readExactly } from '../../file-system/read-exactly.ts';
import { syncFolder } from '../../file-system/sync-folder.ts';
import { bytesOf } from './byte-range.ts';
import { assertContentKey, entityTagOf, isContentKey } from './content-key.ts';
import type { ByteRange, ContentStore, FileFacts, StoredFile } from './content-store.ts';
import { contentUnavailable } from './content-unavailable.ts';
import { copyFolder } from './copy-folder.ts';
import { isFilePath, MAX_PATH_BYTES } from './file-path.ts';

/** A copy in progress on the store's disk. It is renamed to its key once it is complete. */
const INCOMING = 'incoming-';
const OWNER_FILE = 'coursewire-installation';
/** How often a removal is retried while another program (a virus scanner, an indexer) has a file open. */
const REMOVE_RETRIES = 3;
/** How much a stream reads at a time. For smaller files, a stream costs more than it saves. */
const SMALL_BYTES = 64 * KIB;
const KNOWN_ROOTS = 1_000;
/** The file does not exist. A segment can also be a file, or too long for this disk. */
const NO_FILE: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EISDIR'];
/** Errors of a network file system that cannot be reached. */
const OUT_OF_REACH: readonly unknown[] = [
  'EIO',
  'ESTALE',
  'ETIMEDOUT',
  'ENOTCONN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EREMOTEIO',
];

/** Course files in a folder of this machine, or in one that instances share. */
export class FolderContentStore implements ContentStore {
  readonly location: string;
  readonly maxPathBytes = MAX_PATH_BYTES;
  readonly #folder: string;
  readonly #realRoots = new Map<string, string>();
  #expectedOwner: string | null = null;

  /** @param folder an existing folder */
  constructor(folder: string) {
    this.#folder = path.resolve(folder);
    this.location = this.#folder;
  }

  async put(key: string, stagedFolder: string, signal: AbortSignal): Promise<void> {
    const place = this.path(key);
    await this.#assertOwner();
    await reaching(async () => {
      try {
        await rename(stagedFolder, place);
      } catch (error) {
        if (codeOf(error) !== 'EXDEV') throw error;
        // On a different disk, it is copied under a temporary name, so that a folder with a key's name is always
        // complete.
        const incoming = path.join(this.#folder, INCOMING + key);
        await copyFolder(stagedFolder, incoming, signal);
        await rename(incoming, place);
      }
      await syncFolder(this.#folder);
    });
  }

  async remove(key: string): Promise<void> {
    assertContentKey(key);
    await this.#assertOwner();
    await reaching(async () => {
      for (const name of [INCOMING + key, key]) {
        await rm(path.join(this.#folder, name), {
          recursive: true,
          force: true,
          maxRetries: REMOVE_RETRIES,
        });
      }
    });
  }

  async read(key: string, filePath: string, range?: ByteRange): Promise<StoredFile | null> {
    assertContentKey(key);
    if (!isFilePath(filePath)) return null;
    return await reaching(async () => {
      const opened = await this.#open(key, filePath);
      if (opened === null) return null;
      const { handle, about } = opened;
      const { size } = about;
      try {
        if (range === undefined && size <= SMALL_BYTES)
          // Spread would make the stream.
          return Object.assign(await readSmall(handle, size), about);
        const bytes = range === undefined ? null : bytesOf(range, size);
        const stream = handle.createReadStream(bytes === null ? {} : { start: bytes.first, end: bytes.last });
        return { ...about, range: bytes, stream, bytes: null };
      } catch (error) {
        await handle.close();
        throw error;
      }
    });
  }

  async find(key: string, filePath: string): Promise<FileFacts | null> {
    assertContentKey(key);
    if (!isFilePath(filePath)) return null;
    return await reaching(async () => {
      const opened = await this.#open(key, filePath);
      await opened?.handle.close();
      return opened?.about ?? null;
    });
  }

  async #open(key: string, filePath: string): Promise<{ handle: FileHandle; about: FileFacts } | null> {
    const root = this.path(key);
    const opened = await openFile(await this.#realRoot(root), path.join(root, ...filePath.split('/')));
    if (opened === null) {
      await this.#assertOwner();
      return null;
    }
    const { handle, size, mtimeMs } = opened;
    return { handle, about: { size, etag: entityTagOf(key, filePath), lastModified: Math.floor(mtimeMs) } };
  }

  /** The real path of a key's folder, which never changes. It is cached, because every file of a course needs it. */
  async #realRoot(root: string): Promise<string> {
    const known = this.#realRoots.get(root);
    if (known !== undefined) return known;
    const real = await unlessMissing(realpath(root));
    if (real === null) return root;
    if (this.#realRoots.size >= KNOWN_ROOTS) this.#realRoots.clear();
    this.#realRoots.set(root, real);
    return real;
  }

  async *files(key: string): AsyncGenerator<string> {
    const root = this.path(key);
    const entries = await reaching(() =>
      unlessMissing(readdir(root, { recursive: true, withFileTypes: true })),
    );
    if (entries === null) await this.#assertOwner();
    for (const entry of entries ?? []) {
      if (!entry.isFile()) continue;
      yield path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/');
    }
  }

  async has(key: string): Promise<boolean> {
    const found = await reaching(() => unlessMissing(stat(this.path(key))));
    if (found === null) await this.#assertOwner();
    return found !== null;
  }

  async *keys(): AsyncGenerator<string> {
    await this.#assertOwner();
    for (const name of await reaching(() => readdir(this.#folder))) {
      const key = name.startsWith(INCOMING) ? name.slice(INCOMING.length) : name;
      if (isContentKey(key)) yield key;
    }
  }

  async owner(): Promise<string | null> {
    return await reaching(async () => {
      const text = await unlessMissing(readFile(path.join(this.#folder, OWNER_FILE), 'utf8'));
      return text?.trim() ?? null;
    });
  }

  async claim(installation: string): Promise<string> {
    const file = path.join(this.#folder, OWNER_FILE);
    const draft = `${file}.${randomUUID()}`;
    await reaching(async () => {
      try {
        await writeFile(draft, `${installation}\n`, { flag: 'wx', mode: COURSE_FILE_MODE, flush: true });
        // Creating a link is atomic, and never replaces one that another instance created first.
        await link(draft, file);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      } finally {
        await rm(draft, { force: true });
      }
    });
    return (await this.owner()) ?? installation;
  }

  expectOwner(installation: string): void {
    this.#expectedOwner = installation;
  }

  async ping(): Promise<void> {
    await this.#assertOwner();
    const found = await reaching(() => stat(this.#folder));
    if (!found.isDirectory()) throw contentUnavailable(new Error(`${this.#folder} is not a folder`));
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** @throws {ProblemError} `unavailable` if this is not the folder that the installation uses */
  async #assertOwner(): Promise<void> {
    if (this.#expectedOwner === null || (await this.owner()) === this.#expectedOwner) return;
    throw contentUnavailable(
      new Error(`${path.join(this.#folder, OWNER_FILE)} is missing or has changed: is the share mounted?`),
    );
  }

  /** The folder of a key. */
  path(key: string): string {
    assertContentKey(key);
    return path.join(this.#folder, key);
  }
}

interface OpenedFile {
  handle: FileHandle;
  size: number;
  mtimeMs: number;
}

/** Null if it is not a file, or if a symbolic link leads outside the folder. */
async function openFile(realRoot: string, file: string): Promise<OpenedFile | null> {
  const real = await unlessMissing(realpath(file));
  if (real === null || !real.startsWith(realRoot + path.sep)) return null;
  const handle = await unlessMissing(open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)));
  if (handle === null) return null;
  try {
    const found = await handle.stat();
    if (found.isFile()) return { handle, size: found.size, mtimeMs: found.mtimeMs };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return null;
}

/** Reads a whole file and closes it. */
async function readSmall(
  handle: FileHandle,
  size: number,
): Promise<Pick<StoredFile, 'range' | 'bytes' | 'stream'>> {
  const bytes = await readExactly(handle, 0, size, 'a file is shorter than it was when it was opened');
  await handle.close();
  return {
    range: null,
    bytes,
    get stream() {
      return Readable.from(bytes, { objectMode: false });
    },
  };
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (NO_FILE.includes(codeOf(error))) return null;
    throw error;
  }
}

async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw OUT_OF_REACH.includes(codeOf(error)) ? contentUnavailable(error) : error;
  }
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException | null)?.code;
}
