import type { Generated } from 'kysely';

/** Rows of played courses. */

/** A launch: someone opened a launch link, and may play one version of a course until it expires. */
export interface PlayerLaunchRow {
  launch_id: string;
  /** Null for a preview, which records nothing. */
  registration_id: string | null;
  course_id: number;
  version_id: number;
  /** The language of an equivalent; null for a course. */
  language: string | null;
  learner_id: string;
  mode: string;
  return_url: string | null;
  created_at: number;
  expires_at: number;
}

/** An attempt of a learner at a course: a registration has one until it is reset. */
export interface PlayerAttemptRow {
  registration_id: string;
  /** Counts from 1 within the registration. */
  number: number;
  version_id: number;
  /** The number of player pages opened in the attempt and those before. Only the newest page may write. */
  page: number;
  /** The first of the pages that continue one another up to the newest; null if that continues no other. */
  first_page: number | null;
  /** The launch of the newest page. It supersedes every other launch of the registration. */
  launch_id: string | null;
  /** JSON: the runtime's data for all units together; null if there is none. */
  state: string | null;
  started_at: number;
  ended_at: number | null;
  /** How much the statements of its courses take. */
  statement_bytes: Generated<number>;
}

/** A unit of an attempt, from its first opening. */
export interface PlayerUnitRow {
  registration_id: string;
  attempt: number;
  /** The identifier of the unit in the manifest. */
  unit_id: string;
  completion: string;
  success: string;
  score: number | null;
  completed_at: number | null;
  /** The time spent in all visits. */
  duration_ms: number;
  /** The time spent before the latest visit. */
  earlier_ms: number;
  /** The page, visit and sequence of the latest write. Older writes are ignored. */
  page: number;
  visit: number;
  sequence: number;
  /** JSON: the standard's data model after the unit's latest write; null before the first one. */
  data: string | null;
  opened_at: number;
  updated_at: number;
}

/** A value that a learner keeps across courses and attempts. It belongs to the registration that wrote it. */
export interface PlayerLearnerValueRow {
  registration_id: string;
  /** A hash of kind and id. */
  value_key: string;
  /** `objective` or `store`. */
  kind: string;
  value_id: string;
  /** JSON. */
  value: string;
  updated_at: number;
}
