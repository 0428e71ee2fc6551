import type { Migration } from './migration.ts';

/** Lines tell how far their messages are done with, so that these can be deleted later, many at a time. */
export const doneMessages: Migration = {
  number: 10,
  name: 'done-messages',
  statements: ({ int }) => [`alter table queue_lines add column done_to ${int} not null default 0`],
};
