import type { Migration } from './migration.ts';

/** The event log: a row for each event, and a summary of each block of events by which they are found. */
export const events: Migration = {
  number: 30,
  name: 'events',
  statements: ({ id, int }) => [
    `create table events (
      id ${id}, occurred_at ${int} not null, body text not null, shared_body_id ${int},
      focused text not null, matched text, replayed text not null default '')`,
    'create index events_by_shared_body on events (shared_body_id) where shared_body_id is not null',
    `create table event_blocks (
      last_id ${int} primary key, first_at ${int} not null, last_at ${int} not null, keys text not null)`,
  ],
};
