import type { Migration } from './migration.ts';

/**
 * What is the same in the messages of an event is stored once: a message, dead letter or delivery keeps the rest of its
 * body, and the id of the shared part.
 */
export const sharedBodies: Migration = {
  number: 20,
  name: 'shared-bodies',
  // An earlier instance would send the rest alone. The new name of the column keeps one that still runs from doing so.
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
