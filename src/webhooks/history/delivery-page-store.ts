import type { Reader } from '../../database/database.ts';
import type { Page, PageRequest } from '../../database/page.ts';
import { toPage } from '../../database/page.ts';
import { type DeliveryFilter, examinesRows, MAX_EXAMINED, matches } from './delivery-filter.ts';
import type { DeliveryStatus } from './delivery-status.ts';
import { NOT_DELIVERED, type StoredDelivery } from './delivery-store.ts';
import { readListedTo } from './history-index-store.ts';

/** SQL for the pages of a webhook's delivery history. */

type HistoryReader = Pick<Reader, 'dialect' | 'query' | 'all'>;

interface DeliveriesRequest {
  webhookId: number;
  filter: DeliveryFilter;
  page: PageRequest;
}

/**
 * A webhook's deliveries, latest first. A filter may match few of many deliveries, so a page examines at most {@link
 * MAX_EXAMINED}. It may have fewer items than its limit, even none, and still not be the last page.
 */
export async function readDeliveryPage(
  reader: HistoryReader,
  request: DeliveriesRequest,
): Promise<Page<StoredDelivery>> {
  const { filter, page } = request;
  const floor = examinesRows(filter) ? await readFloor(reader, request) : null;
  const rows = await readMatching(reader, request, floor?.id ?? 0);
  if (rows.length > page.limit || floor === null) return toPage(rows, page.limit);
  // Earlier deliveries were recorded before this one, and an event occurs before its delivery is recorded.
  const isTooEarly = filter.from !== undefined && floor.updatedAt < filter.from;
  return { items: rows, next: isTooEarly ? null : floor.id };
}

async function readMatching(
  reader: HistoryReader,
  request: DeliveriesRequest,
  floorId: number,
): Promise<StoredDelivery[]> {
  const { statuses, messageId } = request.filter;
  const { page } = request;
  const query = deliveriesOf(reader, request, floorId);
  if (messageId !== undefined || reader.dialect === 'postgres') return await query.execute();
  if (omitsDelivered(statuses)) return await query.where(NOT_DELIVERED).execute();

  // A delivery that is listed meanwhile appears once: both parts use the same boundary.
  const listedTo = await readListedTo(reader);
  const unlisted = await query.where('deliveries.id', '>', listedTo).execute();
  if (unlisted.length > page.limit) return unlisted;
  const listed = await readListedDeliveries(reader, request, {
    floorId,
    listedTo,
    limit: page.limit + 1 - unlisted.length,
  });
  return [...unlisted, ...listed];
}

function omitsDelivered(statuses: readonly DeliveryStatus[] | undefined): boolean {
  return statuses !== undefined && !statuses.includes('DELIVERED');
}

function deliveriesOf(
  { query, dialect }: HistoryReader,
  { webhookId, filter, page }: DeliveriesRequest,
  floorId: number,
) {
  let found = query
    .selectFrom('deliveries')
    .selectAll()
    .where('deliveries.webhook_id', '=', webhookId)
    .where((eb) => matches(eb, filter, dialect))
    .orderBy('deliveries.id', 'desc')
    .limit(page.limit + 1);
  if (floorId > 0) found = found.where('deliveries.id', '>=', floorId);
  if (page.after !== null) found = found.where('deliveries.id', '<', page.after);
  if (filter.statuses === undefined) return found;
  found = found.where('deliveries.status', 'in', filter.statuses);
  return dialect === 'postgres' && omitsDelivered(filter.statuses) ? found.where(NOT_DELIVERED) : found;
}

/** The listed deliveries, from the end of the list or the start of the page. */
async function readListedDeliveries(
  { query, dialect }: HistoryReader,
  { webhookId, filter, page }: DeliveriesRequest,
  { floorId, listedTo, limit }: { floorId: number; listedTo: number; limit: number },
): Promise<StoredDelivery[]> {
  const before = Math.min(listedTo + 1, page.after ?? Number.POSITIVE_INFINITY);
  const found = query
    .selectFrom('listed_deliveries as listed')
    // The cross join keeps the engine from walking all deliveries instead.
    .crossJoin('deliveries')
    .selectAll('deliveries')
    .whereRef('deliveries.id', '=', 'listed.delivery_id')
    .where('listed.webhook_id', '=', webhookId)
    .where('listed.delivery_id', '<', before)
    .where((eb) => matches(eb as never, filter, dialect))
    .orderBy('listed.delivery_id', 'desc')
    .limit(limit);
  const { statuses } = filter;
  const above = floorId === 0 ? found : found.where('listed.delivery_id', '>=', floorId);
  return await (statuses === undefined ? above : above.where('deliveries.status', 'in', statuses)).execute();
}

/** The last delivery that a page examines; null if it reaches the end of the history. */
async function readFloor(
  reader: HistoryReader,
  { webhookId, filter: { statuses }, page }: DeliveriesRequest,
): Promise<{ id: number; updatedAt: number } | null> {
  const after = page.after ?? Number.MAX_SAFE_INTEGER;
  if (omitsDelivered(statuses)) {
    const found = await reader.query
      .selectFrom('deliveries')
      .select('deliveries.id')
      .where('deliveries.webhook_id', '=', webhookId)
      .where('deliveries.status', 'in', statuses!)
      .where(NOT_DELIVERED)
      .where('deliveries.id', '<', after)
      .orderBy('deliveries.id', 'desc')
      .offset(MAX_EXAMINED - 1)
      .limit(1)
      .executeTakeFirst();
    return found === undefined ? null : await readMoment(reader, found.id);
  }
  // Unlisted deliveries are few, and examined in addition.
  const list =
    reader.dialect === 'sqlite'
      ? 'select delivery_id as id from listed_deliveries where webhook_id = ? and delivery_id < ? order by delivery_id'
      : 'select id from deliveries where webhook_id = ? and id < ? order by id';
  const [found] = await reader.all<{ id: number }>(
    `${list} desc limit 1 offset ${MAX_EXAMINED - 1}`,
    webhookId,
    after,
  );
  return found === undefined ? null : await readMoment(reader, found.id);
}

async function readMoment(
  { query }: HistoryReader,
  id: number,
): Promise<{ id: number; updatedAt: number } | null> {
  const row = await query
    .selectFrom('deliveries')
    .select('deliveries.updated_at')
    .where('deliveries.id', '=', id)
    .executeTakeFirst();
  return { id, updatedAt: row?.updated_at ?? Number.POSITIVE_INFINITY };
}
