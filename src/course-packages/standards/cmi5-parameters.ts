/**
 * The names of the query parameters that the launch adds to the address of a unit (cmi5 section 8.1). The address must not
 * already contain them (cmi5 section 14.2).
 */
export const CMI5_PARAMETERS = ['endpoint', 'fetch', 'actor', 'registration', 'activityId'] as const;
