import { open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ContentStore } from './content-store.ts';

/** The form of keys: what has another name in the folder (`lost+found` of a disk of its own) is not ours. */
const KEY = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** How often a removal is tried again while another program (a virus scanner, an indexer) has a file open. */
const REMOVE_RETRIES = 3;

/** Course files in a folder of this machine, on the same disk as the folders that it is given. */
export class FolderContentStore implements ContentStore {
  readonly #folder: string;

  /** @param folder exists already */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(key: string, stagedFolder: string): Promise<void> {
    await rename(stagedFolder, this.path(key));
    await syncFolder(this.#folder);
  }

  async remove(key: string): Promise<void> {
    await rm(this.path(key), { recursive: true, force: true, maxRetries: REMOVE_RETRIES });
  }

  path(key: string): string {
    if (!KEY.test(key)) throw new Error('this is not a key of the content store');
    return path.join(this.#folder, key);
  }

  async keys(): Promise<string[]> {
    return (await readdir(this.#folder)).filter((name) => KEY.test(name));
  }
}

/** Makes the names in a folder durable. Windows cannot open folders, and keeps their entries in its journal. */
async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EISDIR' && code !== 'EPERM') throw error;
  }
}
