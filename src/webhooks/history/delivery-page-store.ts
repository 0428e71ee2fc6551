import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import { type IndexBound, type IndexPart, indexPartOrder, inIndexPart } from '../../database/index-part.ts';
import type { Page, PageRequest } from '../../database/page.ts';
import { toPage } from '../../database/page.ts';
import { lastToRead, MESSAGE_BYTES } from './bodies-read.ts';
import { deliveriesByStatus, readLastToExamine } from './by-status.ts';
import {
  type DeliveryFilter,
  examinesRows,
  MAX_EXAMINED,
  matches,
  searchesBodies,
} from './delivery-filter.ts';
import type { DeliveryStatus } from './delivery-status.ts';
import type { StoredDelivery } from './delivery-store.ts';
import { readListedTo } from './history-index-store.ts';

/** SQL for the pages of a webhook's delivery history. */

type HistoryReader = Pick<Reader, 'dialect' | 'query' | 'all'>;

const LISTED_COLUMNS = [
  'deliveries.id',
  'deliveries.webhook_id',
  'deliveries.message_id',
  'deliveries.subtopic',
  'deliveries.status',
  'deliveries.status_reason',
  'deliveries.attempts',
  'deliveries.enqueued_at',
  'deliveries.updated_at',
  'deliveries.duration_ms',
  'deliveries.response_status',
  'deliveries.error',
] as const;

type NameOf<Column> = Column extends `deliveries.${infer Name}` ? Name & keyof StoredDelivery : never;

/** A delivery without its long texts, as a list needs it. */
export type DeliveryOutline = Pick<StoredDelivery, NameOf<(typeof LISTED_COLUMNS)[number]>>;

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
): Promise<Page<DeliveryOutline>> {
  const { filter, page } = request;
  const floor = examinesRows(filter) ? await readFloor(reader, request) : null;
  // Both statements may read many messages, which SQLite does without a pause.
  if (floor !== null) await nextTurn();
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
): Promise<DeliveryOutline[]> {
  const { webhookId, filter, page } = request;
  const { statuses, messageId } = filter;
  if (messageId === undefined && omitsDelivered(statuses)) {
    const bounds = [...before(page), ...atOrAbove(floorId)];
    const limit = page.limit + 1;
    return await deliveriesByStatus(reader, { webhookId, statuses, bounds, filter, direction: 'desc', limit })
      .select(LISTED_COLUMNS)
      .execute();
  }
  const query = deliveriesOf(reader, request, floorId);
  if (messageId !== undefined || reader.dialect === 'postgres') return await query.execute();

  // A delivery that is listed in the meantime appears once: both parts use the same boundary.
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
    .select(LISTED_COLUMNS)
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
): Promise<DeliveryOutline[]> {
  const before = Math.min(listedTo + 1, page.after ?? Number.POSITIVE_INFINITY);
  const found = query
    .selectFrom('listed_deliveries as listed')
    // The cross join keeps the engine from walking all deliveries instead.
    .crossJoin('deliveries')
    .select(LISTED_COLUMNS)
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
    ? await readLastToExamine(
        reader,
        { webhookId, statuses, bounds, direction: 'desc', limit: MAX_EXAMINED },
        filter,
      )
    : await readLastExamined(reader, request);
  return found === undefined ? null : await readMoment(reader, found);
}

async function readLastExamined(
  { query, dialect }: HistoryReader,
  { webhookId, filter, page }: DeliveriesRequest,
): Promise<number | undefined> {
  // Unlisted deliveries are few, and examined in addition.
  const [table, id] = dialect === 'sqlite' ? ['listed_deliveries', 'delivery_id'] : ['deliveries', 'id'];
  const part = { equal: { webhook_id: webhookId }, by: [id], bounds: before(page) };
  const newest = sql`select ${sql.ref(id)} as id from ${sql.table(table)}
    where ${inIndexPart(dialect, part)} order by ${indexPartOrder(dialect, part, 'desc')}`;
  if (!searchesBodies(filter)) {
    const { rows } = await sql<{ id: number }>`${newest} limit 1 offset ${sql.lit(MAX_EXAMINED - 1)}`.execute(
      query,
    );
    return rows[0]?.id;
  }
  const { rows } = await sql<{ id: number; bytes: number }>`select newest.id, ${MESSAGE_BYTES} as bytes
    from (${newest} limit ${sql.lit(MAX_EXAMINED)}) as newest
    cross join deliveries where deliveries.id = newest.id order by newest.id desc`.execute(query);
  return lastToRead(rows, MAX_EXAMINED)?.id;
}

async function readMoment({ query }: HistoryReader, id: number): Promise<{ id: number; updatedAt: number }> {
  const row = await query
    .selectFrom('deliveries')
    .select('deliveries.updated_at')
    .where('deliveries.id', '=', id)
    .executeTakeFirst();
  return { id, updatedAt: row?.updated_at ?? Number.POSITIVE_INFINITY };
}
