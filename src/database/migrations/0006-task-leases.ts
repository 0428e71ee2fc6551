import type { Migration } from './migration.ts';

/** The leases of housekeeping tasks: which instance does a task, and until when the task rests. */
export const taskLeases: Migration = {
  number: 6,
  name: 'task-leases',
  statements: ({ int }) => [
    `create table task_leases (task text primary key, token text not null, leased_until ${int} not null)`,
  ],
};
