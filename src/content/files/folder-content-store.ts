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
import { bytesOf } from './byte-range.ts';
import { assertContentKey, entityTagOf, isContentKey } from './content-key.ts';
import type { ByteRange, ContentStore, StoredFile } from './content-store.ts';
import { contentUnavailable } from './content-unavailable.ts';
import { copyFolder, syncFolder } from './copy-folder.ts';
import { isFilePath } from './file-path.ts';

/** What is being copied onto the store's disk; takes its key's name once it is whole. */
const INCOMING = 'incoming-';
const OWNER_FILE = 'coursewire-installation';
const OWNER_FILE_MODE = 0o644;
/** How often a removal is tried again while another program (a virus scanner, an indexer) has a file open. */
const REMOVE_RETRIES = 3;
/** There is no file by that name: also where a segment is a file, or too long for this disk. */
const NO_FILE: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EISDIR'];
/** What a network file system answers while it is out of reach. */
const OUT_OF_REACH: readonly unknown[] = [
  'EIO',
  'ESTALE',
  'ETIMEDOUT',
  'ENOTCONN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EREMOTEIO',
];

/** Course files in a folder: of this machine, or one that instances share. */
export class FolderContentStore implements ContentStore {
  readonly location: string;
  readonly #folder: string;

  /** @param folder exists already */
  constructor(folder: string) {
    this.#folder = path.resolve(folder);
    this.location = this.#folder;
  }

  async put(key: string, stagedFolder: string, signal: AbortSignal): Promise<void> {
    const place = this.path(key);
    await reaching(async () => {
      try {
        await rename(stagedFolder, place);
      } catch (error) {
        if (codeOf(error) !== 'EXDEV') throw error;
        // Another disk: copied under a name of its own, so that what has a key's name is whole.
        const incoming = path.join(this.#folder, INCOMING + key);
        await copyFolder(stagedFolder, incoming, signal);
        await rename(incoming, place);
      }
      await syncFolder(this.#folder);
    });
  }

  async remove(key: string): Promise<void> {
    assertContentKey(key);
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
    const root = this.path(key);
    if (!isFilePath(filePath)) return null;
    return await reaching(async () => {
      const handle = await openFile(root, path.join(root, ...filePath.split('/')));
      if (handle === null) return null;
      try {
        const { size, mtimeMs } = await handle.stat();
        const bytes = range === undefined ? null : bytesOf(range, size);
        return {
          size,
          range: bytes,
          etag: entityTagOf(key, filePath),
          lastModified: Math.floor(mtimeMs),
          stream: handle.createReadStream(bytes === null ? {} : { start: bytes.first, end: bytes.last }),
        };
      } catch (error) {
        await handle.close();
        throw error;
      }
    });
  }

  async *files(key: string): AsyncGenerator<string> {
    const root = this.path(key);
    const entries = await reaching(() =>
      unlessMissing(readdir(root, { recursive: true, withFileTypes: true })),
    );
    for (const entry of entries ?? []) {
      if (!entry.isFile()) continue;
      yield path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/');
    }
  }

  async has(key: string): Promise<boolean> {
    const found = await reaching(() => unlessMissing(stat(this.path(key))));
    return found !== null;
  }

  async *keys(): AsyncGenerator<string> {
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
        await writeFile(draft, `${installation}\n`, { flag: 'wx', mode: OWNER_FILE_MODE, flush: true });
        // A link appears whole or not at all, and never over one that another instance made first.
        await link(draft, file);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      } finally {
        await rm(draft, { force: true });
      }
    });
    return (await this.owner()) ?? installation;
  }

  async ping(): Promise<void> {
    const found = await reaching(() => stat(this.#folder));
    if (!found.isDirectory()) throw contentUnavailable(new Error(`${this.#folder} is not a folder`));
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** The folder that holds the files of a key. */
  path(key: string): string {
    assertContentKey(key);
    return path.join(this.#folder, key);
  }
}

/** Null for what is no file, and for what a symbolic link leads to from inside the folder to outside of it. */
async function openFile(root: string, file: string): Promise<FileHandle | null> {
  const real = await unlessMissing(realpath(file));
  if (real === null || !real.startsWith((await realpath(root)) + path.sep)) return null;
  const handle = await unlessMissing(open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)));
  if (handle === null) return null;
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  return null;
}

async function unlessMissing<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
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
