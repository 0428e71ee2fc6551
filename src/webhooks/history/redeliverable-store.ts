import { sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import { bytesSql, fitting } from '../../database/step-bytes.ts';
import type { DeliveryStatus } from './delivery-history.ts';
import { NOT_DELIVERED, NOT_DISCARDED_MANUALLY, type StoredDelivery } from './delivery-store.ts';

/** SQL for the deliveries that one step sends again or removes. */

/** The length of what a step reads of a delivery, in bytes. */
export const DELIVERY_BYTES = sql<number>`${sql.raw(bytesSql('deliveries', 'body', 'response_body', 'headers'))}`;

/** What one step sends again, and where the next one goes on; null at the end. */
export interface RedeliverableStep {
  deliveries: StoredDelivery[];
  next: number | null;
}

/** Which deliveries of a webhook are read. */
export interface RedeliverableRequest extends PageRequest {
  webhookId: number;
  statuses: readonly DeliveryStatus[];
  /** Whether messages that someone discarded are included. */
  withManual: boolean;
}

/** A webhook's deliveries with these statuses, in the order of the history, as many as one step can read. */
export async function readRedeliverable(
  tx: Pick<Reader, 'query'>,
  request: RedeliverableRequest,
): Promise<RedeliverableStep> {
  const { statuses, limit } = request;
  const sizes: { id: number; bytes: number }[] = [];
  // One status after another: the index returns each in order, but the engines would have to sort both together.
  for (const status of statuses)
    sizes.push(
      ...(await ofStatus(tx, request, status)
        .select(['deliveries.id', DELIVERY_BYTES.as('bytes')])
        .execute()),
    );
  const examined = sizes.sort((a, b) => a.id - b.id).slice(0, limit);
  const read = fitting(examined);
  const last = read.at(-1)?.id;
  if (last === undefined) return { deliveries: [], next: null };
  const found: StoredDelivery[] = [];
  for (const status of statuses)
    found.push(
      ...(await ofStatus(tx, request, status).selectAll().where('deliveries.id', '<=', last).execute()),
    );
  return {
    deliveries: found.sort((a, b) => a.id - b.id),
    next: read.length === limit || read.length < examined.length ? last : null,
  };
}

function ofStatus(
  { query }: Pick<Reader, 'query'>,
  { webhookId, withManual, limit, after }: RedeliverableRequest,
  status: DeliveryStatus,
) {
  return query
    .selectFrom('deliveries')
    .where('deliveries.webhook_id', '=', webhookId)
    .where('deliveries.status', '=', status)
    .where(NOT_DELIVERED)
    .where('deliveries.id', '>', after ?? 0)
    .$if(!withManual, (some) => some.where(NOT_DISCARDED_MANUALLY))
    .orderBy('deliveries.id')
    .limit(limit);
}
