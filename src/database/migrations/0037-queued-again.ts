import type { Migration } from './migration.ts';

/**
 * When a waiting message was redelivered or replayed, in epoch milliseconds. Null for the others, which have waited
 * since their events, and for those that an earlier release queued again.
 */
export const queuedAgain: Migration = {
  number: 37,
  name: 'queued-again',
  statements: ({ int }) => [
    `alter table queue_messages add column queued_at ${int}`,
    'create index queue_messages_queued_again on queue_messages (message_id) where queued_at is not null',
  ],
};
