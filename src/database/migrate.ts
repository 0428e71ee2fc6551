import type { Database } from './database.ts';
import { foundation } from './migrations/0001-foundation.ts';
import { contentDomain } from './migrations/0002-content-domain.ts';
import { administrators } from './migrations/0003-administrators.ts';
import { trends } from './migrations/0005-trends.ts';
import { columnTypes, type Migration } from './migrations/migration.ts';

/** Every migration, in order. */
const MIGRATIONS: readonly Migration[] = [foundation, contentDomain, administrators, trends];

/** The database was written by a later release of the program. */
export class NewerDatabaseError extends Error {
  override name = 'NewerDatabaseError';
}

/**
 * Brings the schema up to this program, each step in a transaction with its own record, and answers the names
 * of the steps that it took.
 * @throws {NewerDatabaseError} when the database holds steps that this program does not know.
 */
export async function migrate(
  database: Database,
  now: () => number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<string[]> {
  const types = columnTypes(database.dialect);
  return await database.transaction(async (tx) => {
    await tx.run(
      `create table if not exists migrations (
        number ${types.int} primary key, name text not null, applied_at ${types.int} not null)`,
    );
    const applied = await tx.all<{ number: number; name: string }>(
      'select number, name from migrations order by number',
    );
    const newest = applied.at(-1);
    if (newest !== undefined && newest.number > (migrations.at(-1)?.number ?? 0)) {
      throw new NewerDatabaseError(
        `the database is newer than this program: it holds migration ${newest.number} (${newest.name}), ` +
          `this program knows ${migrations.at(-1)?.number ?? 0}. Start the newer release, or restore a backup.`,
      );
    }
    const taken: string[] = [];
    for (const migration of migrations.slice(applied.length)) {
      for (const statement of migration.statements(types, database.dialect)) await tx.run(statement);
      await tx.run(
        'insert into migrations (number, name, applied_at) values (?, ?, ?)',
        migration.number,
        migration.name,
        now(),
      );
      taken.push(migration.name);
    }
    return taken;
  });
}
