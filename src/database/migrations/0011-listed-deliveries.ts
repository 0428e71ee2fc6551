import type { Migration } from './migration.ts';

/**
 * On SQLite, a separate index lists the deliveries of each webhook, many at a time. With an index of the table,
 * each delivery wrote a page for its webhook.
 */
export const listedDeliveries: Migration = {
  number: 11,
  name: 'listed-deliveries',
  // An earlier program would scan the whole history to find the deliveries of one webhook.
  breaking: 'sqlite',
  statements: ({ int }, dialect) =>
    dialect === 'postgres'
      ? []
      : [
          `create table listed_deliveries (
            webhook_id ${int} not null, delivery_id ${int} not null,
            primary key (webhook_id, delivery_id)) without rowid`,
          `create table delivery_listing (listed_to ${int} not null)`,
          `insert into listed_deliveries (webhook_id, delivery_id)
            select webhook_id, id from deliveries order by webhook_id, id`,
          'insert into delivery_listing (listed_to) select coalesce(max(id), 0) from deliveries',
          'drop index deliveries_by_webhook',
        ],
};
