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

/** The message that a webhook failed to deliver last: one that is retried, or else its newest dead letter. */
export async function readLastFailed(
  { query, dialect }: Pick<Reader, 'query' | 'dialect'>,
  webhookId: number,
): Promise<FailedDelivery | undefined> {
  const last = (part: Omit<IndexPart, 'bounds'>, condition: RawBuilder<SqlBool>) =>
    query
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
      .where(inIndexPart(dialect, { ...part, bounds: [] }))
      .where(condition)
      .orderBy(indexPartOrder(dialect, part, 'desc'))
      .limit(1)
      .executeTakeFirst();
  const ofWebhook = { 'deliveries.webhook_id': webhookId };
  // Constants, because the indexes are partial: an engine cannot use them for a parameter.
  return (
    (await last(
      { equal: { ...ofWebhook, 'deliveries.status': 'RETRYING' }, by: ['deliveries.id'] },
      sql`deliveries.status <> 'DELIVERED'`,
    )) ??
    (await last(
      { equal: ofWebhook, by: ['deliveries.updated_at', 'deliveries.id'] },
      sql`deliveries.status = 'DEAD_LETTERED' and deliveries.attempted_at is not null`,
    ))
  );
}
