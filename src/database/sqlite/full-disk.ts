import { statfsSync } from 'node:fs';
import { MIB } from '../../bytes.ts';
import { resultCodeOf } from './result-code.ts';

/** The result code of SQLite if a file cannot be created, read or enlarged. */
const SQLITE_IOERR = 10;

/** Whether SQLite failed because the disk of a folder is full, which it does not say. */
export function isFull(folder: string, error: unknown): boolean {
  if (resultCodeOf(error) !== SQLITE_IOERR) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize < MIB;
}
