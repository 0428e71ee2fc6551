import type { Migration } from './migration.ts';

/** Learners are found by the beginning of their ids, in upper or lower case. See ui-api/content/learner-search.ts. */
export const learnerSearch: Migration = {
  number: 8,
  name: 'learner-search',
  statements: (_types, dialect) => [
    dialect === 'sqlite'
      ? 'create index registrations_by_learner_key on registrations (lower(learner_id), number)'
      : 'create index registrations_by_learner_key on registrations (lower(learner_id collate "C"), number)',
  ],
};
