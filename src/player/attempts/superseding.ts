import { ProblemError } from '../../problems/problem.ts';
import type { PlayerLaunch } from '../launches/launch.ts';
import type { Attempt } from './attempt.ts';
import type { UnitResult } from './unit-result.ts';

/**
 * Whether a page that opens continues the newest one. The page that its tab names may be an earlier one of those that
 * continue one another: the responses to later ones may be lost.
 * @param continues the page that the same tab had loaded before; undefined if there was none
 */
export function continuesNewest(
  attempt: Attempt,
  launch: PlayerLaunch,
  continues: number | undefined,
): boolean {
  if (continues === undefined || launch.launchId !== attempt.launchId) return false;
  return continues >= attempt.firstPage && continues <= attempt.page;
}

/**
 * The other launch that has taken over since the page that a tab loads again; null if none has. Browsers also load pages
 * again by themselves, so such a page takes nothing back.
 * @param continues the page that the same tab had loaded before; undefined if there was none
 */
export function launchSince(
  attempt: Attempt,
  launch: PlayerLaunch,
  continues: number | undefined,
): string | null {
  const isOlder = continues !== undefined && continues < attempt.page;
  return isOlder && supersedes(launch) && attempt.launchId !== launch.launchId ? attempt.launchId : null;
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

/**
 * Whether a session belongs to a page that neither is the newest one nor is continued by it. A session without a page
 * belongs to its launch.
 */
export function isOfOlderPage({ page }: { page: number | null }, attempt: Attempt): boolean {
  return page !== null && page < attempt.firstPage;
}

/**
 * Checks that a page is the newest one. @param page null for pages of earlier releases, which do not send it
 * @throws {ProblemError} `forbidden`
 */
export function assertIsNewest(attempt: Attempt, page: number | null): void {
  if (page !== null && page !== attempt.page) throw supersededLaunch(attempt);
}

/**
 * Checks that a session still records. @throws {ProblemError} `forbidden` after a reset, and once a page has been opened
 * that does not continue its own
 */
export function assertStillRecords(
  session: { attempt: number; page: number | null },
  attempt: Attempt,
): void {
  if (session.attempt !== attempt.number)
    throw new ProblemError('forbidden', 'A new attempt has begun since the course was opened', {
      members: { reason: 'superseded' },
    });
  if (isOfOlderPage(session, attempt)) throw supersededLaunch(attempt);
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
    : new ProblemError('forbidden', 'The course was opened in another window, which has taken over', {
        members: { reason: 'superseded' },
      });
}
