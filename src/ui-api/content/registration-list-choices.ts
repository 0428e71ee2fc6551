/** The orders of the list of registrations. */
export const REGISTRATION_SORTS = ['created', 'updated'] as const;
export type RegistrationSort = (typeof REGISTRATION_SORTS)[number];

/** Progress of a learner: `in_progress` means launched and not completed. */
export const REGISTRATION_STATES = ['not_launched', 'in_progress', 'completed', 'passed', 'failed'] as const;
export type RegistrationState = (typeof REGISTRATION_STATES)[number];
