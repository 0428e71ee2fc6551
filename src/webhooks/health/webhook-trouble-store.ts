import { type Selectable, sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import { type IndexPart, indexPartOrder, inIndexPart } from '../../database/index-part.ts';
import type { WebhookRow } from '../../database/schema.ts';
import { blockedSql, headWaitsSinceSql } from '../../queue/line-facts.ts';
import { ACTIVE_SQL } from '../configuration/webhook-state.ts';

/**
 * SQL for the problems of webhooks, one operation per function. Each reads some webhooks, in ascending order of id. An
 * inactive webhook has no messages, and a paused one waits on purpose, so neither is in trouble.
 */

/** A webhook, and since when it has been in trouble (epoch milliseconds); null if it is not. */
export interface TroubledWebhookRow {
  id: number;
  name: string;
  target_url: string;
  last_error_message: string | null;
  in_error: number;
  failures_in_row: number;
  /** Messages in its line. */
  waiting: number | null;
  since: number | null;
}

/** Which webhooks to read: the first ones above an id. */
export interface WebhookRange {
  afterId: number;
  limit: number;
}

const FACTS = `webhooks.id, webhooks.name, webhooks.target_url, statistics.last_error_message, statistics.in_error,
  statistics.failures_in_row, line.pending as waiting`;
const WEBHOOKS = `webhooks join webhook_statistics as statistics on statistics.webhook_id = webhooks.id
  left join queue_lines as line on line.line_id = webhooks.id`;
/** The message that failed last waits for its next attempt: only an edit can have ended the error state. */
const IS_UNTRIED = `statistics.in_error = 0 and line.pending > 0 and ${blockedSql('line')}
  and (statistics.last_success_at is null or statistics.last_success_at <= statistics.last_error_at)`;

/**
 * Webhooks that are in error, and those that were edited since and have not been tried again. If the clock was set back,
 * their time can be in the future.
 */
export async function readFailing(
  reader: Pick<Reader, 'all'>,
  now: number,
  { afterId, limit }: WebhookRange,
): Promise<TroubledWebhookRow[]> {
  return await reader.all<TroubledWebhookRow>(
    `select ${FACTS}, coalesce(statistics.failing_since, statistics.last_error_at, 0) as since
     from ${WEBHOOKS}
     where ${ACTIVE_SQL} and webhooks.id > ? and (statistics.in_error = 1 or ${IS_UNTRIED})
     order by webhooks.id limit ?`,
    afterId,
    now,
    limit,
  );
}

/** Webhooks with messages, each with the time since when the first one waits. */
export async function readFirstWaiting(
  reader: Pick<Reader, 'dialect' | 'all'>,
  { afterId, limit }: WebhookRange,
): Promise<TroubledWebhookRow[]> {
  return await reader.all<TroubledWebhookRow>(
    `select ${FACTS}, ${headWaitsSinceSql(reader.dialect, 'line')} as since
     from ${WEBHOOKS}
     where ${ACTIVE_SQL} and webhooks.id > ? and line.pending > 0
     order by webhooks.id limit ?`,
    afterId,
    limit,
  );
}

/**
 * Webhooks, each with the time of its first dead letter since a given time, if it has one. Dead letters that a person
 * skipped or that were redelivered do not count.
 */
export async function readFirstDeadLetters(
  { query, dialect }: Pick<Reader, 'query' | 'dialect'>,
  since: number,
  { afterId, limit }: WebhookRange,
): Promise<TroubledWebhookRow[]> {
  const part: IndexPart = {
    equal: { 'dead.webhook_id': sql.ref('webhooks.id') },
    by: ['dead.updated_at', 'dead.id'],
    bounds: [['>=', since]],
  };
  // The status is a constant, because the index is partial: an engine cannot use it for a parameter.
  const { rows } = await sql<TroubledWebhookRow>`
    select ${sql.raw(FACTS)},
      (select dead.updated_at from deliveries as dead
       where ${inIndexPart(dialect, part)} and dead.status = 'DEAD_LETTERED' and dead.status_reason = 'ATTEMPTS_EXHAUSTED'
       order by ${indexPartOrder(dialect, part)} limit 1) as since
    from ${sql.raw(WEBHOOKS)}
    where ${sql.raw(ACTIVE_SQL)} and webhooks.id > ${afterId}
    order by webhooks.id limit ${limit}`.execute(query);
  return rows;
}

/** The states of webhooks, in ascending order of id. Deleted ones are omitted. */
export async function readWebhookStates(
  reader: Pick<Reader, 'query'>,
  ids: readonly number[],
): Promise<Pick<Selectable<WebhookRow>, 'id' | 'name' | 'enabled' | 'paused_at'>[]> {
  if (ids.length === 0) return [];
  return await reader.query
    .selectFrom('webhooks')
    .select(['webhooks.id', 'webhooks.name', 'webhooks.enabled', 'webhooks.paused_at'])
    .where('webhooks.id', 'in', [...ids])
    .where('webhooks.deleted_at', 'is', null)
    .orderBy('webhooks.id')
    .execute();
}
