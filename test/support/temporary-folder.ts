import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A temporary folder, removed when disposed of. */
export function temporaryFolder(): { path: string } & Disposable {
  const folder = mkdtempSync(path.join(tmpdir(), 'coursewire-test-'));
  return { path: folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
