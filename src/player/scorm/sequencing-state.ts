import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { RollupRule } from '../../course-packages/scorm-sequencing.ts';
import type { UnitState } from '../attempts/attempt.ts';
import { scaledScore } from '../attempts/bounded-score.ts';
import type { RolledUpStatus } from '../attempts/roll-up.ts';
import { MAX_UNIT_ID_LENGTH } from '../attempts/unit-ids.ts';
import { cmiOf, hasTerminated, isLeftOpen } from './cmi.ts';
import { readFormerState } from './former-sequencing-state.ts';
import type { Activity } from './sequencing/activity.ts';
import type { ActivityTreeDefinition } from './sequencing/activity-definition.ts';
import { ActivityTree } from './sequencing/activity-tree.ts';
import { beginAttempts, endAttempt } from './sequencing/attempts.ts';
import { rollUpFrom } from './sequencing/rollup.ts';
import type { ObjectiveProgress, SequencingState } from './sequencing/tracking.ts';
import { trackUnit } from './sequencing/unit-tracking.ts';

/** Maximum characters of a store of `adl.data`, as in the standard (Run-Time Environment 4.3.1). */
export const MAX_STORE_LENGTH = 64_000;

const optional = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);
const Id = Type.String({ maxLength: MAX_UNIT_ID_LENGTH });

/** The tracked data of an objective. */
const Progress = Type.Object(
  {
    satisfied: optional(Type.Boolean()),
    measure: optional(Type.Number()),
    raw: optional(Type.Number()),
    min: optional(Type.Number()),
    max: optional(Type.Number()),
    completed: optional(Type.Boolean()),
    progress: optional(Type.Number()),
  },
  { additionalProperties: false },
);

const ActivityData = Type.Object(
  {
    attempts: Type.Integer({ minimum: 0 }),
    isActive: Type.Boolean(),
    isSuspended: Type.Boolean(),
    hasOldObjectives: Type.Boolean(),
    hasOldProgress: Type.Boolean(),
    hasSetSuccess: Type.Boolean(),
    hasSetCompletion: Type.Boolean(),
    hasEnded: Type.Boolean(),
    attemptMs: Type.Number({ minimum: 0 }),
    objectives: Type.Array(Progress),
    available: optional(Type.Array(Id)),
  },
  { additionalProperties: false },
);

const VALUES = {
  objectives: Type.Record(Type.String(), Progress),
  stores: Type.Record(Type.String(), Type.String({ maxLength: MAX_STORE_LENGTH })),
};

const State = Type.Object(
  {
    format: Type.Literal(2),
    current: optional(Id),
    suspended: optional(Id),
    activities: Type.Record(Type.String(), ActivityData),
    ...VALUES,
  },
  { additionalProperties: false },
);

/** Compiled, because each save of a learner is checked and may have thousands of members. */
const stateCheck = Compile(State);
const progressCheck = Compile(Progress);
const valuesCheck = Compile(Type.Object(VALUES));

/** Shared objectives and stores, by their id. */
export type SharedValues = Pick<SequencingState, 'objectives' | 'stores'>;

/** Whether a value is the tracked data of an objective. */
export function isProgress(value: unknown): value is ObjectiveProgress {
  return progressCheck.Check(value);
}

/**
 * The sequencing state that the page stored; null if it is missing or invalid.
 * @param state the data that all units share. An earlier release used another format
 */
export function readSequencingState(state: unknown, tree: ActivityTreeDefinition): SequencingState | null {
  const kept = (state as { sequencing?: unknown } | null | undefined)?.sequencing;
  if (typeof kept === 'string') return readFormerState(kept, tree);
  return stateCheck.Check(kept) ? kept : null;
}

/**
 * The shared values that the latest page was given. Null once the page has saved a state, or if the stored state already
 * had the same values.
 */
export function readGivenValues(state: unknown): SharedValues | null {
  const given = (state as { given?: unknown } | null | undefined)?.given;
  return valuesCheck.Check(given) ? given : null;
}

/**
 * The status of a sequenced course. It is the status of the root activity, which the manifest's rollup rules decide. A
 * terminated unit counts as if the learner had left it. The report of an open unit counts once it decides the course.
 * @param unit the unit whose report came with the state; null if there is none
 */
