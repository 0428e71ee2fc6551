import type { Migration } from './migration.ts';

/**
 * How many attempts a message had before it was last redelivered or replayed. 0 also for messages that an earlier release
 * redelivered.
 */
export const attemptsBefore: Migration = {
  number: 45,
  name: 'attempts-before',
  statements: ({ int }) => [`alter table deliveries add column attempts_before ${int} not null default 0`],
};
