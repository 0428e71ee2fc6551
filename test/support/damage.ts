import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../src/database/database.ts';
import { ON_POSTGRES } from './postgres.ts';

/** A way in which someone, or a fault, damages the stored text of a row. */
export interface Damage {
  what: string;
  /** Why the text cannot be read. */
  reason: RegExp;
  do: (tx: Transaction, id: number) => Promise<unknown>;
}

/** A table whose rows have a text that may have a shared part, and the column of the text. */
interface TextColumn {
  table: string;
  column: string;
}

/** Names a shared part that does not exist. */
export function missingPart({ table }: Pick<TextColumn, 'table'>): Damage {
  return {
    what: 'has lost its shared part',
    reason: /shared part 4711 of its body is missing/,
    do: (tx, id) => tx.run(`update ${table} set shared_body_id = 4711 where id = ?`, id),
  };
}

/** Stores bytes instead of a text, as SQLite alone allows. */
function noText({ table, column }: TextColumn): Damage {
  return {
    what: 'is no text',
    reason: /not a text/,
    do: (tx, id) => tx.run(`update ${table} set ${column} = x'fffe00' where id = ?`, id),
  };
}

/**
 * Makes the text long, so that PostgreSQL stores it in parts in a table of their own, and removes all of these parts, as a
 * fault of the disk would.
 */
export function damagedPages({ table, column }: TextColumn): Damage {
  return {
    what: 'is on damaged pages',
    reason: /the database cannot read its body: .*missing chunk/,
    do: async (tx, id) => {
      const text = JSON.stringify({ random: randomBytes(20_000).toString('base64') });
      await tx.run(`update ${table} set ${column} = ? where id = ?`, text, id);
      await tx.run('create extension if not exists pg_surgery');
      const [{ parts } = { parts: '' }] = await tx.all<{ parts: string }>(
        `select reltoastrelid::regclass::text as parts from pg_class where oid = '${table}'::regclass`,
      );
      await tx.all(`select heap_force_kill('${parts}'::regclass, array_agg(ctid)) as killed from ${parts}`);
    },
  };
}

/** All ways on the database of the tests. */
export function damagesOf(text: TextColumn): readonly Damage[] {
  return [missingPart(text), ON_POSTGRES ? damagedPages(text) : noText(text)];
}
