import { sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import { bytesSql, fitting } from '../../database/step-bytes.ts';
import { type DeliveryFilter, MAX_EXAMINED, matches } from './delivery-filter.ts';
import type { DeliveryStatus, FinalStatus } from './delivery-status.ts';
import { NOT_DELIVERED, NOT_DISCARDED_MANUALLY, type StoredDelivery } from './delivery-store.ts';

/** SQL for the deliveries that one step redelivers or removes. */

/** The length of what a step reads of a delivery, in bytes. */
const DELIVERY_BYTES = sql<number>`${sql.raw(bytesSql('deliveries', 'body', 'response_body', 'headers'))}`;

/** What one step redelivers or removes, and where the next step continues; null at the end. */
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

/**
 * A webhook's deliveries that match a filter, in the order of the history. At most {@link MAX_EXAMINED} deliveries
 * after a given one are examined.
 */
export async function readRedeliverableMatching(
  tx: Pick<Reader, 'dialect' | 'query'>,
  {
    webhookId,
    filter,
    page,
  }: {
    webhookId: number;
    filter: DeliveryFilter & { statuses: readonly DeliveryStatus[] };
    page: PageRequest;
  },
): Promise<RedeliverableStep> {
  const candidates = tx.query
    .selectFrom('deliveries')
    .where('deliveries.webhook_id', '=', webhookId)
    .where('deliveries.status', 'in', filter.statuses)
    .where(NOT_DELIVERED)
    .where('deliveries.id', '>', page.after ?? 0)
    .orderBy('deliveries.id');
  const last = await candidates
    .select('deliveries.id')
    .offset(MAX_EXAMINED - 1)
    .limit(1)
    .executeTakeFirst();
  const matching = candidates
    .where('deliveries.id', '<=', last?.id ?? Number.MAX_SAFE_INTEGER)
    .where((eb) => matches(eb, filter, tx.dialect))
    .limit(page.limit);
  const sizes = await matching.select(['deliveries.id', DELIVERY_BYTES.as('bytes')]).execute();
  const read = fitting(sizes);
  const lastRead = read.at(-1)?.id ?? 0;
  const deliveries = await matching.selectAll().where('deliveries.id', '<=', lastRead).execute();
  const isCut = read.length === page.limit || read.length < sizes.length;
  return { deliveries, next: isCut ? lastRead : (last?.id ?? null) };
}

/** A webhook's deliveries with one of the statuses, among the given ids and in the order of the history. */
export async function readFinal(
  { query }: Pick<Reader, 'query'>,
  webhookId: number,
  ids: readonly number[],
  statuses: readonly FinalStatus[],
): Promise<StoredDelivery[]> {
  return await query
    .selectFrom('deliveries')
    .selectAll()
    .where('deliveries.id', 'in', ids)
    .where('deliveries.webhook_id', '=', webhookId)
    .where('deliveries.status', 'in', statuses)
    .orderBy('deliveries.id')
    .execute();
}
