import type { Reader, Transaction } from '../database/database.ts';
import { recordset } from '../database/recordset.ts';

/**
 * SQL of the lists of each webhook's deliveries, one operation a function. They are SQLite's alone: PostgreSQL has an
 * index of the table. Every delivery up to `listed_to` is listed, none behind it is.
 */

/** Up to which delivery the lists go. */
export async function readListedTo(reader: Pick<Reader, 'all'>): Promise<number> {
  const [row] = await reader.all<{ listed_to: number }>('select listed_to from delivery_listing');
  return row?.listed_to ?? 0;
}

/** The delivery up to which the lists would go with `limit` more; null when all are listed. */
export async function readNextListedTo(
  reader: Pick<Reader, 'all'>,
  listedTo: number,
  limit: number,
): Promise<number | null> {
  const [row] = await reader.all<{ id: number | null }>(
    'select max(id) as id from (select id from deliveries where id > ? order by id limit ?)',
    listedTo,
    limit,
  );
  return row?.id ?? null;
}

/** Lists the deliveries behind `from`, up to and with `to`. */
export async function listDeliveries(
  tx: Transaction,
  { from, to }: { from: number; to: number },
): Promise<void> {
  // In the order of the lists: each of their pages is changed once.
  await tx.run(
    `insert into listed_deliveries (webhook_id, delivery_id)
     select webhook_id, id from deliveries where id > ? and id <= ? order by webhook_id, id`,
    from,
    to,
  );
  await tx.run('update delivery_listing set listed_to = ?', to);
}

/** Takes deliveries off the lists, as far as they are on them. */
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
