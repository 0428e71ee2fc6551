import type { Migration } from './migration.ts';

/** Learners are found by how their ids begin, whether letters are small or capital: see overview/content/learner-search.ts. */
export const learnerSearch: Migration = {
  number: 8,
  name: 'learner-search',
  statements: (_types, dialect) => [
    dialect === 'sqlite'
      ? 'create index registrations_by_learner_key on registrations (lower(learner_id), number)'
      : 'create index registrations_by_learner_key on registrations (lower(learner_id collate "C"), number)',
  ],
};
