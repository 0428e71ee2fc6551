import type { Migration } from './migration.ts';

/**
 * How often each webhook has failed since its last success, and since when. Counting starts now for webhooks that are
 * already in error.
 */
export const failureRuns: Migration = {
  number: 28,
  name: 'failure-runs',
  statements: ({ int }) => [
    `alter table webhook_statistics add column failing_since ${int}`,
    `alter table webhook_statistics add column failures_in_row ${int} not null default 0`,
    // Their last failure is the earliest that is known.
    'update webhook_statistics set failing_since = last_error_at, failures_in_row = 1 where in_error = 1 and last_error_at is not null',
  ],
};
