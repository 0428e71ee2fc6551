import type { Migration } from './migration.ts';

/**
 * How much the statements of an attempt take (those of earlier releases are not counted), and indexes for counting documents.
 * On SQLite, the indexes contain the sizes, since it reads the content of a document to find the columns behind it. On
 * PostgreSQL, they don't: every change of a document would change all of its indexes.
 */
export const statementBytes: Migration = {
  number: 36,
  name: 'statement-bytes',
  statements({ int }, dialect) {
    const size = dialect === 'sqlite' ? ', octet_length(content)' : '';
    return [
      `alter table player_attempts add column statement_bytes ${int} not null default 0`,
      'drop index lrs_documents_of_learners',
      `create index lrs_documents_of_learners on lrs_documents (learner_id, learner_account_id${size})
        where learner_account_id is not null`,
      'drop index lrs_documents_by_registration',
      `create index lrs_documents_by_registration on lrs_documents (registration_id, registration${size})`,
    ];
  },
};
