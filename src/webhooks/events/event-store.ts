import { BatchStatement } from '../../database/batch-statement.ts';
import type { Reader, SqlRow, Transaction } from '../../database/database.ts';
import { idList, toIdList } from '../../database/recordset.ts';
import { deleteUnusedSharedBodies, wholeBodies } from '../../queue/shared-bodies.ts';
import { type StoredEvent, toStoredEvent, type WholeEventRow } from './stored-event.ts';

/** SQL for the event log, one operation per function. */

/** A new row of the log. */
export interface NewEventRow {
  id: number;
  occurredAt: number;
  body: string;
  sharedId: number | null;
  focused: string;
  matched: string | null;
}

type EventReader = Pick<Reader, 'all' | 'allFor' | 'dialect'>;

/** The ids of the next events. Nobody else gets them. */
export async function nextEventIds(tx: Transaction, count: number): Promise<number[]> {
  if (tx.dialect === 'postgres') {
    const rows = await tx.all<{ id: number }>(
      // The transaction gets its number first: `event-blocks.ts` waits for the transactions that have one.
      `select pg_current_xact_id()::text as tx, nextval(pg_get_serial_sequence('events', 'id')) as id
       from generate_series(1, ?::int)`,
      count,
    );
    return rows.map((row) => Number(row.id)).sort((a, b) => a - b);
  }
  const [last] = await tx.all<{ seq: number }>(`select seq from sqlite_sequence where name = 'events'`);
  return Array.from({ length: count }, (_, n) => (last?.seq ?? 0) + n + 1);
}

export async function insertEvents(tx: Transaction, events: readonly NewEventRow[]): Promise<void> {
  await tx.insertMany(
    'events',
    ['id', 'occurred_at', 'body', 'shared_body_id', 'focused', 'matched'],
    events.map((e): SqlRow => [e.id, e.occurredAt, e.body, e.sharedId, e.focused, e.matched]),
  );
}

interface EventRow extends WholeEventRow {
  body: string;
}

const COLUMNS =
  'events.id, events.occurred_at, events.body, events.shared_body_id, events.focused, events.matched, events.replayed';

const EVENTS = new BatchStatement(
  'wanted',
  { id: 'bigint' },
  (wanted, { joined }) => `select ${COLUMNS} from ${joined} events where events.id = ${wanted.id}`,
);

/** The events of these ids, in no order; those that do not exist are missing. */
export async function readEvents(reader: EventReader, ids: readonly number[]): Promise<StoredEvent[]> {
  const rows = await EVENTS.all<EventRow>(
    reader,
    ids.map((id) => ({ id })),
  );
  return await toEvents(reader, rows);
}

/** An event that nobody else changes until the transaction ends. */
export async function lockEvents(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (tx.dialect !== 'postgres' || ids.length === 0) return;
  await tx.all(
    `select events.id from events where events.id in
       ${idList(tx.dialect)} order by events.id for update`,
    toIdList(ids),
  );
}

/** A part of the log: events with ids after one and before another. */
export interface EventRange {
  after: number;
  before: number;
  direction: 'ascending' | 'descending';
  limit: number;
}

/** The first events of a range, by id. */
export async function readEventRange(
  reader: EventReader,
  { after, before, direction, limit }: EventRange,
): Promise<StoredEvent[]> {
  const rows = await reader.all<EventRow>(
    `select ${COLUMNS} from events where events.id > ? and events.id < ?
     order by events.id ${direction === 'ascending' ? 'asc' : 'desc'} limit ?`,
    after,
    before,
    limit,
  );
  return await toEvents(reader, rows);
}

async function toEvents(reader: EventReader, rows: readonly EventRow[]): Promise<StoredEvent[]> {
  const bodies = await wholeBodies(reader, rows);
  return rows.map((row, n) => toStoredEvent(row, bodies[n]!.body));
}

const ADD_REPLAYED = new BatchStatement(
  'changed',
  { id: 'bigint', replayed: 'text' },
  (changed, { from }) =>
    `update events set replayed = ${changed.replayed} ${from} where events.id = ${changed.id}`,
);

/** Writes to which webhooks events were replayed. */
export async function setReplayed(
  tx: Transaction,
  rows: readonly { id: number; replayed: string }[],
): Promise<void> {
  await ADD_REPLAYED.run(tx, rows);
}

const DELETE_EVENTS = new BatchStatement(
  'gone',
  { id: 'bigint' },
  (gone, { using }) => `delete from events ${using} where events.id = ${gone.id}`,
);

/** Removes events and the shared parts of messages that nothing else has. */
export async function deleteEvents(tx: Transaction, events: readonly StoredEvent[]): Promise<void> {
  await DELETE_EVENTS.run(
    tx,
    events.map(({ id }) => ({ id })),
  );
  await deleteUnusedSharedBodies(
    tx,
    events.map(({ sharedId }) => sharedId),
  );
}
