import type { CourseStructure, StructureItem } from '../../course-packages/course-structure.ts';
import {
  distinctConditions,
  type Sequencing,
  type SequencingObjective,
  type SequencingRule,
} from '../../course-packages/scorm-sequencing.ts';
import { oncePer } from '../../once-per.ts';
import type { ActivityDefinition, ActivityTreeDefinition } from './sequencing/activity-definition.ts';

/**
 * The activity tree of a SCORM 2004 course whose manifest has sequencing to apply. Null for other courses: a table of
 * contents is enough for them.
 */
export function activityTreeOf(structure: CourseStructure): ActivityTreeDefinition | null {
  const { tree, isSequenced } = treeOf(structure);
  return isSequenced ? tree : null;
}

/**
 * The activity tree of a SCORM 2004 course that is played without sequencing, but whose rollup rules decide its status.
 * Such a course has one unit, so nothing is to be sequenced. Its data is restored at each visit: many courses read it even
 * though they did not suspend. Null for other courses.
 */
export function rollupTreeOf(structure: CourseStructure): ActivityTreeDefinition | null {
  const { tree, isSequenced } = treeOf(structure);
  return isSequenced ? null : tree;
}

interface CourseTree {
  readonly tree: ActivityTreeDefinition | null;
  readonly isSequenced: boolean;
}

/** Kept, since each save needs the tree, which may have thousands of objectives. */
const treeOf = oncePer(makeTree);

function makeTree({ scorm2004, items }: CourseStructure): CourseTree {
  const none = { tree: null, isSequenced: false };
  if (scorm2004 === null) return none;
  const { id, title, sequencing, completionThreshold } = scorm2004;
  const isAlone = units(items) < 2;
  const isSequenced = isAlone
    ? limitsUnit(sequencing) || items.some(needsTree)
    : hasRules(sequencing) || items.some(applies);
  if (!isSequenced && !(isAlone && (hasRollupRules(sequencing) || items.some(rollsUp)))) return none;
  return {
    isSequenced,
    tree: {
      root: {
        id,
        title,
        isVisible: true,
        sequencing: normalized(sequencing),
        completionThreshold,
        hideLmsUi: [],
        sharedData: [],
        children: items.map((item) => activityOf(item, sequencing)),
      },
      objectivesGlobalToSystem: scorm2004.objectivesGlobalToSystem,
      sharedDataGlobalToSystem: scorm2004.sharedDataGlobalToSystem,
    },
  };
}

function units(items: readonly StructureItem[]): number {
  return items.reduce((sum, item) => sum + (item.isUnit ? 1 : 0) + units(item.children), 0);
}

function applies({ scorm2004, children }: StructureItem): boolean {
  const isSequenced =
    scorm2004 !== null && (hasRules(scorm2004.sequencing) || scorm2004.sharedData.length > 0);
  return isSequenced || children.some(applies);
}

/**
 * Whether a course needs the tree even if it has only one unit: the unit shares data or objectives, or the manifest
 * limits when it may be opened. Control modes alone are not worth the tree: a unit that ends would lose its data.
 */
function needsTree({ scorm2004, children }: StructureItem): boolean {
  return (
    (scorm2004 !== null &&
      (scorm2004.sharedData.length > 0 ||
        hasMaps(scorm2004.sequencing) ||
        limitsUnit(scorm2004.sequencing))) ||
    children.some(needsTree)
  );
}

/** Whether a manifest limits the attempts, or has rules for opening and leaving. */
function limitsUnit(sequencing: Sequencing): boolean {
  return (
    sequencing.limitConditions.attemptLimit !== null ||
    sequencing.preConditionRules.length > 0 ||
    sequencing.exitConditionRules.length > 0 ||
    sequencing.postConditionRules.length > 0
  );
}

/** Whether a block has rollup rules. Those of a unit have no effect. */
function rollsUp({ scorm2004, children }: StructureItem): boolean {
  if (children.length === 0) return false;
  return (scorm2004 !== null && hasRollupRules(scorm2004.sequencing)) || children.some(rollsUp);
}

function hasRollupRules({ rollup }: Sequencing): boolean {
  return rollup.rules.length > 0;
}

function hasMaps({ primaryObjective, objectives }: Sequencing): boolean {
  return [primaryObjective, ...objectives].some((objective) => (objective?.maps.length ?? 0) > 0);
}

/** Whether a manifest requires more than a table of contents. */
function hasRules(sequencing: Sequencing): boolean {
  const { controlMode, randomization } = sequencing;
  return (
    controlMode.flow ||
    !controlMode.choice ||
    limitsUnit(sequencing) ||
    hasRollupRules(sequencing) ||
    randomization.selectCount !== null ||
    randomization.reorderChildren ||
    hasMaps(sequencing)
  );
}

/** @param above the sequencing of the organization, for an item without SCORM 2004 elements */
function activityOf(item: StructureItem, above: Sequencing): ActivityDefinition {
  const { id, title, isVisible, scorm2004 } = item;
  return {
    id,
    title,
    isVisible,
    sequencing: normalized(scorm2004?.sequencing ?? above),
    completionThreshold: scorm2004?.completionThreshold ?? null,
    hideLmsUi: scorm2004?.hideLmsUi ?? [],
    sharedData: scorm2004?.sharedData ?? [],
    children: item.children.map((child) => activityOf(child, above)),
  };
}

/**
 * Normalizes ids: a manifest may write the same URI in different ways. Removes repeated rollup conditions, which earlier
 * releases stored.
 */
function normalized(sequencing: Sequencing): Sequencing {
  const { primaryObjective, objectives, preConditionRules, exitConditionRules, postConditionRules, rollup } =
    sequencing;
  return {
    ...sequencing,
    primaryObjective: primaryObjective === null ? null : objectiveWithPlainIds(primaryObjective),
    objectives: objectives.map(objectiveWithPlainIds),
    preConditionRules: preConditionRules.map(ruleWithPlainIds),
    exitConditionRules: exitConditionRules.map(ruleWithPlainIds),
    postConditionRules: postConditionRules.map(ruleWithPlainIds),
    rollup: {
      ...rollup,
      rules: rollup.rules.map((rule) => ({ ...rule, conditions: distinctConditions(rule.conditions) })),
    },
  };
}

function objectiveWithPlainIds(objective: SequencingObjective): SequencingObjective {
  return {
    ...objective,
    id: objective.id === null ? null : plainId(objective.id),
    maps: objective.maps.map((map) => ({ ...map, targetObjectiveId: plainId(map.targetObjectiveId) })),
  };
}

function ruleWithPlainIds<Action extends string>(rule: SequencingRule<Action>): SequencingRule<Action> {
  return {
    ...rule,
    conditions: rule.conditions.map((condition) => ({
      ...condition,
      referencedObjective:
        condition.referencedObjective === null ? null : plainId(condition.referencedObjective),
    })),
  };
}

/** An id without percent-encoding, and with single spaces. */
function plainId(id: string): string {
  let decoded = id;
  try {
    decoded = decodeURIComponent(id);
  } catch {
    // The id is not percent-encoded.
  }
  return decoded.trim().replaceAll(/\s+/g, ' ');
}
