import type { Reader, SqlRow, Transaction } from '../../database/database.ts';
import { idList, toIdList } from '../../database/recordset.ts';
import { HELD_UNTIL } from '../message-queue.ts';
import { waitingInLineSql, waitingSql } from './done-to.ts';
import { blockedSql, inFlightSql, type LeaseColumns } from './line-state.ts';

/** SQL for lines, one operation per function. Each handles a whole batch in one statement. */

/** Limits how many messages a startup counts (about one second); a backlog can have tens of millions. */
const MAX_CHECKED_MESSAGES = 1_000_000;

/** Messages that are appended to a line. */
export interface LineAddition {
  lineId: number;
  count: number;
  /** When the first of these messages is due if the line is empty, in epoch milliseconds. */
  dueAt: number;
  /** The latest time at which one of these messages was queued, in epoch milliseconds. */
  lastQueuedAt: number;
}

/** Adds to the counts of lines, and makes lines that were empty due. The lines are in ascending order of id. */
export async function addToLines(tx: Transaction, additions: readonly LineAddition[]): Promise<void> {
  await tx.insertMany(
    'queue_lines',
    ['line_id', 'pending', 'available_at', 'receive_count', 'last_enqueued_at'],
    additions.map(
      ({ lineId, count, dueAt, lastQueuedAt }): SqlRow => [lineId, count, dueAt, 0, lastQueuedAt],
    ),
    `on conflict (line_id) do update set pending = queue_lines.pending + excluded.pending,
      available_at = coalesce(queue_lines.available_at, excluded.available_at),
      last_enqueued_at = case when excluded.last_enqueued_at > queue_lines.last_enqueued_at
        then excluded.last_enqueued_at else queue_lines.last_enqueued_at end`,
  );
}

/** A line whose row is locked. */
export interface LockedLine {
  line_id: number;
  /** When its head is due, in epoch milliseconds; null if it is empty. */
  available_at: number | null;
  /** The latest time of any message that was ever appended, in epoch milliseconds; 0 if there was none. */
  last_enqueued_at: number;
}

/**
 * Locks the rows of lines in ascending order. Everyone does so, which prevents deadlocks. On SQLite, transactions do
 * not overlap.
 * @returns the lines, and whether this took more than one statement
 */
export async function lockLines(
  tx: Transaction,
  lineIds: readonly number[],
): Promise<{ lines: LockedLine[]; isLate: boolean }> {
  if (lineIds.length === 0) return { lines: [], isLate: false };
  const ascending = [...new Set(lineIds)].sort((a, b) => a - b);
  const lines = await lockExistingLines(tx, ascending);
  if (lines.length === ascending.length || tx.dialect === 'sqlite') return { lines, isLate: false };
  // A line gets its row with its first message. Other transactions may insert the same rows now.
  await tx.insertMany(
    'queue_lines',
    ['line_id', 'pending', 'available_at', 'receive_count'],
    ascending.map((lineId): SqlRow => [lineId, 0, null, 0]),
    'on conflict (line_id) do update set pending = queue_lines.pending',
  );
  return { lines: await lockExistingLines(tx, ascending), isLate: true };
}

/**
 * PostgreSQL returns the rows as the transactions that held the locks before have committed them. It locks none of the
 * rows if one is missing: whoever inserts a line with a lower id then would hold a line with a higher one. Two such
 * transactions wait for each other until the server notices, which takes a second.
 */
async function lockExistingLines(tx: Transaction, lineIds: readonly number[]): Promise<LockedLine[]> {
  const columns = 'line.line_id, line.available_at, line.last_enqueued_at';
  if (tx.dialect === 'sqlite')
    return await tx.all(
      `select ${columns} from queue_lines as line where line.line_id in ${idList(tx.dialect)}`,
      toIdList(lineIds),
    );
  const ids = `{${lineIds.join(',')}}`;
  // The parameters are in subqueries. Otherwise the server would plan each call again.
  const array = '(select ?::text)::bigint[]';
  // A join, because the server checks each row again that another transaction has changed, and would sort an array again
  // for each of them: with 10,000 lines, that took 20 s.
  return await tx.all(
    `select ${columns} from unnest(${array}) as wanted (line_id) cross join queue_lines as line
     where line.line_id = wanted.line_id
       and (select count(*) from queue_lines where line_id = any(${array})) = (select ?::bigint)
     order by line.line_id for update of line`,
    ids,
    ids,
    lineIds.length,
  );
}

/** Subtracts messages that were removed behind the head of an unleased line. */
export async function subtractFromLine(tx: Transaction, lineId: number, count: number): Promise<void> {
  await tx.run(
    `update queue_lines set pending = pending - ?,
       available_at = case when pending > ? then available_at else null end where line_id = ?`,
    count,
    count,
    lineId,
  );
}

/** When the next head is due; null if no messages wait. */
export async function readNextDue(reader: Pick<Reader, 'all'>): Promise<number | null> {
  const rows = await reader.all<{ next: number | null }>(
    'select min(available_at) as next from queue_lines where available_at is not null',
  );
  return rows[0]?.next ?? null;
}

/** The count, the due time and the lease of a line. */
export interface LineRow extends LeaseColumns {
  pending: number;
  receive_count: number;
}

const LINE = 'select pending, available_at, lease_token, receive_count from queue_lines where line_id = ?';

/** Reads a line; null if it does not exist. */
export async function readLine(reader: Pick<Reader, 'all'>, lineId: number): Promise<LineRow | null> {
  const [row] = await reader.all<LineRow>(LINE, lineId);
  return row ?? null;
}

