/** Sort keys of the list of API clients. */
export const CLIENT_SORTS = ['name', 'email', 'last_used', 'created'] as const;
export type ClientSort = (typeof CLIENT_SORTS)[number];

/** Filters of the list. */
export const CLIENT_STATES = ['enabled', 'disabled'] as const;
export type ClientState = (typeof CLIENT_STATES)[number];
