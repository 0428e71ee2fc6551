import { ProblemError } from '../../problems/problem.ts';
import type { PlayerLaunch } from '../launches/launch.ts';
import type { Attempt } from './attempt.ts';
import type { UnitResult } from './unit-result.ts';

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
