import { BatchStatement } from '../../database/batch-statement.ts';
import { readAroundDamage, reasonOfDamage } from '../../database/damage.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { idList, toIdList } from '../../database/recordset.ts';
import { bytesSql, fitting } from '../../database/step-bytes.ts';
import { deleteUnusedSharedBodies, wholeBodies } from '../../queue/shared-bodies.ts';
import { parseIds } from './id-ranges.ts';
import {
  isUnreadable,
  type StoredEvent,
  toStoredEvent,
  type UnreadableEvent,
  type WholeEventRow,
} from './stored-event.ts';

/** SQL for the event log, one operation per function. */

type EventReader = Pick<Reader, 'all' | 'allFor' | 'dialect'>;

// The transaction gets its number first: `event-blocks.ts` waits for the transactions that have one. Below, the
// parameters are in subqueries. Otherwise the server would estimate rows from their values and plan each call again,
// which takes 100 µs.
const DRAWN = `pg_current_xact_id()::text as tx, nextval(pg_get_serial_sequence('events', 'id')) as id`;

/** Draws the ids of the next events. No other transaction gets them. */
export async function nextEventIds(tx: Transaction, count: number): Promise<number[]> {
  if (tx.dialect === 'postgres') {
    const rows = await tx.all<{ id: number }>(
      `select ${DRAWN} from generate_series(1, (select ?::int))`,
      count,
    );
    return toIds(rows);
  }
  const [last] = await tx.all<{ seq: number }>(`select seq from sqlite_sequence where name = 'events'`);
  return Array.from({ length: count }, (_, n) => (last?.seq ?? 0) + n + 1);
}

/**
 * Draws the ids of the next events and sums the revisions of webhooks, on PostgreSQL. One statement does both,
 * because every event that matches webhooks needs both.
 */
export async function nextEventIdsWithRevisions(
  tx: Transaction,
  count: number,
  webhookIds: readonly number[],
): Promise<{ ids: number[]; revisions: number }> {
  const rows = await tx.all<{ id: number; revisions: number }>(
    // An array costs less than a recordset.
    `select ${DRAWN}, (select coalesce(sum(webhooks.revision), 0)::bigint
       from unnest((select ?::text::bigint[])) as matched (id)
       cross join webhooks where webhooks.id = matched.id) as revisions
     from generate_series(1, (select ?::int))`,
    `{${webhookIds.join(',')}}`,
    count,
  );
  return { ids: toIds(rows), revisions: Number(rows[0]!.revisions) };
}

