import { sql } from 'kysely';
import type { Reader, Transaction } from '../../database/database.ts';
import type { IndexBound } from '../../database/index-part.ts';
import type { PageRequest } from '../../database/page.ts';
import { idList, toIdList } from '../../database/recordset.ts';
import { bytesSql, fitting } from '../../database/step-bytes.ts';
import { countByStatus, deliveriesByStatus, readLastToExamine } from './by-status.ts';
import { type DeliveryFilter, examinesRows, MAX_EXAMINED } from './delivery-filter.ts';
import { type DeliveryStatus, type FinalStatus, MAX_REMAINING_COUNTED } from './delivery-status.ts';
import type { StoredDelivery } from './delivery-store.ts';

/** SQL for the deliveries that one step redelivers or removes. */

/** The length of what a step reads of a delivery, in bytes. */
const DELIVERY_BYTES = sql<number>`${sql.raw(bytesSql('deliveries', 'body', 'response_body', 'headers'))}`;

/** What one step redelivers or removes, and where the next step continues; null at the end. */
export interface RedeliverableStep {
  deliveries: StoredDelivery[];
  next: number | null;
}

/** Which deliveries of a webhook a step redelivers or removes. */
export interface RedeliverableFilter extends DeliveryFilter {
  statuses: readonly ('DEAD_LETTERED' | 'DISCARDED')[];
}

/**
 * A webhook's deliveries that match a filter, in the order of the history, as many as one step can read. At most {@link
 * MAX_EXAMINED} deliveries after a given one are examined, or as many as the limit if only their status is.
 */
export async function readRedeliverable(
  tx: Pick<Reader, 'dialect' | 'query'>,
  { webhookId, filter, page }: { webhookId: number; filter: RedeliverableFilter; page: PageRequest },
): Promise<RedeliverableStep> {
  const { withoutManualDiscards: _, ...ofMessages } = filter;
  const examined = examinesRows(ofMessages) ? MAX_EXAMINED : Math.max(page.limit, MAX_EXAMINED);
  const { statuses } = filter;
  const from: IndexBound[] = page.after === null ? [] : [['>', page.after]];
  const all = { webhookId, statuses, bounds: from, direction: 'asc', limit: examined } as const;
  const last = await readLastToExamine(tx, all, filter);
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

/** What further steps may examine. */
export interface RestOfSteps {
  /** How many deliveries, counted up to a bound. */
  remaining: number;
  /** Where the next step continues; null at the end. */
  next: number | null;
}

/** What a step that ended at `next` leaves of the deliveries of a webhook with certain statuses. */
export async function readRest(
  tx: Pick<Reader, 'dialect' | 'query'>,
  webhookId: number,
  { next, statuses }: { next: number | null; statuses: readonly DeliveryStatus[] },
): Promise<RestOfSteps> {
  if (next === null) return { remaining: 0, next };
  const bounds: IndexBound[] = [['>', next]];
  const remaining = await countByStatus(tx, { webhookId, statuses, bounds, limit: MAX_REMAINING_COUNTED });
  return { remaining, next: remaining === 0 ? null : next };
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

/**
 * Keeps the cleaning of the history from removing deliveries until the transaction ends. On SQLite, transactions run one
 * after another.
 * @returns those that it has not removed since they were read, in the given order
 */
export async function lockDeliveries<D extends Pick<StoredDelivery, 'id'>>(
  tx: Transaction,
  deliveries: readonly D[],
): Promise<readonly D[]> {
  if (tx.dialect === 'sqlite' || deliveries.length === 0) return deliveries;
  const rows = await tx.all<{ id: number }>(
    `select id from deliveries where id in ${idList(tx.dialect)} order by id for update`,
    toIdList(deliveries.map(({ id }) => id)),
  );
  const kept = new Set(rows.map(({ id }) => id));
  return deliveries.filter(({ id }) => kept.has(id));
}
