import type { Transaction } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';
import type { PlayerLaunch } from '../launches/launch.ts';
import type { Attempt } from './attempt.ts';
import type { UnitResult } from './unit-result.ts';

/** The page that a page may continue. */
export interface ContinuedPage {
  /** Undefined if there is none. */
  continues: number | undefined;
  /** Moves what the continued page has opened to the page that continues it. */
  onContinued(
    tx: Transaction,
    moved: { registrationId: string; attempt: number; from: number; to: number },
  ): Promise<void>;
}

/** Whether a newer page or launch has superseded the one that wrote a result. */
export function isSuperseded(
  attempt: Attempt,
  launch: PlayerLaunch,
  { position, lateOf }: Pick<UnitResult, 'position' | 'lateOf'>,
): boolean {
  if (attempt.endedAt !== null) return true;
  const isOfPage = position === null || position.page === attempt.page;
  if (lateOf !== undefined) return !isOfPage || lateOf !== attempt.number;
  return !isOfPage || attempt.launchId !== launch.launchId;
}

/** Whether a session belongs to a page that is not the newest one. A session without a page belongs to its launch. */
export function isOfOlderPage({ page }: { page: number | null }, attempt: Attempt): boolean {
  return page !== null && page !== attempt.page;
}

/**
 * Checks that a page is the newest one. @param page null for pages of earlier releases, which do not send it
 * @throws {ProblemError} `forbidden`
 */
export function assertIsNewest(attempt: Attempt, page: number | null): void {
  if (isOfOlderPage({ page }, attempt)) throw supersededLaunch(attempt);
}

/**
 * Checks that a session still records. @throws {ProblemError} `forbidden` after a reset, and once a newer page has been
 * opened
 */
export function assertStillRecords(
  session: { attempt: number; page: number | null },
  attempt: Attempt,
): void {
  if (session.attempt !== attempt.number)
    throw new ProblemError('forbidden', 'A new attempt has begun since the course was opened');
  assertIsNewest(attempt, session.page);
}

/** Whether a reset has ended the latest attempt, and no page has begun the next one. */
export function isReset(latest: Attempt | undefined): boolean {
  return (latest?.endedAt ?? null) !== null;
}

/**
 * Whether a page of a launch supersedes earlier ones. A look at a SCORM course must not: it would end the learner's
 * window, and data that a browser still has to send would belong to an earlier page and be lost. The units of other
 * standards call the server themselves, which serves only the latest launch.
 */
export function supersedes({ mode, learningStandard }: PlayerLaunch): boolean {
  return mode === 'normal' || !learningStandard.startsWith('SCORM');
}

/** The error for a launch that records nothing any longer. @param latest the latest attempt; undefined without any */
export function supersededLaunch(latest: Attempt | undefined): ProblemError {
  return isReset(latest)
    ? new ProblemError('forbidden', 'The registration was reset', { members: { reason: 'reset' } })
    : new ProblemError('forbidden', 'The course was opened in another window, which has taken over');
}
