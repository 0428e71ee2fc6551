import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import { type IndexBound, indexPartOrder, inIndexPart } from '../../database/index-part.ts';
import { lastToRead, MESSAGE_BYTES } from './bodies-read.ts';
import { type DeliveryFilter, matches, searchesBodies } from './delivery-filter.ts';
import type { DeliveryStatus } from './delivery-status.ts';

/**
 * The condition of the partial index without delivered messages, word for word. With a parameter, an engine could not
 * use that index.
 */
const NOT_DELIVERED = sql<SqlBool>`deliveries.status <> 'DELIVERED'`;

/** Some of a webhook's deliveries with certain statuses, in the order of the history or in the reverse order. */
export interface ByStatusRequest {
  webhookId: number;
  /** All except DELIVERED. */
  statuses: readonly DeliveryStatus[];
  /** Limits of their ids. */
  bounds: readonly IndexBound[];
  /** What else must match. */
  filter?: DeliveryFilter;
  direction: 'asc' | 'desc';
  limit: number;
}

/**
 * A select of their ids, in order. One status after another: the index returns each in order, but to find several
 * together, PostgreSQL may pass over all deliveries of the webhook.
 */
function selectByStatus(
  { query, dialect }: Pick<Reader, 'query' | 'dialect'>,
  { webhookId, statuses, bounds, filter = {}, direction, limit }: ByStatusRequest,
): RawBuilder<{ id: number }> {
  const parts = [...new Set(statuses)].map((status) => {
    const part = {
      equal: { 'deliveries.webhook_id': webhookId, 'deliveries.status': status },
      by: ['deliveries.id'],
      bounds,
    };
    const found = query
      .selectFrom('deliveries')
      .select('deliveries.id')
      .where(inIndexPart(dialect, part))
      .where(NOT_DELIVERED)
      .where((eb) => matches(eb, filter, dialect));
    // SQLite merges the parts row by row, if they have no order and limit of their own.
    const inOrder =
      dialect === 'sqlite' ? found : found.orderBy(indexPartOrder(dialect, part, direction)).limit(limit);
    return sql`select * from ${inOrder} as part`;
  });
  return sql`select found.id from (${sql.join(parts, sql` union all `)}) as found
    order by found.id ${sql.raw(direction)} limit ${limit}`;
}

/** A select of the columns of these deliveries, in the same order. */
export function deliveriesByStatus(reader: Pick<Reader, 'query' | 'dialect'>, request: ByStatusRequest) {
  return reader.query
    .selectFrom(sql<{ id: number }>`(${selectByStatus(reader, request)})`.as('page'))
    .innerJoin('deliveries', 'deliveries.id', 'page.id')
    .orderBy('page.id', request.direction);
}

/** The id of the last of the first `limit` deliveries; undefined if there are fewer. */
async function readLastByStatus(
  reader: Pick<Reader, 'query' | 'dialect'>,
  request: ByStatusRequest,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`select last.id from (${selectByStatus(reader, request)}) as last
    order by last.id ${sql.raw(request.direction)} limit 1 offset ${sql.lit(request.limit - 1)}`.execute(
    reader.query,
  );
  return rows[0]?.id;
}

/**
 * The last of these deliveries that a filter may examine: number `limit`, or an earlier one if the filter searches
 * large messages. Undefined if the filter may examine all of them.
 */
export async function readLastToExamine(
  reader: Pick<Reader, 'query' | 'dialect'>,
  request: Omit<ByStatusRequest, 'filter'>,
  filter: DeliveryFilter,
): Promise<number | undefined> {
  if (!searchesBodies(filter)) return await readLastByStatus(reader, request);
  const sizes = await deliveriesByStatus(reader, request)
    .select(['deliveries.id', MESSAGE_BYTES.as('bytes')])
    .execute();
  return lastToRead(sizes, request.limit)?.id;
}

/** The number of these deliveries. */
export async function countByStatus(
  reader: Pick<Reader, 'query' | 'dialect'>,
  request: Omit<ByStatusRequest, 'direction'>,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count
    from (${selectByStatus(reader, { ...request, direction: 'asc' })}) as counted`.execute(reader.query);
  return Number(rows[0]?.count ?? 0);
}
