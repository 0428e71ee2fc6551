import type { Migration } from './migration.ts';

/** The state of lines on Amazon SQS, and the dead letters that are still to be copied to its second queue. */
export const sqs: Migration = {
  number: 4,
  name: 'sqs',
  statements: ({ int }) => [
    `create table sqs_lines (
      line_id ${int} primary key, forwarded_to ${int} not null, forwarded_at ${int}, settled_to ${int} not null,
      generation ${int} not null, forward_at ${int}, forward_token text,
      receipt_handle text, received_at ${int}, receives ${int} not null)`,
    'create index sqs_lines_forward on sqs_lines (forward_at) where forward_at is not null',
    `create table sqs_dead_letters (
      message_id text primary key, line_id ${int} not null, position ${int} not null,
      send_at ${int}, moved_by_sqs ${int} not null)`,
    'create index sqs_dead_letters_to_send on sqs_dead_letters (send_at, position) where send_at is not null',
  ],
};
