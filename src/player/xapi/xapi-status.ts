import type { LearningStatus, UnitState } from '../attempts/attempt.ts';
import { NOTHING_LEARNED } from '../attempts/attempt.ts';
import { isObject, type JsonObject, type Statement } from '../lrs/xapi-types.ts';
import { durationMs } from '../sessions/durations.ts';

const MIN = 0;
const MAX = 100;
/** Verbs with the same last part mean the same, whoever defined them. */
const COMPLETING = ['completed', 'passed', 'failed', 'mastered'];
/** Verbs whose duration is that of the visit. */
const TIMED = ['completed', 'passed', 'failed', 'mastered', 'terminated', 'suspended', 'exited', 'attempted'];

/** What is kept of a unit of an xAPI course. */
export interface XapiUnitData {
  status: LearningStatus;
  /** The session that was counted last, and the time of it and of those before. */
  sessionId: string | null;
  sessionMs: number;
  earlierMs: number;
}

/** What a unit of an xAPI course left. */
export function readXapiUnit(present: UnitState | null): XapiUnitData {
  const data = (present?.data ?? {}) as Partial<XapiUnitData>;
  return {
    status: data.status ?? NOTHING_LEARNED,
    sessionId: data.sessionId ?? null,
    sessionMs: data.sessionMs ?? 0,
    earlierMs: data.earlierMs ?? 0,
  };
}

/**
 * What a statement about the unit means. `passed` and `failed` are completed too, since courses that send them rarely send
 * both; every other verb means only that the unit was begun.
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

/** The duration that a statement gives the visit; null when it gives none. */
export function visitMsOf({ verb, result }: Statement): number | null {
  return TIMED.includes(verbName(verb.id)) && isObject(result) ? durationMs(result.duration) : null;
}

/** A score on the scale 0 to 100: scaled, else its share of the range, else as it is. */
export function scoreOfResult(score: unknown): number | null {
  if (!isObject(score)) return null;
  const { scaled, raw, min, max } = score;
  if (typeof scaled === 'number') return bounded(scaled * MAX);
  if (typeof raw !== 'number') return null;
  const low = typeof min === 'number' ? min : MIN;
  const high = typeof max === 'number' ? max : MAX;
  return bounded(high > low ? ((raw - low) / (high - low)) * MAX : raw);
}

function bounded(score: number): number {
  return Number(Math.min(MAX, Math.max(MIN, score)).toFixed(6));
}

function verbName(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1).toLowerCase();
}
