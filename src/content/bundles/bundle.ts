/** What bundles are made of. */
export const BUNDLED_TYPES = ['COURSE', 'EQUIVALENT'] as const;
export type BundledType = (typeof BUNDLED_TYPES)[number];

/** Courses and equivalents that go together. Moments are epoch milliseconds. */
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

/** A bundle as it is to be. Without a folder it goes into the root. */
export interface BundleInput {
  name: string;
  folderId: number | null;
  contents: readonly { type: BundledType; id: number }[];
}
