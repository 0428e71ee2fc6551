import type { RegistrationLaunchMode } from '../../content/registrations/launch-tokens.ts';

/**
 * How a launch plays: `normal` counts; `browse` and `review` let a learner look; `preview` is an administrator's, has
 * no registration and records nothing.
 */
export type LaunchMode = RegistrationLaunchMode | 'preview';

/** A launch as every request below its token finds it. What is here never changes while the launch lasts. */
export interface PlayerLaunch {
  launchId: string;
  /** Null for a preview. */
  registrationId: string | null;
  courseId: number;
  courseName: string;
  versionId: number;
  learningStandard: string;
  /** Names the version's files in the content store. */
  contentKey: string;
  learnerId: string;
  mode: LaunchMode;
  /** Where the way out leads; null when the launch named no address. */
  returnUrl: string | null;
  /** Epoch milliseconds. */
  expiresAt: number;
}
