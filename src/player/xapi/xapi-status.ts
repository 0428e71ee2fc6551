import { isObject } from '../../is-object.ts';
import type { LearningStatus, UnitState } from '../attempts/attempt.ts';
import { NOTHING_LEARNED } from '../attempts/attempt.ts';
import { scaledScore, scoreInRange } from '../attempts/bounded-score.ts';
import type { JsonObject, Statement } from '../lrs/xapi-types.ts';
import { durationMs } from '../sessions/durations.ts';
import { readSessionTimes, type SessionTimes } from '../sessions/session-times.ts';

/** Verbs with the same last path segment mean the same, whoever defined them. */
const COMPLETING = ['completed', 'passed', 'failed', 'mastered'];
/** Verbs whose duration is that of the visit. */
const TIMED = ['completed', 'passed', 'failed', 'mastered', 'terminated', 'suspended', 'exited', 'attempted'];

/** The stored data of a unit of an xAPI course. */
export interface XapiUnitData extends SessionTimes {
  status: LearningStatus;
}

/** Reads the stored data of a unit of an xAPI course. */
export function readXapiUnit(unit: UnitState | null): XapiUnitData {
  const data = (unit?.data ?? {}) as Partial<XapiUnitData>;
  return { status: data.status ?? NOTHING_LEARNED, ...readSessionTimes(data) };
}

/**
 * The status that a statement reports for its unit. `passed` and `failed` also complete the unit, since courses that
 * send them rarely send `completed`. A verb that does not complete the unit means only that it was begun.
 */
export function statusOfStatement({ verb, result }: Statement): LearningStatus {
  const name = verbName(verb.id);
  const { success, completion, score } = isObject(result) ? result : ({} as JsonObject);
  const isCompleted = completion === true || COMPLETING.includes(name);
  const passed = success === true || (success === undefined && (name === 'passed' || name === 'mastered'));
  const failed = success === false || (success === undefined && name === 'failed');
  return {
    completion: isCompleted ? 'Completed' : 'Incomplete',
    success: passed ? 'PASS' : failed ? 'FAIL' : 'UNKNOWN',
    score: scoreOfResult(score),
  };
}

/** The duration of the visit that a statement reports, in milliseconds; null if it reports none. */
export function visitMsOf({ verb, result }: Statement): number | null {
  return TIMED.includes(verbName(verb.id)) && isObject(result) ? durationMs(result.duration) : null;
}

/**
 * A score from 0 to 100: the scaled score, or else the raw score as a share of its range. If the range is invalid, the
 * raw score counts unchanged. Null without a score, or if the numbers are too large to calculate with.
 */
export function scoreOfResult(score: unknown): number | null {
  if (!isObject(score)) return null;
  const { scaled, raw, min, max } = score;
  if (typeof scaled === 'number') return scaledScore(scaled);
  if (typeof raw !== 'number') return null;
  return scoreInRange(raw, typeof min === 'number' ? min : null, typeof max === 'number' ? max : null);
}

function verbName(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1).toLowerCase();
}
