import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Reader } from '../database/database.ts';

/** Reads the database of a backup, which is never changed, not even migrated. */
export function openBackupReader(databaseFile: string): Pick<Reader, 'all'> & Disposable {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  return {
    all: async <Row>(sql: string, ...values: unknown[]) =>
      database.prepare(sql).all(...(values as SQLInputValue[])) as Row[],
    [Symbol.dispose]: () => database.close(),
  };
}
