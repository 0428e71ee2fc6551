import type { LearningStatus } from './attempts/attempt.ts';
import type { UnitStart } from './course-runtime.ts';
import type { TimeLimit } from './time-limit.ts';

/** The responses to the player page, which imports these types. */

/** A unit as the table of contents shows it. */
export interface UnitInContents extends LearningStatus {
  id: string;
  title: string;
  /** False if the manifest hides it from the table of contents. */
  isVisible: boolean;
  /** Whether its prerequisites are met. */
  isOpen: boolean;
  /** Whether it requires a window of its own. */
  ownWindow: boolean;
}

/** The response to a player page that opens. */
export interface PageResponse {
  /** The language is null if it is not known. */
  course: { name: string; standard: string; language: string | null };
  mode: string;
  /** The registration that the page records; null for a preview. */
  registration: string | null;
  attempt: number;
  /** Sent with every write of the page. */
  page: number;
  /** Whether it continues the page that the same tab had loaded before. Windows of that page then keep recording. */
  isContinued: boolean;
  units: UnitInContents[];
  /** The result of the whole course. */
  result: LearningStatus;
  /** The unit with which the learner continues; null if no unit was opened. */
  lastUnit: string | null;
  returnUrl: string | null;
  /** The activity tree and the stored sequencing state; null if a table of contents is enough. */
  sequencing: { tree: unknown; state: unknown } | null;
}

/** What was recorded since a page was opened. */
export interface UnitsResponse extends Pick<PageResponse, 'units' | 'result'> {
  /** Whether the page records nothing any longer, because a newer one was opened or its attempt has ended. */
  isSuperseded: boolean;
  /** Whether a reset has ended its attempt, and no other page has begun the next one. */
  isReset: boolean;
}

/** The response to a page that opens a unit. */
export interface UnitResponse extends UnitStart {
  /** Whether it requires a window of its own, for pages of earlier releases. */
  ownWindow: boolean;
  /** Null without a time limit. */
  timeLimit: TimeLimit | null;
}
