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
  /** The number of the page that opens it. Null for pages of earlier releases, which do not send it. */
  page: number | null;
  course: PlayableVersion;
  unit: LaunchUnit;
  /** The stored state of the unit; null before it was opened. */
  current: UnitState | null;
  /** Whether the launch records nothing, or the unit is finished. A standard may have its own rule for reviews. */
  isReview: boolean;
  /**
   * Whether the sequencing resumes an attempt at the unit. False if it begins a new attempt; null without sequencing.
   */
  isResumed: boolean | null;
  /** The start of every URL of the launch, without a trailing slash. */
  baseUrl: string;
}

/** How the player page opens a unit. */
export interface UnitStart {
  /** The script that provides the unit's API. Null for a unit that calls the server itself, or reports nothing. */
  script: 'scorm12' | 'scorm2004' | null;
  /** The absolute URL of the unit. */
  address: string;
  /** The initial data of the script, as JSON; null without a script. */
  data: unknown;
  /** Whether nothing that the unit reports is recorded as a result. */
  isReview: boolean;
}

/** How the page sequences a course. `state` is the data that all units share; `values` are shared between courses. */
export interface CourseSequencing {
  /** The activity tree, and the state with which the page starts, as JSON. */
  startOf(state: unknown, values: readonly LearnerValue[]): { tree: unknown; state: unknown };
  /**
   * The data that all units share in an attempt that began without any, because an earlier release did not sequence the
   * course. Null if the course needs none.
   * @param unit the only unit that the learner has opened
   */
  begunState(unit: UnitState): unknown;
  /**
   * The data that all units share, with the values that a page is given. Later saves of the page then show which values
   * it has changed itself. Undefined if that data is stored already.
   */
  valuesGiven(state: unknown, values: readonly LearnerValue[]): unknown;
  /** Whether the course reads or writes a value that the learner shares between courses. */
  sharesValue(value: Pick<LearnerValue, 'kind' | 'id'>): boolean;
}

/** Plays the courses of some standards. Every standard's folder has one. */
export interface CourseRuntime {
  readonly standards: readonly LearningStandard[];
  /**
   * Prepares a unit. Its writes must be correct even if the page never receives the response.
   * @throws {ProblemError} with the reason. The page only says that the service refuses to open the unit
   */
  openUnit(opening: UnitOpening): Promise<UnitStart>;
  /** How a course is sequenced. Null or missing if a table of contents is enough. */
  sequencingOf?(course: PlayableVersion): CourseSequencing | null;
  /**
   * The unit of an attempt with which the learner continues; null if none was opened. If missing, it is the unit that was
   * updated last. For a standard whose units may be completed without being opened.
   */
  lastUnit?(registrationId: string, attempt: number): Promise<string | null>;
  /** Routes below the launch's token, which its courses call. */
  readonly routes?: LaunchRoutes;
}

/** The runtime that plays a standard; undefined if none does. */
export function runtimeOf(runtimes: readonly CourseRuntime[], standard: string): CourseRuntime | undefined {
  return runtimes.find(({ standards }) => standards.some((each) => each === standard));
}

/** The URL of a launch target. */
export function addressOfTarget(target: LaunchTarget, baseUrl: string): string {
  if (target.kind === 'external') return target.url;
  const path = target.file.split('/').map(encodeURIComponent).join('/');
  return `${baseUrl}/content/${path}${target.query}${target.fragment}`;
}
