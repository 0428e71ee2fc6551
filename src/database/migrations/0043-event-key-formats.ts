import type { Migration } from './migration.ts';

/** Which kinds of keys the summary of a block of events has. Earlier releases do not write it: theirs have those of 1. */
export const eventKeyFormats: Migration = {
  number: 43,
  name: 'event-key-formats',
  statements: ({ int }) => [`alter table event_blocks add column key_format ${int} not null default 1`],
};
