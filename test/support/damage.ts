import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../src/database/database.ts';

/**
 * Makes a text of a row long, so that PostgreSQL stores it in parts in a table of their own, and removes all of these parts
 * of the table, as a fault of the disk would. Reading the text then fails.
 */
export async function damageLongText(
  tx: Transaction,
  { table, column, id }: { table: string; column: string; id: number },
): Promise<void> {
  const text = JSON.stringify({ random: randomBytes(20_000).toString('base64') });
  await tx.run(`update ${table} set ${column} = ? where id = ?`, text, id);
  await tx.run('create extension if not exists pg_surgery');
  const [{ parts } = { parts: '' }] = await tx.all<{ parts: string }>(
    `select reltoastrelid::regclass::text as parts from pg_class where oid = '${table}'::regclass`,
  );
  await tx.all(`select heap_force_kill('${parts}'::regclass, array_agg(ctid)) as killed from ${parts}`);
}
