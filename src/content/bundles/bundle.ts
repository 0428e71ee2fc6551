/** The types of bundle contents. */
export const BUNDLED_TYPES = ['COURSE', 'EQUIVALENT'] as const;
/** One of {@link BUNDLED_TYPES}. */
export type BundledType = (typeof BUNDLED_TYPES)[number];
/** Maximum number of contents of a bundle, which limits the cost of reading a page of bundles. */
export const MAX_BUNDLE_CONTENTS = 200;

/** Courses and equivalents that belong together. Times are in epoch milliseconds. */
export interface Bundle {
  id: number;
  name: string;
  folderId: number;
  /** Names of the folders from the root down to the bundle's own, joined with ` > `. */
  location: string;
  contents: BundleContent[];
  revision: number;
  createdAt: number;
  updatedAt: number;
}

/** A course or equivalent of a bundle. */
export interface BundleContent {
  type: BundledType;
  id: number;
  name: string;
}

/** The new state of a bundle. The folder defaults to the root. */
export interface BundleInput {
  name: string;
  folderId: number | null;
  contents: readonly { type: BundledType; id: number }[];
}
