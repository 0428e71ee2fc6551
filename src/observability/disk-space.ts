import { statfs } from 'node:fs/promises';

/** Less free space than this counts as a full disk: SQLite needs room for its log, in bytes. */
const MIN_FREE_BYTES = 16 * 1_024 * 1_024;

/** Throws if the disk of a folder is full, or nearly so. */
export async function checkDiskSpace(folder: string, minFreeBytes = MIN_FREE_BYTES): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < minFreeBytes) throw new Error(`only ${free} bytes are free on the disk of ${folder}`);
}
