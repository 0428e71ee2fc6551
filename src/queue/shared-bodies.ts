import { BatchStatement } from '../database/batch-statement.ts';
import type { Reader, Transaction } from '../database/database.ts';
import { idList, toIdList, toIdRows } from '../database/recordset.ts';

/**
 * The place of the shared part in a stored body. The bodies are JSON without line breaks, so a line feed occurs
 * nowhere else.
 */
const PLACE_OF_SHARED_PART = '\n';

/** How a body with a shared part is stored. */
export interface SharedPart {
  /** The id of the shared part. */
  id: number;
  /** The body with a line feed in place of the shared part. */
  own: string;
}

/** The own part of a body: the text before the shared part, and the text after it. */
export function ownPart(before: string, after: string): string {
  return before + PLACE_OF_SHARED_PART + after;
}

/** A row with a stored body. */
interface StoredBody {
  body: string;
  shared_body_id: number | null;
}

/** A body as it is sent, and how it is stored if it has a shared part. */
export interface WholeBody {
  /** Empty if it cannot be read. */
  body: string;
  shared?: SharedPart;
  /** Why the body cannot be read, because the database was damaged or changed manually. Missing if it can be read. */
  unreadable?: string;
}

/**
 * Completes stored bodies. Each shared part is read once, however many rows have it.
 * @param isLocked whether to lock the shared parts, so that nobody can remove them until the transaction ends
 * @returns in the order of the rows. Those that cannot be read say so
 */
export async function wholeBodies(
  reader: Pick<Reader, 'allFor'>,
  rows: readonly StoredBody[],
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<WholeBody[]> {
  const ids = new Set(rows.flatMap((row) => row.shared_body_id ?? []));
  const texts = ids.size === 0 ? new Map<number, string>() : await readSharedBodies(reader, ids, isLocked);
  return withSharedParts(rows, texts);
}

/** Completes stored bodies with shared parts that were already read, by id. Those that cannot be read say so. */
export function withSharedParts(
  rows: readonly StoredBody[],
  texts: ReadonlyMap<number, string>,
): WholeBody[] {
  return rows.map(({ body: own, shared_body_id: id }) => {
    // SQLite stores bytes in a column of texts, too.
    if (typeof own !== 'string' || own === '') return { body: '', unreadable: 'its body is not a text' };
    if (id === null) return { body: own };
    const shared = { id, own };
    const text = texts.get(id);
    if (text === undefined)
      return { body: '', shared, unreadable: `the shared part ${id} of its body is missing` };
    return { body: own.replace(PLACE_OF_SHARED_PART, () => text), shared };
  });
}

/** Stores a common part of several bodies, and returns its id. */
export async function insertSharedBody(tx: Transaction, text: string): Promise<number> {
  const [row] = await tx.all<{ id: number }>(
    'insert into shared_bodies (text) values (?) returning id',
    text,
  );
  return row!.id;
}

/** Deletes the shared parts that no event, message, dead letter or delivery uses. */
export async function deleteUnusedSharedBodies(
  tx: Transaction,
  ids: readonly (number | null)[],
): Promise<void> {
  const distinct = [...new Set(ids)].filter((id) => id !== null).sort((a, b) => a - b);
  if (distinct.length === 0) return;
  const list = toIdList(distinct);
  const given = idList(tx.dialect);
  if (tx.dialect === 'postgres') {
    // A redelivery locks its shared part. After waiting for it, the next statement sees the message that it has queued.
    await tx.all(`select id from shared_bodies where id in ${given} order by id for update`, list);
  }
  const isUnused = ['queue_messages', 'queue_dead_letters', 'deliveries', 'events'].map(
    (table) =>
      `not exists (select 1 from ${table} where ${table}.shared_body_id = shared_bodies.id and ${table}.shared_body_id is not null)`,
  );
  await tx.run(`delete from shared_bodies where id in ${given} and ${isUnused.join(' and ')}`, list);
}

const SHARED_BODIES = statementFor(false);
const LOCKED_SHARED_BODIES = statementFor(true);

function statementFor(isLocked: boolean): BatchStatement<'id'> {
  return new BatchStatement('wanted', { id: 'bigint' }, (wanted, { joined, dialect }) => {
    const locking = isLocked && dialect === 'postgres' ? 'order by shared.id for share of shared' : '';
    return `select shared.id, shared.text from ${joined} shared_bodies as shared where shared.id = ${wanted.id} ${locking}`;
  });
}

async function readSharedBodies(
  reader: Pick<Reader, 'allFor'>,
  ids: Iterable<number>,
  isLocked: boolean,
): Promise<Map<number, string>> {
  const statement = isLocked ? LOCKED_SHARED_BODIES : SHARED_BODIES;
  const rows = await statement.all<{ id: number; text: string }>(reader, toIdRows(ids));
  return new Map(rows.map(({ id, text }) => [id, text]));
}
