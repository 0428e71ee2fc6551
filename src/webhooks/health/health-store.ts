import { type SqlBool, sql } from 'kysely';
import type { Reader } from '../../database/database.ts';

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

/** The message that a webhook failed to deliver last: one that is retried, or else its newest dead letter. */
export async function readLastFailed(
  { query }: Pick<Reader, 'query'>,
  webhookId: number,
): Promise<FailedDelivery | undefined> {
  const failed = query
    .selectFrom('deliveries')
    .select([
      'deliveries.id',
      'deliveries.message_id',
      'deliveries.subtopic',
      'deliveries.status',
      'deliveries.attempts',
      'deliveries.response_status',
      'deliveries.response_body',
      'deliveries.error',
    ])
    .where('deliveries.webhook_id', '=', webhookId)
    .limit(1);
  // Constants, because the indexes are partial: an engine cannot use them for a parameter.
  const retried = await failed
    .where(sql<SqlBool>`deliveries.status = 'RETRYING' and deliveries.status <> 'DELIVERED'`)
    .orderBy('deliveries.id', 'desc')
    .executeTakeFirst();
  return (
    retried ??
    (await failed
      .where(sql<SqlBool>`deliveries.status = 'DEAD_LETTERED' and deliveries.attempted_at is not null`)
      .orderBy('deliveries.updated_at', 'desc')
      .orderBy('deliveries.id', 'desc')
      .executeTakeFirst())
  );
}
