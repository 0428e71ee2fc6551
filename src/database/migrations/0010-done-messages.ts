import type { Migration } from './migration.ts';

/** Lines tell how far their messages are done with, so that SQLite can delete these later, many at a time. */
export const doneMessages: Migration = {
  number: 10,
  name: 'done-messages',
  // A program that does not know of it would deliver again what a killed process had not deleted yet.
  breaking: 'sqlite',
  statements: ({ int }) => [`alter table queue_lines add column done_to ${int} not null default 0`],
};
