import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '../../database/database.ts';
import type { EventBlockRow } from '../../database/rows/webhook-rows.ts';

/** SQL for the blocks of the event log, one operation per function. */

/** The summary of a block: the events after those of the block before it, up to `lastId`. */
export interface EventBlock {
  lastId: number;
  /** When the earliest and the latest of its events occurred. */
  firstAt: number;
  lastAt: number;
  /** See `key-filter.ts`. */
  keys: string;
  /** The `KEY_FORMAT` of the release that summarized the events. */
  keyFormat: number;
}

/** The id of the last event in a block; 0 if there is no block. */
export async function readBlocksEnd(reader: Pick<Reader, 'all'>): Promise<number> {
  const [row] = await reader.all<{ last: number | null }>('select max(last_id) as last from event_blocks');
  return row?.last ?? 0;
}

/** The id of the last event in the previous block; 0 if there is none. */
export async function readBlockStart(reader: Pick<Reader, 'all'>, lastId: number): Promise<number> {
  const [row] = await reader.all<{ last: number | null }>(
    'select max(last_id) as last from event_blocks where last_id < ?',
    lastId,
  );
  return row?.last ?? 0;
}

/** Inserts a block unless another instance has inserted it. */
export async function insertBlock(tx: Transaction, block: EventBlock): Promise<void> {
  await tx.insertMany(
    'event_blocks',
    ['last_id', 'first_at', 'last_at', 'keys', 'key_format'],
    [[block.lastId, block.firstAt, block.lastAt, block.keys, block.keyFormat]],
    'on conflict (last_id) do nothing',
  );
}

/** The end of the block that contains an event; null if no block contains it. */
export async function readBlockEnd(reader: Pick<Reader, 'all'>, id: number): Promise<number | null> {
  const [row] = await reader.all<{ last: number | null }>(
    'select min(last_id) as last from event_blocks where last_id >= ?',
    id,
  );
  return row?.last ?? null;
}

/** Blocks whose ends are greater than `after` and at most `upTo`, in order. */
export async function readBlocks(
  reader: Pick<Reader, 'all'>,
  request: { after: number; upTo: number; direction: 'ascending' | 'descending'; limit: number },
): Promise<EventBlock[]> {
  const { after, upTo, direction, limit } = request;
  const rows = await reader.all<Selectable<EventBlockRow>>(
    `select last_id, first_at, last_at, keys, key_format from event_blocks where last_id > ? and last_id <= ?
     order by last_id ${direction === 'ascending' ? 'asc' : 'desc'} limit ?`,
    after,
    upTo,
    limit,
  );
  return rows.map((row) => ({
    lastId: row.last_id,
    firstAt: row.first_at,
    lastAt: row.last_at,
    keys: row.keys,
    keyFormat: row.key_format,
  }));
}

/** The end of the block with the earliest event, if this is before the given time; null otherwise. */
export async function readBlockBefore(reader: Pick<Reader, 'all'>, before: number): Promise<number | null> {
  const [row] = await reader.all<{ last_id: number }>(
    'select last_id from event_blocks where first_at < ? order by first_at, last_id limit 1',
    before,
  );
  return row?.last_id ?? null;
}

/** The end of the first block with events from the given time on; null if there is none. */
export async function readFirstBlockFrom(reader: Pick<Reader, 'all'>, from: number): Promise<number | null> {
  // The sum keeps PostgreSQL from walking all earlier blocks in the order of their ids.
  const [row] = await reader.all<{ first: number | null }>(
    'select min(last_id + 0) as first from event_blocks where last_at >= ?',
    from,
  );
  return row?.first ?? null;
}

/** Sets the time of the first event of a block, after earlier ones were removed from it. */
export async function setFirstAt(tx: Transaction, lastId: number, firstAt: number): Promise<void> {
  await tx.run('update event_blocks set first_at = ? where last_id = ?', firstAt, lastId);
}

/** Deletes the summary of a block, given the id of its last event. */
export async function deleteBlock(tx: Transaction, lastId: number): Promise<void> {
  await tx.run('delete from event_blocks where last_id = ?', lastId);
}

/**
 * Draws a transaction number on PostgreSQL that is larger than those of all transactions that have one. A snapshot
 * does not contain it: its end is after the last transaction that has ended, and later ones may be open.
 */
export async function drawTransactionNumber(reader: Pick<Reader, 'all'>): Promise<number> {
  const [row] = await reader.all<{ number: number }>('select pg_current_xact_id()::text::bigint as number');
  return Number(row!.number);
}

/** Whether a transaction with a smaller number is open on PostgreSQL. The number must have been drawn before. */
export async function isOpenBefore(reader: Pick<Reader, 'all'>, number: number): Promise<boolean> {
  const [row] = await reader.all<{ oldest: number }>(
    'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest',
  );
  return Number(row!.oldest) < number;
}

/** The id of the last event; 0 if there is none. */
export async function readLastEvent(reader: Pick<Reader, 'all'>): Promise<number> {
  const [row] = await reader.all<{ last: number | null }>('select max(id) as last from events');
  return row?.last ?? 0;
}
