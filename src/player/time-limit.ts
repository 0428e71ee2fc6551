import type { LaunchUnit } from '../course-packages/package-description.ts';
import { timespanMs } from './scorm/scorm12-status.ts';
import { durationMs } from './scorm/scorm2004-status.ts';

/** The time limit of a unit. */
export interface TimeLimit {
  /** Milliseconds left; 0 if the time is used up. */
  leftMs: number;
  /** Whether the unit ends when the time is up. */
  exits: boolean;
  /** Whether the learner receives a message when the time is up. */
  hasMessage: boolean;
}

/**
 * What the player does about `max_time_allowed` and `time_limit_action`; null if it does nothing. AICC abbreviates the
 * action. Authoring tools write a limit of zero if there is no limit.
 * @param usedMs the total time that the unit reads
 */
export function timeLimitOf(
  { maxTimeAllowed, timeLimitAction }: Pick<LaunchUnit, 'maxTimeAllowed' | 'timeLimitAction'>,
  usedMs: number,
): TimeLimit | null {
  const allowed = (maxTimeAllowed ?? '').trim();
  const limitMs = timespanMs(allowed) ?? durationMs(allowed) ?? 0;
  const [action = '', message = ''] = (timeLimitAction ?? '').toLowerCase().split(',');
  const exits = action.trim().startsWith('e');
  const hasMessage = message.trim().startsWith('m');
  if (limitMs === 0 || !(exits || hasMessage)) return null;
  return { leftMs: Math.max(0, limitMs - usedMs), exits, hasMessage };
}
