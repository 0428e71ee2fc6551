import type { PlayableVersion } from '../content/courses/playable-version.ts';
import type { StructureItem } from '../course-packages/course-structure.ts';
import { type ElementStatus, evaluateAiccScript } from './aicc-script.ts';
import type { UnitState } from './attempts/attempt.ts';
import type { UnitEntrance } from './attempts/unit-result.ts';

/** A script may abbreviate a status to its first letter. */
const COMPARES_WITH_BROWSED = /[=>]\s*"?\s*b/i;

/**
 * The ids of the units whose own prerequisites, or those of an enclosing block, are not met. A prerequisite is ignored
 * if it cannot be parsed or depends on an unknown element: no learner could ever meet it.
 * @param opened with {@link UnitState.isBrowsed} if the course {@link asksForBrowsed}
 */
export function closedUnits(
  { structure }: Pick<PlayableVersion, 'structure'>,
  opened: readonly UnitState[],
): ReadonlySet<string> {
  const closed = new Set<string>();
  if (!hasPrerequisites(structure.items)) return closed;
  const states = new Map(opened.map((unit) => [unit.unitId, unit]));
  const statuses = new Map<string, ElementStatus>();
  for (const item of structure.items) addStatuses(item, states, statuses);
  // AICC names are case-insensitive.
  const byUpperCase = new Map([...statuses].map(([id, status]) => [id.toUpperCase(), status]));
  const statusOf = (id: string) => statuses.get(id) ?? byUpperCase.get(id.toUpperCase()) ?? null;
  const visit = (item: StructureItem, isClosedAbove: boolean) => {
    const isClosed =
      isClosedAbove ||
      (item.prerequisites !== null && evaluateAiccScript(item.prerequisites, statusOf) === false);
    if (item.isUnit && isClosed) closed.add(item.id);
    for (const child of item.children) visit(child, isClosed);
  };
  for (const item of structure.items) visit(item, false);
  return closed;
}

/** Whether a prerequisite of the course compares a status with `browsed`. */
export function asksForBrowsed({ structure }: Pick<PlayableVersion, 'structure'>): boolean {
  const asks = (item: StructureItem): boolean =>
    COMPARES_WITH_BROWSED.test(item.prerequisites ?? '') || item.children.some(asks);
  return structure.items.some(asks);
}

/** Whether a unit may be begun. */
export function entranceOf(course: Pick<PlayableVersion, 'structure'>, unitId: string): UnitEntrance {
  return {
    asksForBrowsed: asksForBrowsed(course),
    isClosed: (opened) => closedUnits(course, opened).has(unitId),
  };
}

function hasPrerequisites(items: readonly StructureItem[]): boolean {
  return items.some((item) => item.prerequisites !== null || hasPrerequisites(item.children));
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
