import type { Migration } from './migration.ts';

/** The language of an equivalent that an opened launch link led to. Null for other launches and for earlier ones. */
export const launchLanguages: Migration = {
  number: 38,
  name: 'launch-languages',
  statements: () => ['alter table player_launches add column language text'],
};
