import type { Database } from '../../src/database/database.ts';

/** The tables in which an outcome is stored. */
type OutcomeTable = 'queue_dead_letters' | 'deliveries' | 'queue_lines';

/**
 * The database refuses the outcomes of some messages, as if their index were damaged.
 * @param refused a condition in SQL. @defaultValue their names begin with "refused"
 */
export async function refuseOutcomes(
  database: Database,
  table: OutcomeTable,
  refused = "new.message_id like 'refused%'",
): Promise<void> {
  const change = table === 'queue_lines' ? 'update' : 'insert';
  const isSqlite = database.dialect === 'sqlite';
  await database.transaction(async (tx) => {
    if (isSqlite) {
      await tx.run(
        `create trigger refuse before ${change} on ${table} when ${refused} begin select raise(abort, 'no room'); end`,
      );
      return;
    }
    await tx.run(
      `create function refuse() returns trigger language plpgsql as
         $$ begin raise exception 'no room' using errcode = '53100'; end $$`,
    );
    await tx.run(
      `create trigger refuse before ${change} on ${table} for each row when (${refused}) execute function refuse()`,
    );
  });
}

/** Ends what {@link refuseOutcomes} began. */
export async function acceptOutcomes(database: Database, table: OutcomeTable): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run(`drop trigger refuse${tx.dialect === 'sqlite' ? '' : ` on ${table}`}`);
    if (tx.dialect === 'postgres') await tx.run('drop function refuse()');
  });
}
