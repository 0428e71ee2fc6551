import type { Migration } from './migration.ts';

/**
 * Shared objectives and data of SCORM 2004, which a learner keeps across courses and attempts. Each value belongs to
 * the registration that wrote it, and the latest one counts. `value_key` is a hash of kind and id, which may be too
 * long for a key.
 */
export const learnerValues: Migration = {
  number: 27,
  name: 'learner-values',
  statements: ({ int }) => [
    `create table player_learner_values (
      registration_id text not null references registrations (registration_id) on delete cascade,
      value_key text not null, kind text not null, value_id text not null, value text not null,
      updated_at ${int} not null, primary key (registration_id, value_key))`,
  ],
};
