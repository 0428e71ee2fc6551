import type { Migration } from './migration.ts';

/** The page of the player in which a unit was opened. Null for previews, and for sessions of earlier releases. */
export const sessionPages: Migration = {
  number: 41,
  name: 'session-pages',
  statements: ({ int }) => [`alter table player_sessions add column page ${int}`],
};
