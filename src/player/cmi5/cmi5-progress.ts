import type { PlayableVersion } from '../../content/courses/playable-version.ts';
import type { LaunchUnit } from '../../course-packages/package-description.ts';
import type { UnitState } from '../attempts/attempt.ts';
import type { AttemptInProgress, UnitResult } from '../attempts/attempt-service.ts';
import { isObject, type Statement } from '../lrs/xapi-types.ts';
import { durationMs } from '../sessions/durations.ts';
import type { Session } from '../sessions/session.ts';
import { scoreOfResult } from '../xapi/xapi-status.ts';
import { factsOf, isSatisfied, type SessionFacts, statusOf, type UnitFacts } from './cmi5-facts.ts';
import { type Cmi5AttemptState, newlySatisfied } from './cmi5-satisfaction.ts';
import { satisfied } from './cmi5-statements.ts';
import type { Cmi5Verb } from './cmi5-vocabulary.ts';

/** The facts after a statement that was admitted. */
export function withStatement(
  facts: { session: SessionFacts; unit: UnitFacts },
  statement: Statement,
  verb: Cmi5Verb | null,
): { session: SessionFacts; unit: UnitFacts } {
  const result = isObject(statement.result) ? statement.result : {};
  const { session, unit } = facts;
  const score = scoreOfResult(result.score) ?? unit.score;
  switch (verb) {
    case 'initialized':
      return { session: { ...session, initialized: true }, unit };
    case 'completed':
      return { session, unit: { ...unit, completed: true } };
    case 'passed':
      return { session: { ...session, judged: true }, unit: { ...unit, passed: true, failed: false, score } };
    case 'failed':
      return { session: { ...session, judged: true }, unit: { ...unit, failed: true, score } };
    case 'terminated': {
      const spentMs = unit.spentMs + (durationMs(result.duration) ?? 0);
      return { session: { ...session, terminated: true }, unit: { ...unit, spentMs } };
    }
    default:
      return facts;
  }
}

/** What a unit's facts are worth for its registration. */
export function resultOf(unit: LaunchUnit, facts: UnitFacts): UnitResult {
  return {
    unitId: unit.id,
    position: null,
    apply: () => ({ data: { ...facts }, status: statusOf(unit, facts), visitMs: facts.spentMs }),
  };
}

/**
 * What the facts of units mean for the attempt: results of units that require nothing, and the statements of the service
 * about blocks and the course. Nothing if the launch does not count.
 * @param changed by unit, those that differ from what is stored
 */
export function consequences({
  course,
  present,
  session,
  changed,
  now,
  baseUrl,
}: {
  course: PlayableVersion;
  present: AttemptInProgress;
  session: Session;
  changed: ReadonlyMap<string, UnitFacts>;
  now: number;
  baseUrl: string;
}): { results: UnitResult[]; says: Statement[] } {
  if (session.mode !== 'Normal') return { results: [], says: [] };
  const stored = new Map<string, UnitState>(present.units.map((unit) => [unit.unitId, unit]));
  const results: UnitResult[] = [];
  const done = new Set<string>();
  for (const unit of course.units) {
    const before = stored.get(unit.id) ?? null;
    const facts = changed.get(unit.id) ?? factsOf(before);
    if (isSatisfied(unit, facts)) done.add(unit.id);
    // A unit that requires nothing is satisfied before it is opened.
    const isDoneUnseen = before === null && isSatisfied(unit, facts);
    if (changed.has(unit.id) || isDoneUnseen) results.push(resultOf(unit, facts));
  }
  const said = (present.attempt.state as Cmi5AttemptState | null)?.satisfied ?? [];
  const parts = newlySatisfied(course, done, { said, baseUrl });
  const [first] = results;
  if (parts.length > 0 && first !== undefined) {
    const state: Cmi5AttemptState = { satisfied: [...said, ...parts.map(({ publisherId }) => publisherId)] };
    results[0] = { ...first, state };
  }
  return { results, says: first === undefined ? [] : parts.map((part) => satisfied({ session, now }, part)) };
}
