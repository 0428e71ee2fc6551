import type { Reader, SqlRow, Transaction } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import type { QueuedMessage } from '../message-queue.ts';

/** SQL of the Amazon SQS engine beside that of the lines themselves; one operation a function, whole batches at once. */

const LINE_COLUMNS = [
  'line_id',
  'forwarded_to',
  'settled_to',
  'generation',
  'forward_at',
  'receives',
] as const;

interface MessageRow {
  id: number;
  line_id: number;
  message_id: string;
  label: string;
  body: string;
  enqueued_at: number;
}

/** Tells the forwarder to look at lines. */
export async function markForwardable(
  tx: Transaction,
  lineIds: Iterable<number>,
  now: number,
): Promise<void> {
  const ids = [...new Set(lineIds)].sort((a, b) => a - b);
  await tx.insertMany(
    'sqs_lines',
    LINE_COLUMNS,
    ids.map((id): SqlRow => [id, 0, 0, 0, now, 0]),
    'on conflict (line_id) do update set forward_at = coalesce(sqs_lines.forward_at, excluded.forward_at)',
  );
}

/**
 * Tells the forwarder to look at every line in which messages wait: they may have been queued while the database
 * carried them itself. Answers how many lines Amazon SQS had never carried a message of.
 */
export async function takeOverLines(tx: Transaction, now: number): Promise<number> {
  const added = await tx.run(
    `insert into sqs_lines (line_id, forwarded_to, settled_to, generation, forward_at, receives)
     select line.line_id, 0, 0, 0, ?, 0 from queue_lines as line where line.pending > 0
     on conflict (line_id) do nothing`,
    now,
  );
  await tx.run(
    `update sqs_lines set forward_at = ? where forward_at is null and line_id in
       (select line.line_id from queue_lines as line where line.pending > 0)`,
    now,
  );
  return added;
}

/** A line's next message to send. */
export interface Claim {
  message: QueuedMessage;
  generation: number;
  token: string;
}

/**
 * Takes up to `limit` lines whose turn it is, for one forwarder alone until `until`, and answers the next message of
 * each. Lines without one, or with `share` messages on the queue already, are put aside until something changes.
 */
export async function claimForwarding(
  tx: Transaction,
  {
    now,
    until,
    token,
    limit,
    share,
  }: { now: number; until: number; token: string; limit: number; share: number | null },
): Promise<{ claims: Claim[]; looked: number }> {
  const due = await tx.all<{ line_id: number; forwarded_to: number; generation: number }>(
    `select due.line_id, due.forwarded_to, due.generation from sqs_lines as due
     where due.forward_at <= ? order by due.forward_at limit ? ${skipLocked(tx)}`,
    now,
    limit,
  );
  if (due.length === 0) return { claims: [], looked: 0 };
  const line = recordset(tx.dialect, 'line', { id: 'bigint', forwarded_to: 'bigint' });
  const lines = JSON.stringify(due.map((row) => ({ id: row.line_id, forwarded_to: row.forwarded_to })));
  const rows = await tx.all<MessageRow>(
    `select next.id, next.line_id, next.message_id, next.label, next.body, next.enqueued_at
     from ${line} cross join queue_messages as next where next.id =
       (select first.id from queue_messages as first
        where first.line_id = line.id and first.id > line.forwarded_to order by first.id limit 1)`,
    lines,
  );
  const isFull = new Set<number>();
  if (share !== null && rows.length > 0) {
    const counts = await tx.all<{ id: number; sent: number }>(
      `select line.id, (select count(*) from (select 1 from queue_messages as sent
         where sent.line_id = line.id and sent.id <= line.forwarded_to limit ${share}) as counted) as sent from ${line}`,
      lines,
    );
    for (const { id, sent } of counts) if (sent >= share) isFull.add(id);
  }
  const generations = new Map(due.map((row) => [row.line_id, row.generation]));
  const claims = rows
    .filter((row) => !isFull.has(row.line_id))
    .map((row) => ({ message: toPlaced(row), generation: generations.get(row.line_id) ?? 0, token }));
  const claimed = new Set(claims.map((claim) => claim.message.lineId));
  await setForwarding(
    tx,
    due.map((row) =>
      claimed.has(row.line_id)
        ? { line_id: row.line_id, forward_at: until, token }
        : { line_id: row.line_id, forward_at: null, token: null },
    ),
  );
  return { claims, looked: due.length };
}

async function setForwarding(
  tx: Transaction,
  lines: readonly { line_id: number; forward_at: number | null; token: string | null }[],
): Promise<void> {
  const set = recordset(tx.dialect, 'given', { line_id: 'bigint', forward_at: 'bigint', token: 'text' });
  await tx.run(
    `update sqs_lines set forward_at = given.forward_at, forward_token = given.token
     from ${set} where sqs_lines.line_id = given.line_id`,
    JSON.stringify(lines),
  );
}

/** How sending a claimed message went: `retryAt` null when it is on the queue. */
export interface Forwarded {
  claim: Claim;
  retryAt: number | null;
}

/**
 * Locks lines that nobody has locked, and answers which: a forwarder works on many lines of others and must never wait for
 * one while it holds another.
 */
export async function lockFreeLines(tx: Transaction, lineIds: readonly number[]): Promise<Set<number>> {
  if (tx.dialect === 'sqlite' || lineIds.length === 0) return new Set(lineIds);
  const rows = await tx.all<{ line_id: number }>(
    `select line.line_id from sqs_lines as line where line.line_id in
       (select wanted.id from ${recordset(tx.dialect, 'wanted', { id: 'bigint' })}) ${skipLocked(tx)}`,
    JSON.stringify(lineIds.map((id) => ({ id }))),
  );
  return new Set(rows.map((row) => row.line_id));
}

