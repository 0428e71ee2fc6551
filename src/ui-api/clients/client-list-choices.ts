/** What the list of API clients can be ordered by. */
export const CLIENT_SORTS = ['name', 'email', 'last_used', 'created'] as const;
export type ClientSort = (typeof CLIENT_SORTS)[number];

/** What it can be narrowed to. */
export const CLIENT_STATES = ['enabled', 'disabled'] as const;
export type ClientState = (typeof CLIENT_STATES)[number];
