/** The kinds of content in folders. Each has its own list. */
export const CONTENT_KINDS = ['courses', 'equivalents', 'bundles'] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];
