import type { Migration } from './migration.ts';

/** The instances that are running on this database, with the settings that all of them must share. */
export const instances: Migration = {
  number: 16,
  name: 'instances',
  statements: ({ int }) => [
    `create table instances (
      instance text primary key, host_name text not null, settings text not null, seen_at ${int} not null)`,
  ],
};
