import type { Migration } from './migration.ts';

/**
 * The address that a session was last used from, so that people recognise their own sessions. Null until the
 * session is used with this release.
 */
export const sessionAddresses: Migration = {
  number: 7,
  name: 'session-addresses',
  statements: () => ['alter table administrator_sessions add column address text'],
};
