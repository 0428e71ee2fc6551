import type { Migration } from './migration.ts';

/**
 * Stores the common part of an event's messages once. A message, dead letter or delivery has the rest of its body
 * and the id of the shared part.
 */
export const sharedBodies: Migration = {
  number: 20,
  name: 'shared-bodies',
  // An earlier instance that is still running would send only the rest. The new name of the column prevents that.
  breaking: true,
  statements: ({ id, int }) => [
    `create table shared_bodies (id ${id}, text text not null)`,
    'alter table queue_messages rename column body to stored_body',
    ...['queue_messages', 'queue_dead_letters', 'deliveries'].flatMap((table) => [
      `alter table ${table} add column shared_body_id ${int}`,
      `create index ${table}_by_shared_body on ${table} (shared_body_id) where shared_body_id is not null`,
    ]),
  ],
};
