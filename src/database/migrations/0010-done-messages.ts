import type { Migration } from './migration.ts';

/** Each line records its last done message, so that SQLite can delete done messages later, many at a time. */
export const doneMessages: Migration = {
  number: 10,
  name: 'done-messages',
  // An earlier program would deliver messages again that a killed process had not deleted yet.
  breaking: 'sqlite',
  statements: ({ int }) => [`alter table queue_lines add column done_to ${int} not null default 0`],
};
