import type { Migration } from './migration.ts';

/** Registrations of equivalents: which one, and the language that was chosen. */
export const registrationLanguages: Migration = {
  number: 23,
  name: 'registration-languages',
  statements: ({ int }) => [
    `alter table registrations add column equivalent_id ${int}`,
    'alter table registrations add column language text',
  ],
};
