import type { Migration } from './migration.ts';

/**
 * On SQLite an index of its own, in which each webhook's deliveries are listed many at a time: an index of the table had
 * every delivery write a page of its webhook's.
 */
export const listedDeliveries: Migration = {
  number: 11,
  name: 'listed-deliveries',
  // A program that does not know of it would read whole histories to find one webhook's.
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
