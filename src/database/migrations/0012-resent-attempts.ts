import type { Migration } from './migration.ts';

/** The history says of which attempts the request was sent a second time, since the target closed a kept connection. */
export const resentAttempts: Migration = {
  number: 12,
  name: 'resent-attempts',
  statements: ({ int }) =>
    ['deliveries', 'delivery_attempts'].map(
      (table) => `alter table ${table} add column resent ${int} not null default 0`,
    ),
};
