import type { Group } from '../assets/group.ts';

/** The types of bundle contents. */
export const BUNDLED_TYPES = ['COURSE', 'EQUIVALENT'] as const;
/** One of {@link BUNDLED_TYPES}. */
export type BundledType = (typeof BUNDLED_TYPES)[number];
/** Maximum number of contents of a bundle, which limits the cost of reading a page of bundles. */
export const MAX_BUNDLE_CONTENTS = 200;

/** Courses and equivalents that belong together. */
export type Bundle = Group<BundleContent>;

/** A course or equivalent of a bundle, as it is given. */
export interface GivenBundleContent {
  type: BundledType;
  id: number;
}

/** A course or equivalent of a bundle. */
export interface BundleContent extends GivenBundleContent {
  name: string;
}
