import type { OwnerFilter } from './owner-filter.ts';

/** Completion of a learner, as far as it is known. */
export const COMPLETIONS = ['Completed', 'Incomplete', 'Unknown'] as const;
/** One of {@link COMPLETIONS}. */
export type Completion = (typeof COMPLETIONS)[number];

/** Success of a learner, as far as it is known. */
export const SUCCESSES = ['PASS', 'FAIL', 'UNKNOWN'] as const;
/** One of {@link SUCCESSES}. */
export type Success = (typeof SUCCESSES)[number];

/**
 * How a registration is launched: `normal` records results, `browse` and `review` let the learner look around without
 * recording any. Launch tokens contain the index, so only append.
 */
export const REGISTRATION_LAUNCH_MODES = ['normal', 'browse', 'review'] as const;
/** One of {@link REGISTRATION_LAUNCH_MODES}. */
export type RegistrationLaunchMode = (typeof REGISTRATION_LAUNCH_MODES)[number];

/** The bounds of a score, inclusive. */
export const MIN_SCORE = 0;
export const MAX_SCORE = 100;

/** A learner's results in a course. */
export interface RegistrationStatus {
  completion: Completion;
  success: Success;
  /** {@link MIN_SCORE} to {@link MAX_SCORE}, or null if there is none. */
  score: number | null;
  /** Whole seconds. */
  duration: number;
  /** When it was first completed, or null. */
  completedAt: number | null;
}

/** A learner's access to a course through an account. Times are in epoch milliseconds. */
export interface Registration extends RegistrationStatus {
  registrationId: string;
  accountId: number;
  courseId: number;
  /** The version that was published when the registration was created or last reset, or when its course was chosen. */
  versionId: number;
  learnerId: string;
  /** The equivalent that it is for; null for one that is for a course. */
  equivalentId: number | null;
  /** The chosen language of an equivalent. Null until one is chosen, and for a course. */
  language: string | null;
  /** The first launch; null before it. */
  launchedAt: number | null;
  revision: number;
  createdAt: number;
  updatedAt: number;
}

/** Filters of a list of registrations, all of which must match. Null members are ignored. */
export interface RegistrationFilter extends OwnerFilter {
  learnerId: string | null;
}

/** The data of a new registration. */
export const INITIAL_STATUS: Readonly<RegistrationStatus> = {
  completion: 'Unknown',
  success: 'UNKNOWN',
  score: null,
  duration: 0,
  completedAt: null,
};
