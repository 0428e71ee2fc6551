import { type Selectable, sql } from 'kysely';
import type { Reader, Transaction } from '../../database/database.ts';
import { type IndexPart, indexPartOrder, inIndexPart } from '../../database/index-part.ts';
import { idList, recordset, toIdList } from '../../database/recordset.ts';
import type { DeliveryAttemptRow, DeliveryRow } from '../../database/schema.ts';
import { firstWithin } from '../../database/step-bytes.ts';
import type { Removal } from '../../housekeeping/cleaner.ts';
import type { QueueMessage } from '../../queue/message-queue.ts';
import { deleteUnusedSharedBodies } from '../../queue/shared-bodies.ts';
import { ENABLED_SQL } from '../configuration/webhook-state.ts';
import type { StatusReason } from './delivery-status.ts';
import { hasDeadLetters } from './has-dead-letters.ts';
import { unlistDeliveries } from './history-index-store.ts';

/** SQL for the delivery history, one operation per function. */

/** A delivery to be written. */
export type NewDelivery = Omit<StoredDelivery, 'id' | 'attempts_before'>;

const DELIVERY_COLUMNS = [
  'webhook_id',
  'message_id',
  'subtopic',
  'status',
  'body',
  'shared_body_id',
  'enqueued_at',
  'updated_at',
  'attempts',
  'attempted_at',
  'duration_ms',
  'response_status',
  'response_body',
  'error',
  'status_reason',
  'resent',
  'headers',
] as const satisfies readonly (keyof NewDelivery)[];

/** The columns that are known before any attempt. */
export function untriedDelivery(message: QueueMessage) {
  return {
    webhook_id: message.lineId,
    message_id: message.messageId,
    subtopic: message.label,
    body: message.shared?.own ?? message.body,
    shared_body_id: message.shared?.id ?? null,
    enqueued_at: message.occurredAt,
    attempts: 0,
    attempted_at: null,
    duration_ms: null,
    response_status: null,
    response_body: null,
    error: null,
    resent: 0,
    headers: null,
  };
}

/** A message that leaves its line without another attempt. The history keeps its last attempt, if there was one. */
export function removedDelivery(
  message: QueueMessage,
  status: 'DEAD_LETTERED' | 'DISCARDED',
  reason: StatusReason,
  at: number,
): NewDelivery {
  return { ...untriedDelivery(message), status, status_reason: reason, updated_at: at };
}

/**
 * Writes the latest state of each message, and adds up the attempts. Of several rows of a message, the last counts:
 * PostgreSQL refuses to update a row twice, and delivery would repeat the recording forever.
 */
export async function upsertDeliveries(tx: Transaction, rows: readonly NewDelivery[]): Promise<void> {
  const last = new Map(rows.map((row) => [row.message_id, row]));
  await tx.insertMany(
    'deliveries',
    DELIVERY_COLUMNS,
    Array.from(last.values(), (row) => DELIVERY_COLUMNS.map((column) => row[column])),
    UPDATE_KNOWN,
  );
}

/** Replaces the latest attempt of a message that has a delivery already. */
const UPDATE_KNOWN = `on conflict (message_id) do update set status = excluded.status, updated_at = excluded.updated_at,
       attempts = deliveries.attempts + excluded.attempts,
       attempted_at = coalesce(excluded.attempted_at, deliveries.attempted_at),
       duration_ms = coalesce(excluded.duration_ms, deliveries.duration_ms),
       response_status = case when excluded.attempts > 0 then excluded.response_status else deliveries.response_status end,
       response_body = case when excluded.attempts > 0 then excluded.response_body else deliveries.response_body end,
       error = case when excluded.attempts > 0 then excluded.error else deliveries.error end,
       status_reason = excluded.status_reason,
       resent = case when excluded.attempts > 0 then excluded.resent else deliveries.resent end,
       headers = case when excluded.attempts > 0 then excluded.headers else deliveries.headers end`;

/**
 * SQL of PostgreSQL that writes the deliveries of messages that were just delivered.
 * @param settled names a relation with the columns of `queue_messages` and of the attempt
 */
export function insertDeliveredSql(settled: string): string {
  const stored: Partial<Record<keyof NewDelivery, string>> = {
    webhook_id: `${settled}.line_id`,
    subtopic: `${settled}.label`,
    status: `'DELIVERED'`,
    body: `${settled}.stored_body`,
    status_reason: 'null',
  };
  const values = DELIVERY_COLUMNS.map((column) => stored[column] ?? `${settled}.${column}`);
  return `insert into deliveries (${DELIVERY_COLUMNS.join(', ')}) select ${values.join(', ')} from ${settled} ${UPDATE_KNOWN}`;
}

