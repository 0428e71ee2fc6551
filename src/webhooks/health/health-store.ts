import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import { type IndexPart, indexPartOrder, inIndexPart } from '../../database/index-part.ts';

/** SQL for the health of webhooks, one operation per function. */

/** A message whose latest attempt failed. */
export interface FailedDelivery {
  id: number;
  message_id: string;
  subtopic: string;
  status: string;
  attempts: number;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
}

/** Like {@link FailedDelivery}, with what says whether another message has failed since. Times are in epoch milliseconds. */
export interface LastFailedDelivery extends FailedDelivery {
  /** When its latest attempt ended. */
  ended_at: number;
  /** These are of the statistics of the webhook, read at the same time. */
  last_error_at: number | null;
  failing_since: number | null;
  valid_from: number;
}

/** The message that a webhook failed to deliver last: one that is retried, or else its newest dead letter. */
export async function readLastFailed(
  { query, dialect }: Pick<Reader, 'query' | 'dialect'>,
  webhookId: number,
): Promise<LastFailedDelivery | undefined> {
  const last = (part: Omit<IndexPart, 'bounds'>, condition: RawBuilder<SqlBool>) =>
    query
      .selectFrom('deliveries')
      .select('deliveries.id')
      .where(inIndexPart(dialect, { ...part, bounds: [] }))
      .where(condition)
      .orderBy(indexPartOrder(dialect, part, 'desc'))
      .limit(1);
  const ofWebhook = { 'deliveries.webhook_id': webhookId };
  // Constants, because the indexes are partial: an engine cannot use them for a parameter.
  const retried = last(
    { equal: { ...ofWebhook, 'deliveries.status': 'RETRYING' }, by: ['deliveries.id'] },
    sql`deliveries.status <> 'DELIVERED'`,
  );
  const newestDead = last(
    { equal: ofWebhook, by: ['deliveries.updated_at', 'deliveries.id'] },
    sql`deliveries.status = 'DEAD_LETTERED' and deliveries.attempted_at is not null`,
  );
  return await query
    .selectFrom('deliveries')
    .innerJoin('webhook_statistics', 'webhook_statistics.webhook_id', 'deliveries.webhook_id')
    .select([
      'deliveries.id',
      'deliveries.message_id',
      'deliveries.subtopic',
      'deliveries.status',
      'deliveries.attempts',
      'deliveries.response_status',
      'deliveries.response_body',
      'deliveries.error',
      sql<number>`deliveries.attempted_at + deliveries.duration_ms`.as('ended_at'),
      'webhook_statistics.last_error_at',
      'webhook_statistics.failing_since',
      'webhook_statistics.valid_from',
    ])
    .where('deliveries.id', '=', (eb) => eb.fn.coalesce(retried, newestDead))
    .executeTakeFirst();
}
