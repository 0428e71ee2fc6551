import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const MOUNTS = '/proc/self/mounts';

/**
 * The folder of all temporary files of a run. Disposing of it removes the folder, and first the disks that an interrupted
 * proof left mounted below it.
 */
export function proofFolder(): { path: string } & Disposable {
  const folder = mkdtempSync(path.join(tmpdir(), 'coursewire-proof-'));
  // A database server may run as another user.
  chmodSync(folder, 0o755);
  return {
    path: folder,
    [Symbol.dispose]() {
      // Lazily: a killed program may not have released its files yet.
      for (const place of mountsBelow(folder).reverse()) spawnSync('umount', ['--lazy', place]);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Where disks are mounted below a folder, in the order in which they were mounted; none on systems other than Linux. */
export function mountsBelow(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  return readFileSync(MOUNTS, 'utf8')
    .split('\n')
    .map((line) => (line.split(' ')[1] ?? '').replaceAll('\\040', ' '))
    .filter((place) => place.startsWith(`${folder}${path.sep}`));
}