/** Reads a line, and locks it until the transaction ends. */
export async function readLockedLine(tx: Transaction, lineId: number): Promise<LineRow | null> {
  const [row] = await tx.all<LineRow>(tx.dialect === 'postgres' ? `${LINE} for update` : LINE, lineId);
  return row ?? null;
}

/** Makes the head of a line due now. The head must not be in flight. */
export async function makeDue(tx: Transaction, lineId: number, now: number): Promise<void> {
  await tx.run(
    'update queue_lines set available_at = ?, lease_token = null where line_id = ? and pending > 0',
    now,
    lineId,
  );
}

/** Removes a head that is not in flight from its line. The next message is due now, or on hold if the head was. */
export async function advanceUnleasedLine(tx: Transaction, lineId: number, now: number): Promise<void> {
  await tx.run(
    `update queue_lines set receive_count = 0, lease_token = null, pending = pending - 1,
       available_at = case when pending <= 1 then null when available_at = ? then available_at else ? end
     where line_id = ? and pending > 0`,
    HELD_UNTIL,
    now,
    lineId,
  );
}

/** Deletes empty lines, and their settled messages that are still in the table. */
export async function deleteEmptyLines(tx: Transaction, lineIds: readonly number[]): Promise<void> {
  const ids = toIdList(lineIds);
  await tx.run(
    `delete from queue_messages where line_id in
       (select line.line_id from queue_lines as line where line.pending = 0 and line.line_id in
         ${idList(tx.dialect)})`,
    ids,
  );
  await tx.run(
    `delete from queue_lines where pending = 0 and line_id in
       ${idList(tx.dialect)}`,
    ids,
  );
}

/** A line whose count is not the number of its messages. */
export interface Miscount {
  lineId: number;
  /** The count in the row of the line. */
  pending: number;
}

/**
 * Lines whose count is wrong. One statement reads one state of the data, in which only a fault can make a count wrong.
 * At most {@link MAX_CHECKED_MESSAGES} are counted, those of the shortest lines. A count that is too low is among them
 * when it reaches zero. A count that is too high is found when the line is empty.
 */
export async function readMiscounts(reader: Pick<Reader, 'all'>): Promise<Miscount[]> {
  const stored = `(select count(*) from
      (select message.id from queue_messages as message
       where message.line_id = line.line_id and ${waitingSql('message', 'line')}
       limit ${MAX_CHECKED_MESSAGES + 1}) as counted)`;
  const rows = await reader.all<{ line_id: number; pending: number }>(
    `select line.line_id, line.pending from
       (select queue_lines.line_id, queue_lines.pending, queue_lines.done_to,
          sum(queue_lines.pending) over (order by queue_lines.pending, queue_lines.line_id) as messages_so_far
        from queue_lines) as line
     where case when line.messages_so_far <= ${MAX_CHECKED_MESSAGES} then line.pending <> ${stored} else false end`,
  );
  return rows.map((row) => ({ lineId: row.line_id, pending: row.pending }));
}

/** Corrects the count of a line, and returns it. The head is due now, unless the line already has another time. */
export async function recountLine(tx: Transaction, lineId: number, now: number): Promise<number> {
  await lockLines(tx, [lineId]);
  const stored = `(select count(*) from queue_messages as message
    where message.line_id = queue_lines.line_id and ${waitingSql('message', 'queue_lines')})`;
  await tx.run(
    `insert into queue_lines (line_id, pending, available_at, receive_count) values (?, 0, null, 0)
     on conflict (line_id) do nothing`,
    lineId,
  );
  const [counted] = await tx.all<{ pending: number }>(
    `update queue_lines set pending = ${stored},
       available_at = case when ${stored} > 0 then coalesce(queue_lines.available_at, ?) else null end,
       lease_token = case when ${stored} > 0 then queue_lines.lease_token else null end,
       receive_count = case when ${stored} > 0 then queue_lines.receive_count else 0 end
     where line_id = ? returning pending`,
    now,
    lineId,
  );
  return counted!.pending;
}

/** Those of the lines that exist. */
export async function readExistingLines(tx: Transaction, lineIds: readonly number[]): Promise<Set<number>> {
  const rows = await tx.all<{ line_id: number }>(
    `select line.line_id from queue_lines as line where line.line_id in
       ${idList(tx.dialect)}`,
    toIdList(lineIds),
  );
  return new Set(rows.map((row) => row.line_id));
}

/** Totals over all lines. */
export interface TotalsRow {
  waiting: number;
  in_flight: number;
  dead_letters: number;
  lines_blocked: number;
  waiting_since: number | null;
}

/** Reads the totals over all lines at `now`, in epoch milliseconds. */
export async function readTotals(reader: Pick<Reader, 'all'>, now: number): Promise<TotalsRow> {
  const rows = await reader.all<TotalsRow>(
    `select coalesce(sum(line.pending), 0) as waiting,
       coalesce(sum(case when ${inFlightSql('line')} then 1 else 0 end), 0) as in_flight,
       coalesce(sum(case when ${blockedSql('line')} then 1 else 0 end), 0) as lines_blocked,
       (select count(*) from queue_dead_letters) as dead_letters,
       (select coalesce(first.queued_at, first.enqueued_at) from queue_messages as first
        where ${waitingInLineSql('first', 'first.line_id')} order by first.id limit 1) as waiting_since
     from queue_lines as line where line.pending > 0`,
    now,
    now,
  );
  return rows[0]!;
}
