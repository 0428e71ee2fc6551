import type { RollupRule } from '../../../course-packages/scorm-sequencing.ts';
import type { Activity } from './activity.ts';
import { evaluateConditions, hasPreCondition, type Truth } from './rules.ts';

/** The rules of an activity whose manifest defines none of a kind (Sequencing and Navigation 4.6.2). */
const DEFAULT_RULES: readonly RollupRule[] = (
  [
    ['notSatisfied', 'objectiveStatusKnown'],
    ['satisfied', 'satisfied'],
    ['incomplete', 'activityProgressKnown'],
    ['completed', 'completed'],
  ] as const
).map(([action, condition]) => ({
  action,
  childActivitySet: 'all',
  minimumCount: 0,
  minimumPercent: 0,
  combination: 'any',
  conditions: [{ condition, operator: 'noOp' }],
}));

/**
 * Rolls up the changes of an activity to all activities above it. Also rolls up to those above any activity that shares
 * an objective with them (Overall Rollup Process, RB.1.5).
 */
export function rollUpFrom(activity: Activity, root: Activity): void {
  const changed = new Set(activity.path());
  const shared = new Set([...changed].flatMap((each) => each.objectives.flatMap((one) => one.written())));
  for (const other of root.availableActivities()) {
    const reads = other.objectives.some(({ definition }) =>
      definition.maps.some(({ targetObjectiveId }) => shared.has(targetObjectiveId)),
    );
    if (!reads) continue;
    // Those above a changed activity have changed, too.
    for (let above = other.parent; above !== null && !changed.has(above); above = above.parent) {
      changed.add(above);
    }
  }
  const clusters = [...changed].filter(({ isLeaf }) => !isLeaf);
  for (const each of clusters.toSorted((a, b) => b.depth - a.depth)) rollUp(each);
}

function rollUp(activity: Activity): void {
  if (activity.available.length === 0 || !activity.isTracked) return;
  rollUpMeasures(activity);
  rollUpSatisfaction(activity);
  rollUpCompletion(activity);
}

/** RB.1.1, for both the score and the progress. */
function rollUpMeasures(activity: Activity): void {
  const tracked = activity.available.filter(({ isTracked }) => isTracked);
  const measure = weightedMean(
    tracked.map((child) => [child.sequencing.rollup.objectiveMeasureWeight, child.measure(null)]),
  );
  activity.primary.set('measure', measure);
  const progress = weightedMean(
    tracked.map((child) => [
      child.definition.completionThreshold?.progressWeight ?? 1,
      child.primary.get('progress'),
    ]),
  );
  activity.primary.set('progress', progress);
}

/** Unknown values count as 0; null if all values are unknown. */
function weightedMean(values: readonly (readonly [number, number | null])[]): number | null {
  if (values.every(([weight, value]) => value === null || weight === 0)) return null;
  const counted = values.reduce((sum, [weight]) => sum + weight, 0);
  return values.reduce((sum, [weight, value]) => sum + weight * (value ?? 0), 0) / counted;
}

/** RB.1.2. With `satisfiedByMeasure`, the measure has already decided. */
function rollUpSatisfaction(activity: Activity): void {
  if (activity.primary.definition.satisfiedByMeasure) return;
  if (applies(activity, 'notSatisfied')) activity.primary.set('satisfied', false);
  if (applies(activity, 'satisfied')) activity.primary.set('satisfied', true);
}

/** RB.1.3. With `completedByMeasure`, the progress has already decided. */
function rollUpCompletion(activity: Activity): void {
  if (activity.definition.completionThreshold?.completedByMeasure) return;
  if (applies(activity, 'incomplete')) activity.primary.set('completed', false);
  if (applies(activity, 'completed')) activity.primary.set('completed', true);
}

type RollupAction = RollupRule['action'];

const KINDS: Record<RollupAction, readonly RollupAction[]> = {
  satisfied: ['satisfied', 'notSatisfied'],
  notSatisfied: ['satisfied', 'notSatisfied'],
  completed: ['completed', 'incomplete'],
  incomplete: ['completed', 'incomplete'],
};

/** RB.1.4. */
function applies(activity: Activity, action: RollupAction): boolean {
  const own = activity.sequencing.rollup.rules;
  const rules = own.some((rule) => KINDS[action].includes(rule.action)) ? own : DEFAULT_RULES;
  const ofAction = rules.filter((rule) => rule.action === action);
  if (ofAction.length === 0) return false;
  const children = activity.available.filter((child) => contributes(child, action));
  return ofAction.some((rule) =>
    isMet(
      rule,
      children.map((child) => evaluateConditions(child, rule.conditions, rule.combination, true)),
    ),
  );
}

function isMet(
  { childActivitySet, minimumCount, minimumPercent }: RollupRule,
  values: readonly Truth[],
): boolean {
  // If no child contributes, `all` and `none` are met, and the others are not.
  const met = values.filter((value) => value === true).length;
  switch (childActivitySet) {
    case 'all':
      return met === values.length;
    case 'any':
      return met > 0;
    case 'none':
      return values.every((value) => value === false);
    case 'atLeastCount':
      return values.length > 0 && met >= minimumCount;
    case 'atLeastPercent':
      return values.length > 0 && met / values.length >= minimumPercent;
  }
}

/** RB.1.4.2. */
function contributes(child: Activity, action: RollupAction): boolean {
  if (!child.isTracked) return false;
  const { rollup, rollupConsiderations } = child.sequencing;
  const isAboutObjectives = action === 'satisfied' || action === 'notSatisfied';
  if (!(isAboutObjectives ? rollup.objectiveSatisfied : rollup.progressCompletion)) return false;
  const required = {
    satisfied: rollupConsiderations.requiredForSatisfied,
    notSatisfied: rollupConsiderations.requiredForNotSatisfied,
    completed: rollupConsiderations.requiredForCompleted,
    incomplete: rollupConsiderations.requiredForIncomplete,
  }[action];
  switch (required) {
    case 'always':
      return true;
    case 'ifAttempted':
      return child.attempts > 0;
    case 'ifNotSkipped':
      return !hasPreCondition(child, 'skip');
    case 'ifNotSuspended':
      return child.attempts > 0 && !child.isSuspended;
  }
}
