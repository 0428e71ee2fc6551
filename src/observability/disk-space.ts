import { statfs } from 'node:fs/promises';
import { GIB, MIB } from '../bytes.ts';

/** Less free space than this counts as a full disk: SQLite needs room for its log, in bytes. */
const MIN_FREE_BYTES = 16 * MIB;
/** A disk is nearly full if its free space is below this number of bytes and below this share of its size. */
const RESERVE_BYTES = GIB;
const RESERVE_PART = 0.05;

/** Throws if the disk of a folder is full, or nearly so. */
export async function checkDiskSpace(folder: string, minFreeBytes = MIN_FREE_BYTES): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < minFreeBytes) throw new Error(`only ${free} bytes are free on the disk of ${folder}`);
}

/** Throws if the disk of one of these folders is nearly full, so that a person can act in time. */
export async function checkDiskReserve(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const { bavail, bsize, blocks } = await statfs(folder);
    const free = bavail * bsize;
    if (free >= Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_PART)) continue;
    throw new Error(
      `only ${mebibytes(free)} of ${mebibytes(blocks * bsize)} are free on the disk of ${folder}`,
    );
  }
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / MIB).toLocaleString('en')} MiB`;
}
