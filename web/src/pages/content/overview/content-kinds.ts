/** What stands in folders; each has a list of its own. */
export const CONTENT_KINDS = ['courses', 'equivalents', 'bundles'] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** What the lists can be ordered by. */
export const CONTENT_SORTS = ['name', 'updated', 'created'] as const;