/**
 * Moves lines on past what is on the queue now, and has each looked at again. Answers the claims that still held: another
 * forwarder may have taken a line over from one that stalled.
 */
export async function confirmForwarding(
  tx: Transaction,
  forwarded: readonly Forwarded[],
  now: number,
): Promise<Claim[]> {
  if (forwarded.length === 0) return [];
  const rows = await tx.all<{ line_id: number }>(
    `update sqs_lines set forward_token = null, forward_at = coalesce(sent.retry_at, ?),
       forwarded_to = case when sent.retry_at is null then sent.position else sqs_lines.forwarded_to end,
       forwarded_at = case when sent.retry_at is null then ? else sqs_lines.forwarded_at end
     from ${recordset(tx.dialect, 'sent', {
       line_id: 'bigint',
       position: 'bigint',
       token: 'text',
       retry_at: 'bigint',
     })}
     where sqs_lines.line_id = sent.line_id and sqs_lines.forward_token = sent.token
     returning sqs_lines.line_id`,
    now,
    now,
    JSON.stringify(
      forwarded.map(({ claim, retryAt }) => ({
        line_id: claim.message.lineId,
        position: claim.message.position,
        token: claim.token,
        retry_at: retryAt,
      })),
    ),
  );
  const held = new Set(rows.map((row) => row.line_id));
  return forwarded.filter(({ claim }) => held.has(claim.message.lineId)).map(({ claim }) => claim);
}

/** Lets messages go that are on the queue and of which nothing is expected back. */
export async function letGo(tx: Transaction, messages: readonly QueuedMessage[], now: number): Promise<void> {
  if (messages.length === 0) return;
  const gone = recordset(tx.dialect, 'gone', { line_id: 'bigint', position: 'bigint' });
  const values = JSON.stringify(messages.map((m) => ({ line_id: m.lineId, position: m.position })));
  await tx.run(
    `update queue_lines set pending = queue_lines.pending - 1, receive_count = 0,
       available_at = case when queue_lines.pending > 1 then ? else null end
     from ${gone} where queue_lines.line_id = gone.line_id`,
    now,
    values,
  );
  await tx.run(`delete from queue_messages where id in (select gone.position from ${gone})`, values);
}

/** When the forwarder has to look at a line next; null when none waits for it. */
export async function readNextForwarding(reader: Pick<Reader, 'all'>): Promise<number | null> {
  const rows = await reader.all<{ next: number | null }>(
    `select min(next.at) as next from (
       select min(line.forward_at) as at from sqs_lines as line where line.forward_at is not null
       union all select min(dead.send_at) from sqs_dead_letters as dead where dead.send_at is not null) as next`,
  );
  return rows[0]?.next ?? null;
}

/** Notes how far lines are settled: what comes back of them up to there is a copy. Their next messages may be sent. */
export async function noteSettled(
  tx: Transaction,
  settled: readonly Pick<QueuedMessage, 'lineId' | 'position'>[],
  now: number,
): Promise<void> {
  if (settled.length === 0) return;
  const furthest = new Map<number, number>();
  for (const { lineId, position } of settled)
    furthest.set(lineId, Math.max(position, furthest.get(lineId) ?? 0));
  await tx.run(
    `update sqs_lines set receives = 0, receipt_handle = null, received_at = null,
       forward_at = coalesce(sqs_lines.forward_at, ?),
       settled_to = case when done.position > sqs_lines.settled_to then done.position else sqs_lines.settled_to end
     from ${recordset(tx.dialect, 'done', { line_id: 'bigint', position: 'bigint' })}
     where sqs_lines.line_id = done.line_id`,
    now,
    JSON.stringify([...furthest].map(([line_id, position]) => ({ line_id, position }))),
  );
}

/**
 * Has lines sent once more from their heads on, as a new generation: what was sent before has left the queue by ways
 * that nobody told of, or must not be received again. Copies that are there all the same count for nothing.
 */
export async function forwardAnew(tx: Transaction, lineIds: readonly number[], now: number): Promise<void> {
  if (lineIds.length === 0) return;
  await tx.run(
    `update sqs_lines set generation = sqs_lines.generation + 1, forward_token = null, forward_at = ?,
       receives = 0, receipt_handle = null, received_at = null,
       forwarded_to = coalesce((select min(first.id) - 1 from queue_messages as first
         where first.line_id = sqs_lines.line_id), sqs_lines.forwarded_to)
     from ${recordset(tx.dialect, 'again', { id: 'bigint' })} where sqs_lines.line_id = again.id`,
    now,
    JSON.stringify(lineIds.map((id) => ({ id }))),
  );
}

/** Forgets lines that the queue does not know any more, once no copy of theirs can be left. */
export async function deleteForgottenLines(tx: Transaction, before: number): Promise<void> {
  await tx.run(
    `delete from sqs_lines where coalesce(forwarded_at, 0) < ? and forward_at is null
       and not exists (select 1 from queue_lines as line where line.line_id = sqs_lines.line_id)`,
    before,
  );
}

export function skipLocked(tx: Transaction): string {
  return tx.dialect === 'postgres' ? 'for update skip locked' : '';
}

export function toPlaced(row: MessageRow): QueuedMessage {
  return {
    position: row.id,
    lineId: row.line_id,
    messageId: row.message_id,
    label: row.label,
    body: row.body,
    enqueuedAt: row.enqueued_at,
  };
}
