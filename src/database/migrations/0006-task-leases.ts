import type { Migration } from './migration.ts';

/** Which instance is at which housekeeping task, and until when nobody need be. */
export const taskLeases: Migration = {
  number: 6,
  name: 'task-leases',
  statements: ({ int }) => [
    `create table task_leases (task text primary key, token text not null, leased_until ${int} not null)`,
  ],
};