/** Copies the latest attempts of messages to their earlier attempts, before other attempts replace them. */
export async function archiveLatestAttempts(tx: Transaction, messageIds: readonly string[]): Promise<void> {
  await tx.run(
    `insert into delivery_attempts
       (delivery_id, attempt, attempted_at, duration_ms, response_status, response_body, error, resent,
        headers)
     select deliveries.id, deliveries.attempts, deliveries.attempted_at, deliveries.duration_ms,
       deliveries.response_status, deliveries.response_body, deliveries.error, deliveries.resent,
       deliveries.headers
     from ${recordset(tx.dialect, 'tried', { id: 'text' })}
     cross join deliveries
     where deliveries.message_id = tried.id and deliveries.attempted_at is not null
     on conflict (delivery_id, attempt) do nothing`,
    toIdList(messageIds),
  );
}

/** A delivery as stored: its body may lack the part that several messages share. */
export type StoredDelivery = Selectable<DeliveryRow>;

/** A delivery of a webhook by its id; undefined if it does not exist. */
export async function readDelivery(
  reader: Pick<Reader, 'query'>,
  webhookId: number,
  deliveryId: number,
): Promise<StoredDelivery | undefined> {
  return await reader.query
    .selectFrom('deliveries')
    .selectAll()
    .where('deliveries.id', '=', deliveryId)
    .where('deliveries.webhook_id', '=', webhookId)
    .executeTakeFirst();
}

/** The delivery of a message; undefined if the history does not have it. */
export async function readDeliveryOfMessage(
  reader: Pick<Reader, 'query'>,
  messageId: string,
): Promise<StoredDelivery | undefined> {
  return await reader.query
    .selectFrom('deliveries')
    .selectAll()
    .where('deliveries.message_id', '=', messageId)
    .executeTakeFirst();
}

/** Which of the messages had a request that was sent twice in one attempt. */
export async function readResent(
  reader: Pick<Reader, 'dialect' | 'all'>,
  messageIds: readonly string[],
): Promise<string[]> {
  const rows = await reader.all<{ message_id: string }>(
    `select deliveries.message_id
     from ${recordset(reader.dialect, 'tried', { id: 'text' })}
     cross join deliveries
     where deliveries.message_id = tried.id and (deliveries.resent = 1 or exists (
       select 1 from delivery_attempts
       where delivery_attempts.delivery_id = deliveries.id and delivery_attempts.resent = 1))`,
    toIdList(messageIds),
  );
  return rows.map((row) => row.message_id);
}

/**
 * How many attempts of waiting messages have failed since their event, or since they were last redelivered or replayed.
 * Attempts whose outcome was lost are not among them.
 */
export async function readFailures(
  reader: Pick<Reader, 'dialect' | 'all'>,
  messageIds: readonly string[],
): Promise<{ message_id: string; failures: number }[]> {
  return await reader.all(
    `select deliveries.message_id, deliveries.attempts - deliveries.attempts_before as failures
     from ${recordset(reader.dialect, 'tried', { id: 'text' })}
     cross join deliveries where deliveries.message_id = tried.id and deliveries.attempted_at is not null`,
    toIdList(messageIds),
  );
}

/** The last `limit` attempts before the latest one, in order. */
export async function readEarlierAttempts(
  reader: Pick<Reader, 'query'>,
  deliveryId: number,
  limit: number,
): Promise<Selectable<DeliveryAttemptRow>[]> {
  const rows = await reader.query
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('delivery_attempts.delivery_id', '=', deliveryId)
    .orderBy('delivery_attempts.attempt', 'desc')
    .limit(limit)
    .execute();
  return rows.reverse();
}

