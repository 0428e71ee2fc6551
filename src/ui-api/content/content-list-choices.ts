/** Sort keys of the lists of courses, equivalents and bundles. */
export const CONTENT_SORTS = ['name', 'updated', 'created'] as const;
export type ContentSort = (typeof CONTENT_SORTS)[number];
