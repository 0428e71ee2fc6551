import type { Migration } from './migration.ts';

/**
 * An index of the accounts that have an asset, in order, so that a page of them reads no others. On SQLite, which uses one
 * index of a table at a time, also an index of an account's registrations of a course. Its condition keeps SQLite from
 * using it for the account alone. On PostgreSQL, every save of a learner would write to it.
 */
export const listIndexes: Migration = {
  number: 46,
  name: 'list-indexes',
  statements: (_types, dialect) => [
    'create index account_contents_by_holder on account_contents (content_type, content_id, account_id)',
    'drop index account_contents_by_content',
    ...(dialect === 'sqlite'
      ? [
          `create index registrations_by_account_course on registrations (account_id, course_id, number)
             where course_id is not null`,
        ]
      : []),
  ],
};
