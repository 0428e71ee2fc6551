import type { PlayableVersion } from '../content/courses/playable-version.ts';
import type { LearningStandard } from '../course-packages/learning-standard.ts';
import type { LaunchTarget, LaunchUnit } from '../course-packages/package-description.ts';
import type { UnitState } from './attempts/attempt.ts';
import type { LearnerValue } from './attempts/learner-value-store.ts';
import type { LaunchRoutes } from './content-origin/content-server.ts';
import type { PlayerLaunch } from './launches/launch.ts';

/** A unit that a learner is about to see. */
export interface UnitOpening {
  launch: PlayerLaunch;
  course: PlayableVersion;
  unit: LaunchUnit;
  /** What the unit left; null before it was opened. */
  present: UnitState | null;
  /** Whether it is opened to be looked at again, so that nothing is recorded. */
  isReview: boolean;
  /** Whether the sequencing resumes an attempt on the unit; false when it begins a new one, null without sequencing. */
  isResumed: boolean | null;
  /** What every address of the launch begins with, without a slash at its end. */
  baseUrl: string;
}

/** How the player page opens a unit. */
export interface UnitStart {
  /** The script that the page gives the unit to talk to; null for one that talks to the server itself, or not at all. */
  script: 'scorm12' | 'scorm2004' | null;
  /** The unit's address, absolute. */
  address: string;
  /** Whether the unit insists on a window of its own. */
  ownWindow: boolean;
  /** What the script starts from, as JSON; null without a script. */
  data: unknown;
}

/** What plays the courses of some standards. Every standard's folder has one. */
export interface CourseRuntime {
  readonly standards: readonly LearningStandard[];
  /**
   * Prepares a unit. What it writes must be right also when the page never gets the answer.
   * @throws {ProblemError} with the reason that the learner reads
   */
  openUnit(opening: UnitOpening): Promise<UnitStart>;
  /**
   * What the page needs to lead through the units of a course, and what it kept of that, as JSON; null where a table of
   * contents is enough.
   * @param state what is kept for all units together
   * @param values what the learner keeps across courses
   */
  sequencingOf?(
    course: PlayableVersion,
    state: unknown,
    values: readonly LearnerValue[],
  ): { tree: unknown; state: unknown } | null;
  /** Whether a course reads or writes a value that the learner keeps across courses; left out, none. */
  sharesValue?(course: PlayableVersion, value: Pick<LearnerValue, 'kind' | 'id'>): boolean;
  /** Routes below the launch's token, for what its courses call. */
  readonly routes?: LaunchRoutes;
}

/** The address of a launch target. */
export function addressOfTarget(target: LaunchTarget, baseUrl: string): string {
  if (target.kind === 'external') return target.url;
  const path = target.file.split('/').map(encodeURIComponent).join('/');
  return `${baseUrl}/content/${path}${target.query}${target.fragment}`;
}
