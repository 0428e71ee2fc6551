import type { PlayableVersion } from '../content/courses/playable-version.ts';
import {
  type CourseStructure,
  MAX_PREREQUISITES_LENGTH,
  type StructureItem,
} from '../course-packages/course-structure.ts';
import { oncePer } from '../once-per.ts';
import { type ElementStatus, evaluateAiccScript } from './aicc-script.ts';
import type { UnitState } from './attempts/attempt.ts';
import type { UnitEntrance } from './attempts/unit-result.ts';

/** A script may abbreviate a status to its first letter. Takes linear time: no two quantifiers match the same blanks. */
const COMPARES_WITH_BROWSED = /[=>]\s*(?:"\s*)?b/i;

/** The prerequisites of a version of a course. */
interface Prerequisites {
  scripts: ReadonlyMap<StructureItem, string>;
  /** Whether one of them compares a status with `browsed`. */
  askForBrowsed: boolean;
}

/**
 * The ids of the units whose own prerequisites, or those of an enclosing block, are not met. A prerequisite is ignored
 * if it cannot be parsed or depends on an unknown element: no learner could ever meet it. So are those beyond
 * {@link MAX_PREREQUISITES_LENGTH}.
 * @param opened with {@link UnitState.isBrowsed} if the course {@link asksForBrowsed}
 */
export function closedUnits(
  { structure }: Pick<PlayableVersion, 'structure'>,
  opened: readonly UnitState[],
): ReadonlySet<string> {
  const closed = new Set<string>();
  const { scripts } = prerequisitesOf(structure);
  if (scripts.size === 0) return closed;
  const states = new Map(opened.map((unit) => [unit.unitId, unit]));
  const statuses = new Map<string, ElementStatus>();
  for (const item of structure.items) addStatuses(item, states, statuses);
  // AICC names are case-insensitive.
  const byUpperCase = new Map([...statuses].map(([id, status]) => [id.toUpperCase(), status]));
  const statusOf = (id: string) => statuses.get(id) ?? byUpperCase.get(id.toUpperCase()) ?? null;
  const visit = (item: StructureItem, isClosedAbove: boolean) => {
    const script = scripts.get(item);
    const isClosed =
      isClosedAbove || (script !== undefined && evaluateAiccScript(script, statusOf) === false);
    if (item.isUnit && isClosed) closed.add(item.id);
    for (const child of item.children) visit(child, isClosed);
  };
  for (const item of structure.items) visit(item, false);
  return closed;
}

/** Whether a prerequisite of the course compares a status with `browsed`. */
export function asksForBrowsed({ structure }: Pick<PlayableVersion, 'structure'>): boolean {
  return prerequisitesOf(structure).askForBrowsed;
}

/** Whether a unit may be begun. */
export function entranceOf(course: Pick<PlayableVersion, 'structure'>, unitId: string): UnitEntrance {
  return {
    asksForBrowsed: asksForBrowsed(course),
    isClosed: (opened) => closedUnits(course, opened).has(unitId),
  };
}

/** Kept, since each save needs to know what they ask for, and a package may have thousands of them. */
const prerequisitesOf = oncePer(findPrerequisites);

function findPrerequisites({ items }: CourseStructure): Prerequisites {
  const scripts = new Map<StructureItem, string>();
  let length = 0;
  const visit = (item: StructureItem) => {
    length += item.prerequisites?.length ?? 0;
    if (item.prerequisites !== null && length <= MAX_PREREQUISITES_LENGTH)
      scripts.set(item, item.prerequisites);
    for (const child of item.children) visit(child);
  };
  for (const item of items) visit(item);
  return {
    scripts,
    askForBrowsed: [...scripts.values()].some((script) => COMPARES_WITH_BROWSED.test(script)),
  };
}

/** Adds the status of an item and of all items below it. Returns the status of the item. */
function addStatuses(
  item: StructureItem,
  states: ReadonlyMap<string, UnitState>,
  statuses: Map<string, ElementStatus>,
): ElementStatus {
  const below = item.children.map((child) => addStatuses(child, states, statuses));
  const status = item.isUnit ? statusOfUnit(states.get(item.id)) : statusOfBlock(below);
  statuses.set(item.id, status);
  return status;
}

function statusOfUnit(unit: UnitState | undefined): ElementStatus {
  if (unit === undefined) return 'not attempted';
  if (unit.success === 'PASS') return 'passed';
  if (unit.success === 'FAIL') return 'failed';
  if (unit.completion === 'Completed') return 'completed';
  return unit.isBrowsed === true ? 'browsed' : 'incomplete';
}

/** A block is done once all of its children are (CMI001, section 5.5). */
function statusOfBlock(below: readonly ElementStatus[]): ElementStatus {
  if (below.length > 0 && below.every((status) => status === 'passed')) return 'passed';
  if (below.length > 0 && below.every((status) => status === 'passed' || status === 'completed')) {
    return 'completed';
  }
  if (below.includes('failed')) return 'failed';
  return below.every((status) => status === 'not attempted') ? 'not attempted' : 'incomplete';
}
