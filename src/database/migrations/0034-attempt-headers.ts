import type { Migration } from './migration.ts';

/** The headers of an attempt's request and response, as JSON text. Null for attempts of earlier releases. */
export const attemptHeaders: Migration = {
  number: 34,
  name: 'attempt-headers',
  statements: () =>
    ['deliveries', 'delivery_attempts'].map((table) => `alter table ${table} add column headers text`),
};
