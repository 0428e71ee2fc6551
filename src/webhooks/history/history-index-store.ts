import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Dialect, Reader, Transaction } from '../../database/database.ts';
import { indexPartOrder, inIndexPart } from '../../database/index-part.ts';
import { recordset } from '../../database/recordset.ts';

/**
 * SQL for the lists of each webhook's deliveries, one operation per function. Only SQLite has them; PostgreSQL has an
 * index of the table. The lists contain every delivery up to `listed_to` and none after it. That is enough, because ids
 * are never reused and, with one writer, are in the order of commits.
 */

/** The id of the last delivery in the lists. */
export async function readListedTo(reader: Pick<Reader, 'all'>): Promise<number> {
  const [row] = await reader.all<{ listed_to: number }>('select listed_to from delivery_listing');
  return row?.listed_to ?? 0;
}

/** The last of the next `limit` unlisted deliveries, and whether it is the newest; null if all are listed. */
export async function readNextListed(
  reader: Pick<Reader, 'all'>,
  listedTo: number,
  limit: number,
): Promise<{ to: number; isAll: boolean } | null> {
  const [row] = await reader.all<{ last: number | null; count: number }>(
    'select max(id) as last, count(*) as count from (select id from deliveries where id > ? order by id limit ?)',
    listedTo,
    limit,
  );
  if (row === undefined || row.last === null) return null;
  return { to: row.last, isAll: row.count < limit };
}

/** Lists the deliveries after `from`, up to and including `to`. */
export async function listDeliveries(
  tx: Transaction,
  { from, to }: { from: number; to: number },
): Promise<void> {
  // In the order of the lists, so that each page is changed once.
  await tx.run(
    `insert into listed_deliveries (webhook_id, delivery_id)
     select webhook_id, id from deliveries where id > ? and id <= ? order by webhook_id, id`,
    from,
    to,
  );
  await tx.run('update delivery_listing set listed_to = ?', to);
}

/** Removes deliveries from the lists. */
export async function unlistDeliveries(
  tx: Transaction,
  deliveries: readonly { id: number; webhook_id: number }[],
): Promise<void> {
  await tx.run(
    `delete from listed_deliveries where (webhook_id, delivery_id) in
       (select gone.webhook_id, gone.id
        from ${recordset(tx.dialect, 'gone', { webhook_id: 'bigint', id: 'bigint' })})`,
    JSON.stringify(deliveries.map(({ id, webhook_id }) => ({ webhook_id, id }))),
  );
}

/** SQL: the row of `webhooks` has no deliveries. With `not exists`, PostgreSQL could read all deliveries for a join. */
function hasNoHistory(dialect: Dialect): RawBuilder<SqlBool> {
  if (dialect === 'sqlite')
    return sql`not exists (select 1 from listed_deliveries as listed where listed.webhook_id = webhooks.id)
      and webhooks.id not in (select unlisted.webhook_id from deliveries as unlisted
        where unlisted.id > (select listed_to from delivery_listing))`;
  const part = {
    equal: { 'deliveries.webhook_id': sql.ref('webhooks.id') },
    by: ['deliveries.id'],
    bounds: [],
  };
  return sql`(select deliveries.id from deliveries where ${inIndexPart(dialect, part)}
    order by ${indexPartOrder(dialect, part)} limit 1) is null`;
}

/** Webhooks that were deleted before `before` and have no history. */
export async function readForgottenWebhooks(
  { query, dialect }: Pick<Transaction, 'query' | 'dialect'>,
  before: number,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select webhooks.id from webhooks where webhooks.deleted_at < ${before} and ${hasNoHistory(dialect)}
    order by webhooks.deleted_at limit ${limit}`.execute(query);
  return rows.map((row) => row.id);
}