/** Webhooks from a given id on, in order, with messages that were dead-lettered up to a given time. */
export async function readWebhooksWithDeadLetters(
  { query, dialect }: Pick<Reader, 'query' | 'dialect'>,
  { from, until, activeOnly, limit }: { from: number; until: number; activeOnly: boolean; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select webhooks.id from webhooks where webhooks.id >= ${from}
      ${activeOnly ? sql`and ${sql.raw(ENABLED_SQL)}` : sql``} and ${hasDeadLetters(dialect, [['<=', until]])}
    order by webhooks.id limit ${limit}`.execute(query);
  return rows.map((row) => row.id);
}

/** When the latest dead letter of all webhooks became one; null if there is none. */
export async function readLatestDeadLetterAt(reader: Pick<Reader, 'all'>): Promise<number | null> {
  const [row] = await reader.all<{ latest: number | null }>(
    `select max(updated_at) as latest from deliveries where status = 'DEAD_LETTERED'`,
  );
  return row?.latest ?? null;
}

/**
 * The number of dead letters of webhooks from a given id on, dead-lettered up to a given time and counted up to a limit.
 * Reads one webhook after another: in the order of their age, all dead letters of other webhooks lie between.
 */
export async function countDeadLettersFrom(
  { query, dialect }: Pick<Reader, 'query' | 'dialect'>,
  { from, until, activeOnly, bound }: { from: number; until: number; activeOnly: boolean; bound: number },
): Promise<number> {
  const part: IndexPart = {
    equal: { 'deliveries.webhook_id': sql.ref('webhooks.id') },
    by: ['deliveries.updated_at', 'deliveries.id'],
    bounds: [['<=', until]],
  };
  const isDead = sql`${inIndexPart(dialect, part)} and deliveries.status = 'DEAD_LETTERED'`;
  const dead =
    dialect === 'sqlite'
      ? sql`deliveries where ${isDead}`
      : sql`lateral (select 1 from deliveries where ${isDead}
          order by ${indexPartOrder(dialect, part)} limit ${bound}) as dead where true`;
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
    select 1 as one from webhooks cross join ${dead} and webhooks.id >= ${from}
      ${activeOnly ? sql`and ${sql.raw(ENABLED_SQL)}` : sql``} limit ${bound}) as counted`.execute(query);
  return Number(rows[0]?.count ?? 0);
}

/** Makes deliveries wait again. Their latest attempt must have been archived. */
export async function markQueued(tx: Transaction, ids: readonly number[], now: number): Promise<void> {
  await tx.run(
    `update deliveries set status = 'QUEUED', status_reason = null, updated_at = ?, attempts_before = attempts,
       attempted_at = null, duration_ms = null, response_status = null, response_body = null, error = null,
       resent = 0, headers = null
     where id in ${idList(tx.dialect)}`,
    now,
    toIdList(ids),
  );
}

/** Records that someone moved a message to the dead-letter queue. */
export async function markDeadLettered(tx: Transaction, message: QueueMessage, now: number): Promise<void> {
  await upsertDeliveries(tx, [removedDelivery(message, 'DEAD_LETTERED', 'SKIPPED', now)]);
}

/** Records that someone purged waiting messages. */
export async function markPurged(
  tx: Transaction,
  messages: readonly QueueMessage[],
  now: number,
): Promise<void> {
  await upsertDeliveries(
    tx,
    messages.map((message) => removedDelivery(message, 'DISCARDED', 'PURGED', now)),
  );
}

/** Records that someone removed dead letters. */
export async function markRemoved(tx: Transaction, ids: readonly number[], now: number): Promise<void> {
  await tx.run(
    `update deliveries set status = 'DISCARDED', status_reason = 'REMOVED', updated_at = ?
     where status = 'DEAD_LETTERED'
       and id in ${idList(tx.dialect)}`,
    now,
    toIdList(ids),
  );
}

/**
 * Maximum number of attempts that are removed at a time, with their responses: a few milliseconds of database time.
 */
const MAX_ATTEMPTS_REMOVED = 2_000;

type GoneDelivery = Pick<StoredDelivery, 'id' | 'webhook_id' | 'shared_body_id'>;

/**
 * Removes history that has not changed since a given time, at most `limit` messages, and fewer if they had many attempts.
 * Messages that wait for another attempt are kept, and so are dead letters until they leave their queue.
 */
export async function deleteHistoryBefore(tx: Transaction, before: number, limit: number): Promise<Removal> {
  return await deleteOldest(tx, `status in ('DELIVERED', 'DISCARDED')`, before, limit);
}

/** Like {@link deleteHistoryBefore}, for dead-lettered messages, which are kept longer. */
export async function deleteDeadLetteredHistoryBefore(
  tx: Transaction,
  before: number,
  limit: number,
): Promise<Removal> {
  return await deleteOldest(tx, `status = 'DEAD_LETTERED'`, before, limit);
}

async function deleteOldest(tx: Transaction, is: string, before: number, limit: number): Promise<Removal> {
  const oldest = await tx.all<{ id: number; attempts: number }>(
    `select old.id, old.attempts from deliveries as old where old.updated_at < ? and old.${is}
     order by old.updated_at limit ?`,
    before,
    limit,
  );
  const few = firstWithin(oldest, MAX_ATTEMPTS_REMOVED, ({ attempts }) => attempts);
  if (few.length === 0) return { rows: 0, mayBeMore: false };
  // A message that another transaction has redelivered in the meantime is kept.
  const gone = await tx.all<GoneDelivery>(
    `delete from deliveries where ${is} and updated_at < ? and id in
       ${idList(tx.dialect)}
     returning id, webhook_id, shared_body_id`,
    before,
    toIdList(few.map(({ id }) => id)),
  );
  await deleteWhatBelongsTo(tx, gone);
  return { rows: gone.length, mayBeMore: few.length < oldest.length || oldest.length === limit };
}

async function deleteWhatBelongsTo(tx: Transaction, deliveries: readonly GoneDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  await deleteUnusedSharedBodies(
    tx,
    deliveries.map((delivery) => delivery.shared_body_id),
  );
  if (tx.dialect === 'sqlite') await unlistDeliveries(tx, deliveries);
  await tx.run(
    `delete from delivery_attempts where delivery_id in
       ${idList(tx.dialect)}`,
    toIdList(deliveries.map(({ id }) => id)),
  );
}
