/** The orders of the list of registrations. */
export const REGISTRATION_SORTS = ['created', 'updated'] as const;
export type RegistrationSort = (typeof REGISTRATION_SORTS)[number];

/**
 * Progress of a learner. `not_launched` and `in_progress` have no result yet: neither passed, failed nor completed.
 * `in_progress` was launched, or is incomplete by a status that was set through the API. Completed ones may have passed
 * or failed, too.
 */
export const REGISTRATION_STATES = ['not_launched', 'in_progress', 'completed', 'passed', 'failed'] as const;
export type RegistrationState = (typeof REGISTRATION_STATES)[number];
