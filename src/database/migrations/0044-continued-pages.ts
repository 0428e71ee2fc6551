import type { Migration } from './migration.ts';

/**
 * The first of the pages of the player that continue one another up to the newest. Null before the first page, and for
 * pages of earlier releases, which continue no other page.
 */
export const continuedPages: Migration = {
  number: 44,
  name: 'continued-pages',
  statements: ({ int }) => [`alter table player_attempts add column first_page ${int}`],
};
