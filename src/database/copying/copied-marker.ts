import { formatDateTime } from '../../time/date-time.ts';
import type { Reader, Transaction } from '../database.ts';
import { hasFacts, readFact, removeFact, setFact } from '../facts.ts';

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
  const marker = (await hasFacts(reader, 'sqlite')) ? await readFact(reader, MARKER) : null;
  return marker === null ? null : JSON.parse(marker);
}

/** Records that the database was copied, instead of what it recorded about an earlier copy. */
export async function setCopiedMarker(tx: Transaction, { place, at }: CopiedMarker): Promise<void> {
  await setFact(tx, MARKER, JSON.stringify({ place, at } satisfies CopiedMarker));
}

/** Lets a service start on the database again. */
export async function removeCopiedMarker(tx: Transaction): Promise<void> {
  await removeFact(tx, MARKER);
}

/** The end of a sentence about a database that was copied. */
export function describeCopied({ place, at }: CopiedMarker): string {
  return `was copied to PostgreSQL (${place}) at ${formatDateTime(at)}`;
}
