import type { RegistrationLaunchMode } from '../../content/registrations/registration.ts';

/**
 * How a launch plays. `normal` records results; `browse` and `review` let a learner look around without recording.
 * `preview` is for administrators: it has no registration and records nothing.
 */
export type LaunchMode = RegistrationLaunchMode | 'preview';

/** A launch, as every request below its token reads it. These values do not change during the launch. */
export interface PlayerLaunch {
  launchId: string;
  /** Null for a preview. */
  registrationId: string | null;
  courseId: number;
  courseName: string;
  versionId: number;
  /** The language of an equivalent that the link led to; null for a course. */
  language: string | null;
  learningStandard: string;
  /** Names the version's files in the content store. */
  contentKey: string;
  learnerId: string;
  mode: LaunchMode;
  /** The URL to which the player's exit leads; null if the launch specified none. */
  returnUrl: string | null;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** What a launch opens, and for whom. */
export type LaunchSubject = Pick<
  PlayerLaunch,
  'registrationId' | 'courseId' | 'versionId' | 'language' | 'learnerId' | 'mode' | 'returnUrl'
>;
