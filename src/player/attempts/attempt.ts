import type { Completion, Success } from '../../content/registrations/registration.ts';

/** The status of a unit or a course, on the scales of registrations. */
export interface LearningStatus {
  completion: Completion;
  success: Success;
  /** 0 to 100; null without a score. */
  score: number | null;
}

/** A stored unit of an attempt. Times are epoch milliseconds. */
export interface UnitState extends LearningStatus {
  unitId: string;
  /** When it was first completed; null if it was not. */
  completedAt: number | null;
  /** Milliseconds spent in all visits, including the latest. */
  durationMs: number;
  /** Milliseconds spent before the latest visit. */
  earlierMs: number;
  /** The position of the latest write. */
  position: WritePosition;
  /** The standard's data model, as the unit last reported it; null before the first write. */
  data: unknown;
  /** Whether its `lesson_status` is `browsed`. Missing if it was not read. */
  isBrowsed?: boolean;
  openedAt: number;
  updatedAt: number;
}

/** An attempt at a course. A registration has a single one until it is reset. */
export interface Attempt {
  number: number;
  versionId: number;
  /** The number of player pages that were opened in it and in the attempts before. Only the latest page may write. */
  page: number;
  /** The first of the pages that continue one another up to the latest: that page itself if it continues no other. */
  firstPage: number;
  /** The launch of the latest page; null before the first page. */
  launchId: string | null;
  startedAt: number;
  endedAt: number | null;
}

/** An attempt with the data that all units share, which may be megabytes; null if there is none. */
export interface AttemptWithState extends Attempt {
  state: unknown;
}

/** The initial data of a player page. */
export interface OpenedPage {
  attempt: number;
  /** Sent with every write of the page; 0 in a preview. */
  page: number;
  /** Whether it continues a page, whose windows then keep recording. */
  isContinued: boolean;
  state: unknown;
  units: readonly UnitState[];
}

/** The position of a write among all writes of an attempt. */
export interface WritePosition {
  /** The number of the player page, from {@link Attempt.page}. */
  page: number;
  /** The number of the visit. It increases within the page each time a unit is opened. */
  visit: number;
  /** Increases within the page with each write. */
  sequence: number;
}

/** The outcome of {@link AttemptService.recordFromPage}. */
export type RecordOutcome =
  /** It was stored, and its events are queued. */
  | 'recorded'
  /** A part was stored; the rest changes data that the service does not have. The complete result may be sent again. */
  | 'recorded-in-part'
  /** This result or a later one was stored before. Nothing was written. */
  | 'stale'
  /** A newer page or launch has superseded the one that sent it. Nothing was written. */
  | 'superseded'
  /** A reset has ended the attempt, and no page has begun the next one. Nothing was written. */
  | 'reset'
  /** The launch records nothing: a preview, or a review of a finished unit. */
  | 'not-recorded';

export const NOTHING_LEARNED: Readonly<LearningStatus> = {
  completion: 'Unknown',
  success: 'UNKNOWN',
  score: null,
};
