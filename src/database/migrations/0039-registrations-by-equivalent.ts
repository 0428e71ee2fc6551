import type { Migration } from './migration.ts';

/** An index for the registrations of an equivalent. Those for a course are not in it, and cost nothing more. */
export const registrationsByEquivalent: Migration = {
  number: 39,
  name: 'registrations-by-equivalent',
  statements: () => [
    `create index registrations_by_equivalent on registrations (equivalent_id, number)
       where equivalent_id is not null`,
  ],
};
