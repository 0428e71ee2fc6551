import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ActivityDefinition, ActivityTreeDefinition } from './sequencing/activity-definition.ts';
import {
  type ActivityState,
  type ObjectiveProgress,
  type SequencingState,
  unknownProgress,
} from './sequencing/tracking.ts';

/** The members that are read from the state of earlier releases, which used another engine. */
const FormerObjective = Type.Object({
  id: Type.String(),
  satisfiedStatus: Type.Boolean(),
  measureStatus: Type.Boolean(),
  normalizedMeasure: Type.Number(),
  progressStatus: Type.Optional(Type.Boolean()),
  satisfiedStatusKnown: Type.Optional(Type.Boolean()),
});
const FormerActivity = Type.Object({
  isActive: Type.Boolean(),
  isSuspended: Type.Boolean(),
  completionStatus: Type.String(),
  attemptCount: Type.Integer({ minimum: 0 }),
  objectiveSatisfiedStatus: Type.Boolean(),
  objectiveSatisfiedStatusKnown: Type.Boolean(),
  objectiveMeasureStatus: Type.Boolean(),
  objectiveNormalizedMeasure: Type.Number(),
  objectives: Type.Object({ objectives: Type.Array(FormerObjective) }),
});
const FormerState = Type.Object({
  sequencing: Type.Object({
    currentActivity: Type.Union([Type.String(), Type.Null()]),
    suspendedActivity: Type.Union([Type.String(), Type.Null()]),
    activityStates: Type.Record(Type.String(), FormerActivity),
    globalObjectiveMap: Type.Optional(Type.Record(Type.String(), FormerObjective)),
  }),
});

/** Converts the state of an earlier release; null if it is invalid. */
export function readFormerState(text: string, { root }: ActivityTreeDefinition): SequencingState | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Value.Check(FormerState, parsed)) return null;
  const { currentActivity, suspendedActivity, activityStates, globalObjectiveMap = {} } = parsed.sequencing;
  const activities: Record<string, ActivityState> = {};
  const visit = (definition: ActivityDefinition) => {
    const former = Object.hasOwn(activityStates, definition.id) ? activityStates[definition.id] : undefined;
    // Rollup gave a status even to units that were never opened.
    if (former !== undefined && former.attemptCount > 0) {
      const { primaryObjective, objectives } = definition.sequencing;
      const byId = new Map(former.objectives.objectives.map((each) => [each.id, each]));
      activities[definition.id] = {
        attempts: former.attemptCount,
        isActive: former.isActive,
        isSuspended: former.isSuspended,
        hasOldObjectives: false,
        hasOldProgress: false,
        hasSetSuccess: false,
        hasSetCompletion: false,
        hasEnded: false,
        attemptMs: 0,
        objectives: [
          primaryOf(former),
          ...objectives.map(({ id }) =>
            primaryObjective?.id === id ? unknownProgress() : objectiveOf(byId.get(id ?? '')),
          ),
        ],
        available: null,
      };
    }
    for (const child of definition.children) visit(child);
  };
  visit(root);
  return {
    format: 2,
    current: currentActivity,
    suspended: suspendedActivity,
    activities,
    objectives: Object.fromEntries(
      Object.entries(globalObjectiveMap).map(([id, former]) => [id, objectiveOf(former)]),
    ),
    stores: {},
  };
}

function primaryOf(former: Type.Static<typeof FormerActivity>): ObjectiveProgress {
  return {
    ...unknownProgress(),
    satisfied: former.objectiveSatisfiedStatusKnown ? former.objectiveSatisfiedStatus : null,
    measure: former.objectiveMeasureStatus ? former.objectiveNormalizedMeasure : null,
    completed:
      former.completionStatus === 'completed'
        ? true
        : former.completionStatus === 'incomplete'
          ? false
          : null,
  };
}

function objectiveOf(former: Type.Static<typeof FormerObjective> | undefined): ObjectiveProgress {
  if (former === undefined) return unknownProgress();
  const isKnown = former.satisfiedStatusKnown ?? former.progressStatus ?? former.satisfiedStatus;
  return {
    ...unknownProgress(),
    satisfied: isKnown ? former.satisfiedStatus : null,
    measure: former.measureStatus ? former.normalizedMeasure : null,
  };
}