function toIds(rows: readonly { id: number }[]): number[] {
  return rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
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

/** An event; null if it does not exist. */
export async function readEvent(
  reader: EventReader,
  id: number,
): Promise<StoredEvent | UnreadableEvent | null> {
  const [event] = await readAroundDamage(
    [{ id }],
    async (some) => await toEvents(reader, await EVENTS.all<EventRow>(reader, some)),
    (item, error) => readDamaged(reader, item, error),
  );
  return event ?? null;
}

/** What is known of an event whose text is on damaged pages. */
async function readDamaged(
  reader: EventReader,
  { id }: { id: number },
  error: unknown,
): Promise<UnreadableEvent[]> {
  const rows = await reader.all<Pick<EventRow, 'occurred_at'>>(
    'select events.occurred_at from events where events.id = ?',
    id,
  );
  return rows.map(({ occurred_at: occurredAt }) => ({ id, occurredAt, reason: reasonOfDamage(error) }));
}

/**
 * Locks events until the transaction ends. Returns the webhooks to which each was replayed, by event id. Events that
 * do not exist are missing.
 */
export async function lockReplayed(tx: Transaction, ids: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await tx.all<Pick<EventRow, 'id' | 'replayed'>>(
    `select events.id, events.replayed from events where events.id in ${idList(tx.dialect)}
     order by events.id ${tx.dialect === 'postgres' ? 'for update' : ''}`,
    toIdList(ids),
  );
  return new Map(rows.map(({ id, replayed }) => [id, parseIds(replayed)]));
}

/** A part of the log: events with ids after one and before another. */
export interface EventRange {
  after: number;
  before: number;
  direction: 'ascending' | 'descending';
  limit: number;
}

/** The events of a range that were read together: all of them, or the first ones. */
export interface EventPart {
  events: StoredEvent[];
  /** Those of which the database has lost a part, or cannot read one. */
  unreadable: UnreadableEvent[];
  /** The last id of the part; null if it is empty. */
  end: number | null;
  /** Whether the range may have more events. */
  hasMore: boolean;
  bytes: number;
}

/**
 * The first events of a range, by id.
 * @param maxBytes the maximum size of the events together; a single event may be larger
 */
export async function readEventPart(
  reader: EventReader,
  range: EventRange,
  maxBytes: number,
): Promise<EventPart> {
  const { direction, limit } = range;
  const sizes = await readEventSizes(reader, range);
  const part = fitting(sizes, maxBytes);
  const read = await readAroundDamage(
    part,
    (some) => readEventsOf(reader, some, direction),
    (item, error) => readDamaged(reader, item, error),
  );
  return {
    events: read.flatMap((event) => (isUnreadable(event) ? [] : [event])),
    unreadable: read.filter(isUnreadable),
    end: part.at(-1)?.id ?? null,
    hasMore: part.length < sizes.length || sizes.length === limit,
    bytes: part.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** The ids of the first events of a range, and the sizes of their texts. */
async function readEventSizes(
  reader: EventReader,
  { after, before, direction, limit }: EventRange,
): Promise<{ id: number; bytes: number }[]> {
  return await reader.all(
    `select events.id, ${bytesSql('events', 'body')} as bytes from events ${inOrder(direction)} limit ?`,
    after,
    before,
    limit,
  );
}

/** The events from the first to the last one of a part of the log. */
async function readEventsOf(
  reader: EventReader,
  part: readonly { id: number }[],
  direction: EventRange['direction'],
): Promise<(StoredEvent | UnreadableEvent)[]> {
  if (part.length === 0) return [];
  const ids = part.map(({ id }) => id);
  const rows = await reader.all<EventRow>(
    `select ${COLUMNS} from events ${inOrder(direction)}`,
    Math.min(...ids) - 1,
    Math.max(...ids) + 1,
  );
  return await toEvents(reader, rows);
}

function inOrder(direction: EventRange['direction']): string {
  return `where events.id > ? and events.id < ? order by events.id ${direction === 'ascending' ? 'asc' : 'desc'}`;
}

/** What removing an event needs. */
export interface EventRemoval {
  id: number;
  occurredAt: number;
  sharedId: number | null;
}

/** The first events of a range, in ascending order, without their texts. */
export async function readEventRemovals(
  reader: Pick<Reader, 'all'>,
  { after, before, limit }: Omit<EventRange, 'direction'>,
): Promise<EventRemoval[]> {
  const rows = await reader.all<Pick<EventRow, 'id' | 'occurred_at' | 'shared_body_id'>>(
    `select events.id, events.occurred_at, events.shared_body_id from events ${inOrder('ascending')} limit ?`,
    after,
    before,
    limit,
  );
  return rows.map((row) => ({ id: row.id, occurredAt: row.occurred_at, sharedId: row.shared_body_id }));
}

async function toEvents(
  reader: EventReader,
  rows: readonly EventRow[],
): Promise<(StoredEvent | UnreadableEvent)[]> {
  const bodies = await wholeBodies(reader, rows);
  return rows.map((row, n) => {
    const { body, unreadable } = bodies[n]!;
    return unreadable === undefined
      ? toStoredEvent(row, body)
      : { id: row.id, occurredAt: row.occurred_at, reason: unreadable };
  });
}

const ADD_REPLAYED = new BatchStatement(
  'changed',
  { id: 'bigint', replayed: 'text' },
  (changed, { from }) =>
    `update events set replayed = ${changed.replayed} ${from} where events.id = ${changed.id}`,
);

/** Stores the webhooks to which events were replayed. */
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

/** Removes events, and the shared parts of messages that nothing else uses. */
export async function deleteEvents(tx: Transaction, events: readonly EventRemoval[]): Promise<void> {
  await DELETE_EVENTS.run(
    tx,
    events.map(({ id }) => ({ id })),
  );
  await deleteUnusedSharedBodies(
    tx,
    events.map(({ sharedId }) => sharedId),
  );
}
