import type { LaunchUnit } from '../course-packages/package-description.ts';
import { timespanMs } from './scorm/scorm12-status.ts';
import { durationMs } from './scorm/scorm2004-status.ts';

/** The time that a unit allows its learner. */
export interface TimeLimit {
  /** How much of it is left; 0 when it is used up. */
  leftMs: number;
  /** Whether the unit ends when it is over. */
  exits: boolean;
  /** Whether the learner receives a message. */
  says: boolean;
}

/**
 * What the player does about `max_time_allowed` and `time_limit_action`; null when that is nothing. AICC abbreviates the
 * action. A limit of no time is how authoring tools say that there is none.
 * @param usedMs what the unit reads as its total time
 */
export function timeLimitOf(
  { maxTimeAllowed, timeLimitAction }: Pick<LaunchUnit, 'maxTimeAllowed' | 'timeLimitAction'>,
  usedMs: number,
): TimeLimit | null {
  const allowed = (maxTimeAllowed ?? '').trim();
  const limitMs = timespanMs(allowed) ?? durationMs(allowed) ?? 0;
  const [action = '', message = ''] = (timeLimitAction ?? '').toLowerCase().split(',');
  const exits = action.trim().startsWith('e');
  const says = message.trim().startsWith('m');
  if (limitMs === 0 || !(exits || says)) return null;
  return { leftMs: Math.max(0, limitMs - usedMs), exits, says };
}
