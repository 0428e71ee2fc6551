import type { PlayableVersion } from '../../content/courses/playable-version.ts';
import type { LaunchUnit } from '../../course-packages/package-description.ts';
import { isObject } from '../../is-object.ts';
import type { UnitState } from '../attempts/attempt.ts';
import type { AttemptInProgress } from '../attempts/attempt-service.ts';
import type { UnitResult } from '../attempts/unit-result.ts';
import type { RequestPlace } from '../content-origin/request-order.ts';
import type { Statement } from '../lrs/xapi-types.ts';
import { durationMs } from '../sessions/durations.ts';
import type { Session } from '../sessions/session.ts';
import { scoreOfResult } from '../xapi/xapi-status.ts';
import { factsOf, isSatisfied, type SessionFacts, statusOf, type UnitFacts } from './cmi5-facts.ts';
import { type Cmi5AttemptState, newlySatisfied } from './cmi5-satisfaction.ts';
import { satisfied } from './cmi5-statements.ts';
import type { Cmi5Verb } from './cmi5-vocabulary.ts';

/** What has happened in a session, and the progress of its unit. */
interface Facts {
  session: SessionFacts;
  unit: UnitFacts;
}

/**
 * The progress after an admitted statement.
 * @param elapsedMs the time since the session began
 * @param lastRequest null unless the page sent the statement while it was being closed
 */
export function withStatement(
  facts: Facts,
  statement: Statement,
  {
    verb,
    elapsedMs,
    lastRequest,
  }: { verb: Cmi5Verb | null; elapsedMs: number; lastRequest: RequestPlace | null },
): Facts {
  const result = isObject(statement.result) ? statement.result : {};
  const reportedMs = durationMs(result.duration) ?? 0;
  // The duration of a result may include earlier sessions.
  const untilNow = () => ({
    ...facts.session,
    reportedMs: Math.max(facts.session.reportedMs, Math.min(reportedMs, elapsedMs)),
  });
  const score = scoreOfResult(result.score);
  switch (verb) {
    case 'initialized':
      return { session: { ...facts.session, initialized: true }, unit: facts.unit };
    case 'completed':
      return { session: untilNow(), unit: { ...facts.unit, completed: true } };
    case 'passed':
      return {
        session: { ...untilNow(), judged: true },
        unit: { ...facts.unit, passed: true, failed: false, score },
      };
    case 'failed':
      return {
        session: { ...untilNow(), judged: true },
        unit: { ...facts.unit, failed: true, score: score ?? facts.unit.score },
      };
    case 'terminated':
      return {
        session: { ...facts.session, terminated: true, terminatedBy: placeOf(lastRequest) },
        unit: withEnded(facts, reportedMs),
      };
    default:
      return facts;
  }
}

/** Only what is stored. */
function placeOf(lastRequest: RequestPlace | null): RequestPlace | null {
  return lastRequest === null ? null : { page: lastRequest.page, number: lastRequest.number };
}

/** The progress of the unit when the session ends after this time. */
export function withEnded({ session, unit }: Facts, ms: number): UnitFacts {
  return { ...unit, spentMs: unit.spentMs + Math.max(session.reportedMs, ms) };
}

/** The time of a session that has not ended; otherwise 0. */
export function openTimeOf({ terminated, abandoned, reportedMs }: SessionFacts): number {
  return terminated || abandoned ? 0 : reportedMs;
}

/**
 * The result of a unit for its registration.
 * @param openMs the time of the unit's open session. It stays counted if it is missing later.
 */
export function resultOf(unit: LaunchUnit, facts: UnitFacts, openMs = 0): UnitResult {
  return {
    unitId: unit.id,
    position: null,
    apply: () => ({ data: { ...facts }, status: statusOf(unit, facts), visitMs: facts.spentMs + openMs }),
  };
}

/**
 * The effects of changed units on the attempt: results of units without criteria, and `satisfied` statements for blocks
 * and the course. Empty if the session's mode is not `Normal`.
 * @param changed progress that differs from what is stored, by unit
 * @param openMs the time of the session, if it has not ended
 */
export function consequences({
  course,
  current,
  session,
  changed,
  openMs = 0,
  now,
  baseUrl,
}: {
  course: PlayableVersion;
  current: AttemptInProgress;
  session: Session;
  changed: ReadonlyMap<string, UnitFacts>;
  openMs?: number;
  now: number;
  baseUrl: string;
}): { results: UnitResult[]; statements: Statement[] } {
  if (session.mode !== 'Normal') return { results: [], statements: [] };
  const stored = new Map<string, UnitState>(current.units.map((unit) => [unit.unitId, unit]));
  const results: UnitResult[] = [];
  const done = new Set<string>();
  for (const unit of course.units) {
    const before = stored.get(unit.id) ?? null;
    const facts = changed.get(unit.id) ?? factsOf(before);
    if (isSatisfied(unit, facts)) done.add(unit.id);
    // A unit without criteria is satisfied before it is opened.
    const isDoneUnseen = before === null && isSatisfied(unit, facts);
    const ofSession = unit.id === session.unitId ? openMs : 0;
    if (changed.has(unit.id) || isDoneUnseen) results.push(resultOf(unit, facts, ofSession));
  }
  const said = (current.state as Cmi5AttemptState | null)?.satisfied ?? [];
  const parts = newlySatisfied(course, done, { said, baseUrl });
  const [first] = results;
  if (parts.length > 0 && first !== undefined) {
    const state: Cmi5AttemptState = { satisfied: [...said, ...parts.map(({ publisherId }) => publisherId)] };
    results[0] = { ...first, state };
  }
  return {
    results,
    statements: first === undefined ? [] : parts.map((part) => satisfied({ session, now }, part)),
  };
}
