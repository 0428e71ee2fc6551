import type { Migration } from './migration.ts';

/** Registrations for equivalents: which equivalent, and the chosen language. */
export const registrationLanguages: Migration = {
  number: 23,
  name: 'registration-languages',
  statements: ({ int }) => [
    `alter table registrations add column equivalent_id ${int}`,
    'alter table registrations add column language text',
  ],
};
