import type { Migration } from './migration.ts';

/** From where a session is used, so that people know their own. Null until it is used again, by this release. */
export const sessionAddresses: Migration = {
  number: 7,
  name: 'session-addresses',
  statements: () => ['alter table administrator_sessions add column address text'],
};
