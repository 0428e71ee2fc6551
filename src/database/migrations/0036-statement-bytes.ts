import type { Migration } from './migration.ts';

/** How much the statements of an attempt take. Those of earlier releases are not counted. */
export const statementBytes: Migration = {
  number: 36,
  name: 'statement-bytes',
  statements: ({ int }) => [
    `alter table player_attempts add column statement_bytes ${int} not null default 0`,
  ],
};
