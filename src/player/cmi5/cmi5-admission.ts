import type { LaunchUnit } from '../../course-packages/package-description.ts';
import { isObject } from '../../is-object.ts';
import { ProblemError } from '../../problems/problem.ts';
import type { RequestPlace } from '../content-origin/request-order.ts';
import { type JsonObject, type Statement, VOIDED } from '../lrs/xapi-types.ts';
import type { Session } from '../sessions/session.ts';
import { isTerminatedBefore, type SessionFacts, type UnitFacts } from './cmi5-facts.ts';
import {
  CATEGORY_CMI5,
  CATEGORY_MOVE_ON,
  type Cmi5Verb,
  cmi5VerbOf,
  MASTERY_SCORE,
  SESSION_ID,
} from './cmi5-vocabulary.ts';

/** The state that determines whether a unit may send a statement. */
export interface Admission {
  session: Session;
  unit: Pick<LaunchUnit, 'id' | 'masteryScore'>;
  facts: SessionFacts;
  unitFacts: UnitFacts;
  /** Null unless the page sent the statement while it was being closed. */
  lastRequest: RequestPlace | null;
}

const UTC = /(?:Z|\+00(?::?00)?)$/i;
const OF_THE_SERVICE: readonly Cmi5Verb[] = ['launched', 'abandoned', 'waived', 'satisfied'];
const WITH_MOVE_ON: readonly Cmi5Verb[] = ['completed', 'passed', 'failed'];
const TIMED: readonly Cmi5Verb[] = ['completed', 'passed', 'failed', 'terminated'];

/**
 * Checks that a unit may send a statement now (cmi5 sections 7.1 and 9). Returns the verb if cmi5 defines the
 * statement, and null for other allowed statements.
 * @throws {ProblemError} `forbidden`
 */
export function admitStatement(statement: Statement, admission: Admission): Cmi5Verb | null {
  const { session, facts, lastRequest } = admission;
  const context = objectIn(statement, 'context');
  const categories = activityIds(context, 'category');
  const isDefined = categories.includes(CATEGORY_CMI5);
  const verb = cmi5VerbOf(statement.verb.id);

  if (statement.verb.id === VOIDED) throw forbidden('A unit may not void statements (6.3)');
  if (statement.id === undefined) throw forbidden('A statement must have an id (9.1)');
  if (!UTC.test(statement.timestamp ?? '')) throw forbidden('A statement must have a timestamp in UTC (9.7)');
  if (objectIn(context, 'extensions')[SESSION_ID] !== session.sessionId) {
    throw forbidden('The context must contain the session id (9.6.3.1)');
  }
  if (String(context.registration ?? '').toLowerCase() !== session.registration) {
    throw forbidden('The context must contain the registration (9.6.1)');
  }
  if (!activityIds(context, 'grouping').includes(admission.unit.id)) {
    throw forbidden('The context must contain everything in the context template (9.6.2)');
  }
  if (facts.abandoned) throw forbidden('The session was abandoned (9.3.6)');
  if (isDefined && verb === 'terminated' ? facts.terminated : isTerminatedBefore(facts, lastRequest))
    throw forbidden('The session is already terminated (9.3.8)');
  if (isDefined && verb === 'initialized') {
    if (facts.initialized) throw forbidden('The session is already initialized (9.3.2)', true);
    if (!facts.preferencesRead) throw forbidden("The unit must read the learner's preferences first (11)");
  } else if (!facts.initialized) throw forbidden('The session is not initialized yet (9.3.2)');

  if (!isDefined) {
    if (categories.includes(CATEGORY_MOVE_ON)) {
      throw forbidden('Only statements that cmi5 defines may have the category moveon (9.6.2.2)');
    }
    return null;
  }
  if (verb === null) throw forbidden('cmi5 defines no statement with this verb (9.3)');
  if (OF_THE_SERVICE.includes(verb)) throw forbidden(`A unit may not send ${verb} (9.3)`);
  assertDefined(statement, verb, admission, categories.includes(CATEGORY_MOVE_ON));
  return verb;
}

function assertDefined(
  statement: Statement,
  verb: Cmi5Verb,
  { session, unit, facts, unitFacts }: Admission,
  hasMoveOn: boolean,
): void {
  if (statement.object.id !== session.activityId) {
    throw forbidden('The object must be the launched activity (9.4)');
  }
  assertResult(statement, verb, unit.masteryScore, hasMoveOn);
  if (!WITH_MOVE_ON.includes(verb)) return;
  if (session.mode !== 'Normal')
    throw forbidden(`A unit may not send ${verb} in the launch mode ${session.mode} (10.2.2)`);
  if (verb === 'completed') {
    if (unitFacts.completed) throw forbidden('The unit is already completed (9.3.3)', true);
    return;
  }
  const isKnown = verb === 'failed' || unitFacts.passed;
  if (facts.judged) throw forbidden('The session already has a passed or failed statement (9.3)', isKnown);
  if (unitFacts.passed) throw forbidden('The unit is already passed (9.3.4)', isKnown);
}

function assertResult(
  statement: Statement,
  verb: Cmi5Verb,
  masteryScore: number | null,
  hasMoveOn: boolean,
): void {
  const result = objectIn(statement, 'result');
  const { success, completion, duration, score } = result;
  const isVerdict = verb === 'passed' || verb === 'failed';
  if (isVerdict ? success !== (verb === 'passed') : success !== undefined) {
    throw forbidden('The success in the result does not match the verb (9.5.2)');
  }
  if (verb === 'completed' ? completion !== true : completion !== undefined) {
    throw forbidden('The completion in the result does not match the verb (9.5.3)');
  }
  if (hasMoveOn !== WITH_MOVE_ON.includes(verb)) {
    throw forbidden('The category moveon does not match the verb (9.6.2.2)');
  }
  if (TIMED.includes(verb) && duration === undefined)
    throw forbidden('The result must contain a duration (9.5.4.1)');
  if (score === undefined) return;
  if (!isVerdict) throw forbidden('Only passed and failed may have a score (9.5.1)');
  if (isObject(score)) assertScore(statement, score, verb, masteryScore);
}

function assertScore(
  statement: Statement,
  { scaled, raw, min, max }: JsonObject,
  verb: Cmi5Verb,
  masteryScore: number | null,
): void {
  if (raw !== undefined && (min === undefined || max === undefined)) {
    throw forbidden('A raw score requires min and max (9.5.1)');
  }
  if (masteryScore === null) return;
  if (typeof scaled === 'number' && (verb === 'passed' ? scaled < masteryScore : scaled >= masteryScore)) {
    throw forbidden(`The score contradicts the verb: the mastery score is ${masteryScore} (9.3)`);
  }
  const extensions = objectIn(objectIn(statement, 'context'), 'extensions');
  if (extensions[MASTERY_SCORE] !== masteryScore) {
    throw forbidden('The context must contain the mastery score (9.6.3.2)');
  }
}

function activityIds(context: JsonObject, name: string): unknown[] {
  const activities = objectIn(context, 'contextActivities')[name];
  return activities === undefined ? [] : [activities].flat().map((each) => (isObject(each) ? each.id : null));
}

function objectIn(value: JsonObject, name: string): JsonObject {
  const member = value[name];
  return isObject(member) ? member : {};
}

/** @param isRepeated whether nothing of what counts is missing without the statement. Then the player does not mention it */
function forbidden(detail: string, isRepeated = false): ProblemError {
  return new ProblemError('forbidden', `cmi5: ${detail}`, {
    members: isRepeated ? { reason: 'repeated' } : {},
  });
}
