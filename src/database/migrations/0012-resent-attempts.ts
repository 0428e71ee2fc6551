import type { Migration } from './migration.ts';

/** Records which attempts sent their request a second time, because the target closed a kept connection. */
export const resentAttempts: Migration = {
  number: 12,
  name: 'resent-attempts',
  statements: ({ int }) =>
    ['deliveries', 'delivery_attempts'].map(
      (table) => `alter table ${table} add column resent ${int} not null default 0`,
    ),
};
