import { formatDateTime } from '../../time/date-time.ts';
import type { Reader, Transaction } from '../database.ts';

/** The name of the marker in the table of secrets, which also has facts about the installation. */
const MARKER = 'copied_to_postgresql';

/** The embedded database was copied to PostgreSQL: a service on it would send its waiting messages a second time. */
export class CopiedDatabaseError extends Error {
  override name = 'CopiedDatabaseError';
}

/** What an embedded database records about its latest copy. */
export interface CopiedMarker {
  /** The database and the server of the copy, without a user or a password. */
  place: string;
  /** Epoch milliseconds. */
  at: number;
}

/** What an embedded database, with or without a schema, records about its latest copy; null if it was not copied. */
export async function readCopiedMarker(reader: Pick<Reader, 'all'>): Promise<CopiedMarker | null> {
  const tables = await reader.all(
    "select 1 as found from sqlite_master where type = 'table' and name = 'service_secrets'",
  );
  if (tables.length === 0) return null;
  const [row] = await reader.all<{ value: string }>(
    'select service_secrets.value from service_secrets where service_secrets.name = ?',
    MARKER,
  );
  return row === undefined ? null : JSON.parse(row.value);
}

/** Records that the database was copied, instead of what it recorded about an earlier copy. */
export async function setCopiedMarker(tx: Transaction, { place, at }: CopiedMarker): Promise<void> {
  await tx.run(
    `insert into service_secrets (name, value) values (?, ?)
     on conflict (name) do update set value = excluded.value`,
    MARKER,
    JSON.stringify({ place, at } satisfies CopiedMarker),
  );
}

/** Lets a service start on the database again. */
export async function removeCopiedMarker(tx: Transaction): Promise<void> {
  await tx.run('delete from service_secrets where name = ?', MARKER);
}

/** The end of a sentence about a database that was copied. */
export function describeCopied({ place, at }: CopiedMarker): string {
  return `was copied to PostgreSQL (${place}) at ${formatDateTime(at)}`;
}
