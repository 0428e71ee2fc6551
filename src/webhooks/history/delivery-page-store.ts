import { sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import { type IndexBound, type IndexPart, indexPartOrder, inIndexPart } from '../../database/index-part.ts';
import type { Page, PageRequest } from '../../database/page.ts';
import { toPage } from '../../database/page.ts';
import { deliveriesByStatus, readLastByStatus } from './by-status.ts';
import { type DeliveryFilter, examinesRows, MAX_EXAMINED, matches } from './delivery-filter.ts';
import type { DeliveryStatus } from './delivery-status.ts';
import type { StoredDelivery } from './delivery-store.ts';
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
  const { webhookId, filter, page } = request;
  const { statuses, messageId } = filter;
  if (messageId === undefined && omitsDelivered(statuses)) {
    const bounds = [...before(page), ...atOrAbove(floorId)];
    const limit = page.limit + 1;
    return await deliveriesByStatus(reader, { webhookId, statuses, bounds, filter, direction: 'desc', limit })
      .selectAll('deliveries')
      .execute();
  }
  const query = deliveriesOf(reader, request, floorId);
  if (messageId !== undefined || reader.dialect === 'postgres') return await query.execute();

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

function omitsDelivered(statuses: readonly DeliveryStatus[] | undefined): statuses is DeliveryStatus[] {
  return statuses !== undefined && !statuses.includes('DELIVERED');
}

function before({ after }: PageRequest): IndexBound[] {
  return after === null ? [] : [['<', after]];
}

function atOrAbove(floorId: number): IndexBound[] {
  return floorId === 0 ? [] : [['>=', floorId]];
}

/** A webhook's deliveries within the limits, in the order of the history. */
function historyPart(webhookId: number, bounds: readonly IndexBound[]): IndexPart {
  return { equal: { 'deliveries.webhook_id': webhookId }, by: ['deliveries.id'], bounds };
}

function deliveriesOf(
  { query, dialect }: HistoryReader,
  { webhookId, filter, page }: DeliveriesRequest,
  floorId: number,
) {
  const part = historyPart(webhookId, [...before(page), ...atOrAbove(floorId)]);
  const found = query
    .selectFrom('deliveries')
    .selectAll()
    .where(inIndexPart(dialect, part))
    .where((eb) => matches(eb, filter, dialect))
    .orderBy(indexPartOrder(dialect, part, 'desc'))
    .limit(page.limit + 1);
  return filter.statuses === undefined ? found : found.where('deliveries.status', 'in', filter.statuses);
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
  request: DeliveriesRequest,
): Promise<{ id: number; updatedAt: number } | null> {
  const { webhookId, filter, page } = request;
  const { statuses } = filter;
  const bounds = before(page);
  const found = omitsDelivered(statuses)
    ? await readLastByStatus(reader, { webhookId, statuses, bounds, direction: 'desc', limit: MAX_EXAMINED })
    : await readLastExamined(reader, request);
  return found === undefined ? null : await readMoment(reader, found);
}

async function readLastExamined(
  { query, dialect }: HistoryReader,
  { webhookId, page }: DeliveriesRequest,
): Promise<number | undefined> {
  // Unlisted deliveries are few, and examined in addition.
  const [table, id] = dialect === 'sqlite' ? ['listed_deliveries', 'delivery_id'] : ['deliveries', 'id'];
  const part = { equal: { webhook_id: webhookId }, by: [id!], bounds: before(page) };
  const { rows } = await sql<{ id: number }>`select ${sql.ref(id!)} as id from ${sql.table(table!)}
    where ${inIndexPart(dialect, part)} order by ${indexPartOrder(dialect, part, 'desc')}
    limit 1 offset ${sql.lit(MAX_EXAMINED - 1)}`.execute(query);
  return rows[0]?.id;
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
