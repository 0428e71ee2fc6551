import type { Migration } from './migration.ts';

/** The structure of a course version, and the format that it was read in: 0 until it is read. */
export const courseStructures: Migration = {
  number: 17,
  name: 'course-structures',
  statements: ({ int }) => [
    'alter table course_versions add column structure text',
    `alter table course_versions add column structure_format ${int} not null default 0`,
    'create index course_versions_by_structure on course_versions (structure_format)',
  ],
};
