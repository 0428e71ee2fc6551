import { closeSync, existsSync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { MIB } from '../../bytes.ts';

const CHUNK_BYTES = MIB;

/**
 * Writes the log of an earlier process to disk again. After a failed sync, the system may keep parts of it in memory only,
 * and mark them as written: readers see them, but no later sync writes them. Later commits would lie behind that gap, and a
 * power failure would lose them.
 *
 * @param writer keeps others from writing to the log in the meantime
 * @throws if the log cannot be written
 */
export function rewriteLog(writer: DatabaseSync, file: string): void {
  writer.exec('begin immediate');
  try {
    if (!existsSync(file)) return;
    const descriptor = openSync(file, 'r+');
    try {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      let at = 0;
      for (let read = readSync(descriptor, chunk, 0, CHUNK_BYTES, at); read > 0; ) {
        for (let written = 0; written < read; )
          written += writeSync(descriptor, chunk, written, read - written, at + written);
        at += read;
        read = readSync(descriptor, chunk, 0, CHUNK_BYTES, at);
      }
      if (at > 0) fdatasyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } finally {
    writer.exec('rollback');
  }
}
