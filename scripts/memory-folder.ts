import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import path from 'node:path';
import { FIRST_DATA_VARIABLE } from '../test/support/postgres-server.ts';

/** A file system in memory that Linux provides. */
const IN_MEMORY = '/dev/shm';
/** Required free space in bytes: more than all concurrent tests need for their files. */
const ENOUGH_BYTES = 6 * 2 ** 30;
/** Accessible to all users, because the PostgreSQL server of the tests may run under another account. */
const OTHERS_MAY_ENTER = 0o755;

/**
 * Makes this process and its children keep temporary files in memory, until it is disposed of. Tests create and delete
 * thousands of data folders, and would otherwise spend a third of their time waiting for the disk. Does nothing on a
 * machine without enough memory or such a file system, or if `TMPDIR` is set.
 */
export function keepTemporaryFilesInMemory(): Disposable {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return { [Symbol.dispose]: () => {} };
  const folder = mkdtempSync(path.join(IN_MEMORY, 'coursewire-tests-'));
  chmodSync(folder, OTHERS_MAY_ENTER);
  process.env.TMPDIR = folder;
  process.env[FIRST_DATA_VARIABLE] = path.join(folder, 'postgres-data');
  return {
    [Symbol.dispose]() {
      delete process.env.TMPDIR;
      delete process.env[FIRST_DATA_VARIABLE];
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function hasRoom(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .findLast(([, place]) => place === IN_MEMORY);
    const [, , type = '', options = ''] = mount ?? [];
    // Some tests run programs that they have written to a file.
    if (type !== 'tmpfs' || options.split(',').includes('noexec')) return false;
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return Math.min(bavail * bsize, freemem()) >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
