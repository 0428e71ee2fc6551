import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { migrate } from '../../src/database/migrate.ts';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import { temporaryFolder } from './temporary-folder.ts';

let template: Promise<Buffer> | undefined;

/** Writes an embedded database with the service's schema and no rows: a copy, since migrating takes a hundred times as long. */
export async function writeMigratedDatabase(file: string): Promise<void> {
  template ??= makeTemplate();
  writeFileSync(file, await template, { mode: 0o600 });
}

async function makeTemplate(): Promise<Buffer> {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'template.db');
  {
    await using database = new SqliteDatabase(file);
    await migrate(database, Date.now);
  }
  return readFileSync(file);
}
