import { sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import type { IndexBound } from '../../database/index-part.ts';
import type { PageRequest } from '../../database/page.ts';
import { bytesSql, fitting } from '../../database/step-bytes.ts';
import { deliveriesByStatus, readLastByStatus } from './by-status.ts';
import { type DeliveryFilter, MAX_EXAMINED } from './delivery-filter.ts';
import type { DeliveryStatus, FinalStatus } from './delivery-status.ts';
import type { StoredDelivery } from './delivery-store.ts';

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
  tx: Pick<Reader, 'query' | 'dialect'>,
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
      ...(await ofStatus(tx, request, status)
        .selectAll('deliveries')
        .where('deliveries.id', '<=', last)
        .execute()),
    );
  return {
    deliveries: found.sort((a, b) => a.id - b.id),
    next: read.length === limit || read.length < examined.length ? last : null,
  };
}

function ofStatus(
  reader: Pick<Reader, 'query' | 'dialect'>,
  { webhookId, withManual, limit, after }: RedeliverableRequest,
  status: DeliveryStatus,
) {
  const filter = withManual ? {} : { withoutManualDiscards: true };
  return deliveriesByStatus(reader, {
    webhookId,
    statuses: [status],
    bounds: after === null ? [] : [['>', after]],
    filter,
    direction: 'asc',
    limit,
  });
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
  const { statuses } = filter;
  const from: IndexBound[] = page.after === null ? [] : [['>', page.after]];
  const all = { webhookId, statuses, bounds: from, direction: 'asc', limit: MAX_EXAMINED } as const;
  const last = await readLastByStatus(tx, all);
  const matching = (through: number) => {
    const bounds: IndexBound[] = [...from, ['<=', through]];
    return deliveriesByStatus(tx, { ...all, bounds, filter, limit: page.limit });
  };
  const sizes = await matching(last ?? Number.MAX_SAFE_INTEGER)
    .select(['deliveries.id', DELIVERY_BYTES.as('bytes')])
    .execute();
  const read = fitting(sizes);
  const lastRead = read.at(-1)?.id ?? 0;
  const deliveries = await matching(lastRead).selectAll('deliveries').execute();
  const isCut = read.length === page.limit || read.length < sizes.length;
  return { deliveries, next: isCut ? lastRead : (last ?? null) };
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
