/** Sort keys of the list of accounts. */
export const ACCOUNT_SORTS = ['name', 'updated', 'created'] as const;
export type AccountSort = (typeof ACCOUNT_SORTS)[number];

/** Sort keys of the content of an account. */
export const ACCOUNT_CONTENT_SORTS = ['name', 'added'] as const;
export type AccountContentSort = (typeof ACCOUNT_CONTENT_SORTS)[number];