export function rolledUpStatus(
  state: SequencingState,
  definition: ActivityTreeDefinition,
  unit: UnitState | null = null,
): RolledUpStatus {
  const tree = new ActivityTree(definition, state, () => 0);
  const { current, root } = tree;
  if (!current?.isActive) return statusOf(root);
  if (current.hasEnded) endAttempt(tree, current);
  const status = statusOf(root);
  if (unit === null || !isReportOf(current, unit)) return status;
  trackUnit(current, { cmi: cmiOf(unit), set: new Set(), elapsedMs: 0 });
  rollUpFrom(current, root);
  const reported = statusOf(root);
  return isDecided(reported, status) ? reported : status;
}

/**
 * The sequencing state of an attempt that began before the course was sequenced: earlier releases played all courses of
 * one unit without. It is as if the page was closed while the unit was open, so all visits count as one attempt. Null
 * for a course of several units.
 * @param unit the unit, as it was stored without sequencing
 */
export function begunState(definition: ActivityTreeDefinition, unit: UnitState): SequencingState | null {
  return begunTree(definition, unit)?.state() ?? null;
}

function begunTree(definition: ActivityTreeDefinition, unit: UnitState): ActivityTree | null {
  const tree = new ActivityTree(definition, null, () => 0);
  const { only } = tree;
  if (only?.id !== unit.unitId) return null;
  beginAttempts(tree, only);
  trackUnit(only, { cmi: cmiOf(unit), set: new Set(), elapsedMs: unit.durationMs });
  // An asset has no data, and its attempt continues.
  only.hasEnded = unit.data !== null && !isLeftOpen(unit);
  rollUpFrom(only, tree.root);
  return tree;
}

/**
 * The status of a course of one unit that is played without sequencing. Where its rollup rules say nothing, it is the
 * status of the unit.
 */
export function statusByRules(definition: ActivityTreeDefinition, unit: UnitState): RolledUpStatus {
  const { completion, success, score } = unit;
  const isJudged = success !== 'UNKNOWN';
  const tree = begunTree(definition, unit);
  const { current: only, root } = tree ?? {};
  if (tree === null || !only || root === undefined) return { completion, success, score, isJudged };
  if (only.hasEnded) endAttempt(tree, only);
  const ruled = statusOf(root);
  return {
    completion: isRuled(only, 'completed', 'incomplete') ? ruled.completion : completion,
    success: isRuled(only, 'satisfied', 'notSatisfied') ? ruled.success : success,
    score,
    isJudged: isJudged || ruled.success !== 'UNKNOWN',
  };
}

/** Whether rollup rules with these actions decide from the status of a unit. */
function isRuled(unit: Activity, ...actions: RollupRule['action'][]): boolean {
  const isAboutObjectives = actions.includes('satisfied');
  const contributes = ({ isTracked, sequencing: { rollup } }: Activity) =>
    isTracked && (isAboutObjectives ? rollup.objectiveSatisfied : rollup.progressCompletion);
  const [root, ...below] = unit.path().toReversed();
  return (
    below.every(contributes) &&
    [root, ...below].some(
      (each) => !each?.isLeaf && each?.sequencing.rollup.rules.some(({ action }) => actions.includes(action)),
    )
  );
}

function statusOf(root: Activity): RolledUpStatus {
  const satisfied = root.satisfied(null);
  const measure = root.measure(null);
  return {
    completion: root.completed() === true ? 'Completed' : 'Incomplete',
    success: satisfied === null ? 'UNKNOWN' : satisfied ? 'PASS' : 'FAIL',
    score: measure === null ? null : scaledScore(measure),
    isJudged: root.availableActivities().some((each) => each.isLeaf && each.satisfied(null, true) !== null),
  };
}

/**
 * Whether a unit has reported for the current attempt on an activity. An asset reports nothing. After a unit has
 * terminated without suspending, a rule may have begun another attempt on it.
 */
function isReportOf(current: Activity, unit: UnitState): boolean {
  return unit.unitId === current.id && unit.data !== null && (!hasTerminated(unit) || current.isSuspended);
}

/**
 * Whether a report completes the course, or changes whether it is passed. Other reports wait until the unit is left: the
 * score of a passed course must not drop because the learner tries one of its units again.
 */
function isDecided(reported: RolledUpStatus, before: RolledUpStatus): boolean {
  const isCompleted = reported.completion === 'Completed' && before.completion !== 'Completed';
  return isCompleted || (reported.success !== 'UNKNOWN' && reported.success !== before.success);
}
