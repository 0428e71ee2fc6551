import type { Completion, Success } from '../../content/registrations/registration.ts';

/** What a standard's data says about a unit or a course, on the scales that registrations use. */
export interface LearningStatus {
  completion: Completion;
  success: Success;
  /** 0 to 100; null while there is none. */
  score: number | null;
}

/** A unit of an attempt as it is stored. Moments are epoch milliseconds. */
export interface UnitState extends LearningStatus {
  unitId: string;
  /** When it was completed first; null while it was not. */
  completedAt: number | null;
  /** Time spent in all visits, the latest included. */
  durationMs: number;
  /** Time spent before the latest visit. */
  earlierMs: number;
  /** The latest write. */
  position: WritePosition;
  /** The standard's data model as the unit left it; null before the first write. */
  data: unknown;
  /** Whether its `lesson_status` is `browsed`. Left out where that was not read. */
  isBrowsed?: boolean;
  openedAt: number;
  updatedAt: number;
}

/** An attempt at a course: a registration has one until it is reset. */
export interface Attempt {
  number: number;
  versionId: number;
  /** How many player pages were opened in it. Only the newest one may write. */
  page: number;
  /** The launch of the newest page; null before the first one. */
  launchId: string | null;
  /** What the runtime keeps for all units together; null when there is none. */
  state: unknown;
  startedAt: number;
  endedAt: number | null;
}

/** Where a write stands among all writes of an attempt. */
export interface WritePosition {
  /** The player page, as {@link Attempt.page} counted it. */
  page: number;
  /** The visit to the unit: counts up within the page, with each time that a unit is opened. */
  visit: number;
  /** Counts up within the page, with each write. */
  sequence: number;
}

/** What {@link AttemptService.recordUnitResult} did with a result. */
export type RecordOutcome =
  /** It is stored, and its webhooks are on their way. */
  | 'recorded'
  /** A part of it is stored, since it is a change of something that is not. The same result may come again, whole. */
  | 'recorded-in-part'
  /** This result or a later one was stored before. Nothing was written. */
  | 'stale'
  /** A newer page or launch has taken over. Nothing was written. */
  | 'superseded'
  /** The launch records nothing: a preview, or a review of a finished unit. */
  | 'not-recorded';

export const NOTHING_LEARNED: Readonly<LearningStatus> = {
  completion: 'Unknown',
  success: 'UNKNOWN',
  score: null,
};
