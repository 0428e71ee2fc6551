import { open } from 'node:fs/promises';

/** Makes the names in a folder durable. Windows cannot open folders, and keeps their entries in its journal. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EISDIR' && code !== 'EPERM') throw error;
  }
}
