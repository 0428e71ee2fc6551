import type { RuleCondition, SequencingRule } from '../../../course-packages/scorm-sequencing.ts';
import type { Activity } from './activity.ts';

/** The value of a condition; null means unknown. */
export type Truth = boolean | null;

/** A condition of a sequencing or a rollup rule. */
export type AnyCondition = Pick<RuleCondition, 'operator'> & {
  readonly condition: RuleCondition['condition'];
} & Partial<Pick<RuleCondition, 'referencedObjective' | 'measureThreshold'>>;

/** The action of the first rule that applies (UP.2); null if none applies. */
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

/** Combines conditions (UP.2.1, RB.1.4.1). Without conditions, the result is unknown. */
export function evaluateConditions(
  activity: Activity,
  conditions: readonly AnyCondition[],
  combination: 'all' | 'any',
  inRollup: boolean,
): Truth {
  if (conditions.length === 0) return null;
  const decisive = combination === 'any';
  let isUnknown = false;
  for (const condition of conditions) {
    const value = evaluate(activity, condition, inRollup);
    if (value === decisive) return decisive;
    if (value === null) isUnknown = true;
  }
  return isUnknown ? null : !decisive;
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
      // SCORM does not use the time range (Sequencing and Navigation 3.7).
      return null;
    case 'always':
      return true;
  }
}

/** In the fourth edition, a condition may refer to the completion of another objective, which a map can read. */
function completedOf(activity: Activity, id: string | null, inRollup: boolean): Truth {
  if (!activity.isTracked) return null;
  const objective = activity.objective(id);
  if (objective === undefined) return null;
  if (objective === activity.primary) return activity.completed(inRollup);
  return objective.get('completed', inRollup && activity.hasOldProgress);
}

function isTimeLimitExceeded({ timeLimitMs, attemptMs }: Activity): Truth {
  return timeLimitMs === null ? null : attemptMs >= timeLimitMs;
}

/** Whether an activity cannot be delivered, because it is disabled or its attempts are used up (UP.5). */
export function isBlocked(activity: Activity): boolean {
  return hasPreCondition(activity, 'disabled') || isLimitReached(activity);
}

/** UP.1. SCORM requires only one of the limit conditions, the attempt limit. */
function isLimitReached({ sequencing, isTracked, isActive, isSuspended, attempts }: Activity): boolean {
  const { attemptLimit } = sequencing.limitConditions;
  return isTracked && !isActive && !isSuspended && attemptLimit !== null && attempts >= attemptLimit;
}
