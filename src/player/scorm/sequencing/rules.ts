import type { RuleCondition, SequencingRule } from '../../../course-packages/scorm-sequencing.ts';
import { durationMs } from '../scorm2004-status.ts';
import type { Activity } from './activity.ts';

/** Conditions have three values; null is unknown. */
export type Truth = boolean | null;

/** A condition of a sequencing or a rollup rule. */
export type AnyCondition = Pick<RuleCondition, 'operator'> & {
  readonly condition: RuleCondition['condition'];
} & Partial<Pick<RuleCondition, 'referencedObjective' | 'measureThreshold'>>;

/** The first rule of a list that applies (UP.2); null when none does. */
export function checkRules<Action extends string>(
  activity: Activity,
  rules: readonly SequencingRule<Action>[],
  ...actions: Action[]
): Action | null {
  const rule = rules.find(
    ({ action, conditions, combination }) =>
      (actions.length === 0 || actions.includes(action)) &&
      evaluateConditions(activity, conditions, combination, false) === true,
  );
  return rule?.action ?? null;
}

/** Whether a precondition rule with this action applies. */
export function hasPreCondition(
  activity: Activity,
  action: 'skip' | 'disabled' | 'hiddenFromChoice' | 'stopForwardTraversal',
): boolean {
  return checkRules(activity, activity.sequencing.preConditionRules, action) !== null;
}

/** All or any of several conditions (UP.2.1, RB.1.4.1). No conditions are unknown. */
export function evaluateConditions(
  activity: Activity,
  conditions: readonly AnyCondition[],
  combination: 'all' | 'any',
  inRollup: boolean,
): Truth {
  if (conditions.length === 0) return null;
  const values = conditions.map((condition) => evaluate(activity, condition, inRollup));
  if (combination === 'any') return values.includes(true) ? true : values.includes(null) ? null : false;
  return values.includes(false) ? false : values.includes(null) ? null : true;
}

function evaluate(activity: Activity, condition: AnyCondition, inRollup: boolean): Truth {
  const value = plainValue(activity, condition, inRollup);
  return condition.operator === 'not' && value !== null ? !value : value;
}

function plainValue(
  activity: Activity,
  { condition, referencedObjective = null, measureThreshold = 0 }: AnyCondition,
  inRollup: boolean,
): Truth {
  switch (condition) {
    case 'satisfied':
      return activity.satisfied(referencedObjective, inRollup);
    case 'objectiveStatusKnown':
      return activity.satisfied(referencedObjective, inRollup) !== null;
    case 'objectiveMeasureKnown':
      return activity.measure(referencedObjective, inRollup) !== null;
    case 'objectiveMeasureGreaterThan':
    case 'objectiveMeasureLessThan': {
      const measure = activity.measure(referencedObjective, inRollup);
      if (measure === null) return null;
      return condition === 'objectiveMeasureGreaterThan'
        ? measure > measureThreshold
        : measure < measureThreshold;
    }
    case 'completed':
      return completedOf(activity, referencedObjective, inRollup);
    case 'activityProgressKnown':
      return completedOf(activity, referencedObjective, inRollup) !== null;
    case 'attempted':
      return activity.attempts > 0;
    case 'attemptLimitExceeded': {
      const { attemptLimit } = activity.sequencing.limitConditions;
      return attemptLimit === null ? null : activity.attempts >= attemptLimit;
    }
    case 'timeLimitExceeded':
      return isTimeLimitExceeded(activity);
    case 'outsideAvailableTimeRange':
      // SCORM has no use for the range (Sequencing and Navigation 3.7).
      return null;
    case 'always':
      return true;
  }
}

/** The fourth edition lets a condition ask for the completion of another objective, which a map can read. */
function completedOf(activity: Activity, id: string | null, inRollup: boolean): Truth {
  if (!activity.isTracked) return null;
  const objective = activity.objective(id);
  if (objective === undefined) return null;
  if (objective === activity.primary) return activity.completed(inRollup);
  return objective.get('completed', inRollup && activity.hasOldProgress);
}

function isTimeLimitExceeded({ sequencing, attemptMs }: Activity): Truth {
  const { attemptAbsoluteDurationLimit } = sequencing.limitConditions;
  const limit = attemptAbsoluteDurationLimit === null ? null : durationMs(attemptAbsoluteDurationLimit);
  return limit === null ? null : attemptMs >= limit;
}

/** Whether an activity cannot be delivered: disabled, or its attempts are used up (UP.5). */
export function isBlocked(activity: Activity): boolean {
  return hasPreCondition(activity, 'disabled') || isLimitReached(activity);
}

/** UP.1. Of the limit conditions SCORM requires only the limit of attempts. */
function isLimitReached({ sequencing, isTracked, isActive, isSuspended, attempts }: Activity): boolean {
  const { attemptLimit } = sequencing.limitConditions;
  return isTracked && !isActive && !isSuspended && attemptLimit !== null && attempts >= attemptLimit;
}
