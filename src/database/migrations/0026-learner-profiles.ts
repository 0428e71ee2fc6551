import type { Migration } from './migration.ts';

/** Whose profile a document is, so that it can be deleted once the learner has no registration. */
export const learnerProfiles: Migration = {
  number: 26,
  name: 'learner-profiles',
  statements: ({ int }) => [
    `alter table lrs_documents add column learner_account_id ${int}`,
    'alter table lrs_documents add column learner_id text',
    `create index lrs_documents_of_learners on lrs_documents (learner_id) where learner_account_id is not null`,
  ],
};
