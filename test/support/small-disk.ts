import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { MIB } from '../../src/bytes.ts';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);

/** A separate file system in memory, which can really be full. */
export interface SmallDisk extends AsyncDisposable {
  /** A folder on it. */
  readonly folder: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Frees the space that {@link fill} used. */
  empty(): void;
}

/** Mounts a disk, or says in a sentence why that is not possible here: only root on Linux may. */
export async function mountSmallDisk(mebibytes: number): Promise<SmallDisk | string> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return 'Only root on Linux can mount a small disk.';
  }
  await using stack = new AsyncDisposableStack();
  const place = stack.use(temporaryFolder()).path;
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=755`, 'tmpfs', place]);
  } catch (error) {
    return `No small disk can be mounted here: ${error instanceof Error ? error.message : error}`;
  }
  // Lazily: a killed program may not have released its files yet.
  stack.defer(async () => void (await run('umount', ['--lazy', place])));
  const folder = path.join(place, 'data');
  mkdirSync(folder);
  const filler = path.join(place, 'filler');
  const mounted = stack.move();
  return {
    folder,
    fill() {
      const { bavail, bsize } = statfsSync(place);
      try {
        writeFileSync(filler, Buffer.alloc(bavail * bsize + MIB));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    empty: () => rmSync(filler, { force: true }),
    [Symbol.asyncDispose]: () => mounted.disposeAsync(),
  };
}

/** Gives a folder the owner of another one. */
export function giveLike(folder: string, owned: string): void {
  const { uid, gid } = statSync(owned);
  chownSync(folder, uid, gid);
}
