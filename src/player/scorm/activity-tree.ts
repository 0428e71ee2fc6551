import type { CourseStructure, StructureItem } from '../../course-packages/course-structure.ts';
import type {
  ObjectiveMap,
  Sequencing,
  SequencingObjective,
  SequencingRule,
} from '../../course-packages/scorm-sequencing.ts';

const PERCENT = 100;
/** Names that the engine spells in another way than the standard. */
const ROLLUP_CONDITIONS: Readonly<Record<string, string>> = { activityProgressKnown: 'progressKnown' };

/** A node of the tree that the sequencing engine of the player page takes (`ActivitySettings` of scorm-again). */
export interface Activity {
  id: string;
  title: string;
  children: Activity[];
  [setting: string]: unknown;
}

/**
 * The tree of a SCORM 2004 course whose manifest has sequencing to apply; null for one without, which a plain table of
 * contents plays.
 */
export function activityTreeOf({ scorm2004, items }: CourseStructure): Activity | null {
  if (scorm2004 === null) return null;
  const isSequenced =
    hasRules(scorm2004.sequencing) ||
    items.some(function applies(item): boolean {
      return (item.scorm2004 !== null && hasRules(item.scorm2004.sequencing)) || item.children.some(applies);
    });
  if (!isSequenced || units(items) < 2) return null;
  return {
    id: scorm2004.id,
    title: scorm2004.title,
    isVisible: true,
    ...settingsOf(scorm2004.sequencing),
    ...(scorm2004.completionThreshold === null ? {} : { completionThreshold: scorm2004.completionThreshold }),
    children: items.map(activityOf),
  };
}

function units(items: readonly StructureItem[]): number {
  return items.reduce((sum, item) => sum + (item.isUnit ? 1 : 0) + units(item.children), 0);
}

/** Whether a manifest asks for more than what a table of contents does. */
function hasRules(sequencing: Sequencing): boolean {
  const { controlMode, limitConditions, rollup, primaryObjective, objectives, randomization } = sequencing;
  return (
    controlMode.flow ||
    !controlMode.choice ||
    sequencing.preConditionRules.length > 0 ||
    sequencing.exitConditionRules.length > 0 ||
    sequencing.postConditionRules.length > 0 ||
    limitConditions.attemptLimit !== null ||
    rollup.rules.length > 0 ||
    randomization.selectCount !== null ||
    [primaryObjective, ...objectives].some((objective) => (objective?.maps.length ?? 0) > 0)
  );
}

function activityOf(item: StructureItem): Activity {
  const { scorm2004 } = item;
  return {
    id: item.id,
    title: item.title,
    isVisible: item.isVisible,
    ...(scorm2004 === null
      ? {}
      : {
          ...settingsOf(scorm2004.sequencing),
          hideLmsUi: scorm2004.hideLmsUi,
          sharedDataMaps: scorm2004.sharedData.map(({ targetId, readSharedData, writeSharedData }) => ({
            targetID: targetId,
            readSharedData,
            writeSharedData,
          })),
          ...(scorm2004.completionThreshold === null
            ? {}
            : { completionThreshold: scorm2004.completionThreshold }),
        }),
    children: item.children.map(activityOf),
  };
}

/**
 * What an activity is sequenced by. Limits of duration are omitted: the engine makes an activity with one undeliverable,
 * and the unit gets it as `cmi.max_time_allowed`.
 */
function settingsOf(sequencing: Sequencing): Record<string, unknown> {
  const { randomization, rollup, primaryObjective } = sequencing;
  return {
    attemptLimit: sequencing.limitConditions.attemptLimit,
    sequencingControls: {
      ...sequencing.controlMode,
      ...sequencing.constrainedChoice,
      rollupObjectiveSatisfied: rollup.objectiveSatisfied,
      rollupProgressCompletion: rollup.progressCompletion,
      objectiveMeasureWeight: rollup.objectiveMeasureWeight,
      selectionTiming: randomization.selectionTiming,
      selectCount: randomization.selectCount,
      randomizationTiming: randomization.randomizationTiming,
      randomizeChildren: randomization.reorderChildren,
      reorderChildren: randomization.reorderChildren,
    },
    deliveryControls: sequencing.delivery,
    sequencingRules: {
      preConditionRules: sequencing.preConditionRules.map(ruleOf),
      exitConditionRules: sequencing.exitConditionRules.map(ruleOf),
      postConditionRules: sequencing.postConditionRules.map(ruleOf),
    },
    rollupRules: {
      rules: rollup.rules.map((rule) => ({
        action: rule.action,
        conditionCombination: rule.combination,
        consideration: rule.childActivitySet,
        minimumCount: rule.minimumCount,
        minimumPercent: rule.minimumPercent * PERCENT,
        conditions: rule.conditions.map(({ condition, operator }) => ({
          condition: ROLLUP_CONDITIONS[condition] ?? condition,
          operator,
        })),
      })),
    },
    rollupConsiderations: sequencing.rollupConsiderations,
    ...(primaryObjective === null ? {} : { primaryObjective: objectiveOf(primaryObjective, true) }),
    objectives: sequencing.objectives.map((objective) => objectiveOf(objective, false)),
    auxiliaryResources: sequencing.auxiliaryResources,
  };
}

function ruleOf({ action, combination, conditions }: SequencingRule<string>): Record<string, unknown> {
  return {
    action,
    conditionCombination: combination,
    conditions: conditions.map(({ condition, operator, referencedObjective, measureThreshold }) => ({
      condition,
      ...(operator === 'not' ? { operator } : {}),
      ...(referencedObjective === null ? {} : { referencedObjective }),
      parameters: { threshold: measureThreshold },
    })),
  };
}

function objectiveOf(objective: SequencingObjective, isPrimary: boolean): Record<string, unknown> {
  return {
    objectiveID: objective.id ?? '',
    isPrimary,
    satisfiedByMeasure: objective.satisfiedByMeasure,
    minNormalizedMeasure: objective.minNormalizedMeasure,
    mapInfo: objective.maps.map(({ targetObjectiveId, ...map }: ObjectiveMap) => ({
      targetObjectiveID: targetObjectiveId,
      ...map,
    })),
  };
}
