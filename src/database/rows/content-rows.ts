import type { Generated } from 'kysely';

/** Rows of accounts, content and registrations. */

export interface AccountRow {
  id: Generated<number>;
  name: string;
  enabled: number;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface FolderRow {
  id: Generated<number>;
  name: string;
  /** Null only for the root. */
  parent_id: number | null;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface CourseRow {
  id: Generated<number>;
  name: string;
  folder_id: number;
  published_version_id: number;
  latest_version_id: number;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface CourseVersionRow {
  course_id: number;
  /** 0 at import, then counting up within the course. */
  version_id: number;
  learning_standard: string;
  title: string;
  /** JSON: the launchable units of the package. */
  units: string;
  /** JSON: warnings of the import. */
  warnings: string;
  /** JSON: a `CourseStructure`; null until it is read, or if it cannot be read. */
  structure: string | null;
  /** The format that the structure was read in; 0 until it is read. */
  structure_format: number;
  /** The key of the version's files in the content store. */
  content_key: string;
  file_count: number;
  byte_count: number;
  created_at: number;
}

/** One course in several languages. */
export interface EquivalentRow {
  id: Generated<number>;
  name: string;
  folder_id: number;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface EquivalentCourseRow {
  equivalent_id: number;
  position: number;
  course_id: number;
  /** BCP 47, in canonical form. */
  language: string;
}

/** Courses and equivalents that belong together. */
export interface BundleRow {
  id: Generated<number>;
  name: string;
  folder_id: number;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface BundleContentRow {
  bundle_id: number;
  position: number;
  /** COURSE or EQUIVALENT. */
  content_type: string;
  content_id: number;
}

/** What an account holds directly. */
export interface AccountContentRow {
  account_id: number;
  /** COURSE, EQUIVALENT, BUNDLE or FOLDER. */
  content_type: string;
  content_id: number;
  added_at: number;
}

/** A learner's access to a course through an account. */
export interface RegistrationRow {
  /** The order of lists. People see `registration_id`. */
  number: Generated<number>;
  registration_id: string;
  account_id: number;
  course_id: number;
  /** The version that is played: the published one at creation, at the last reset, or when an equivalent's course was set. */
  version_id: number;
  learner_id: string;
  completion: string;
  success: string;
  /** 0–100; null if there is no score. */
  score: number | null;
  /** Whole seconds. */
  duration: number;
  completed_at: number | null;
  launched_at: number | null;
  /** The equivalent of the registration; null if it is for a course. */
  equivalent_id: number | null;
  /** The chosen language of the equivalent; null before the choice, and for a course. */
  language: string | null;
  revision: number;
  created_at: number;
  updated_at: number;
}
