import { type Activity, commonAncestor } from './activity.ts';
import { hasPreCondition, isBlocked } from './rules.ts';

/** Forward or backward through the tree. */
export type Direction = 1 | -1;

/** The result of a traversal. */
export interface Flow {
  /** The leaf to deliver; null if there is none. */
  found: Activity | null;
  /** Whether the traversal passed the end of the tree, which ends the session. */
  endsSession: boolean;
}

interface Step {
  next: Activity | null;
  direction: Direction;
  endsSession: boolean;
}

const NOWHERE = { next: null, endsSession: false } as const;

/** Flow Subprocess (SB.2.3): the first leaf in a direction that may be delivered. */
export function flow(from: Activity, direction: Direction, considersChildren: boolean): Flow {
  const step = treeStep(from, direction, considersChildren, null);
  if (step.next === null) return { found: null, endsSession: step.endsSession };
  return visit(step.next, direction, null);
}

/** Flow Tree Traversal Subprocess (SB.2.1). */
function treeStep(
  from: Activity,
  wanted: Direction,
  considersChildren: boolean,
  previous: Direction | null,
): Step {
  let at = from;
  let direction = wanted;
  let isReversed = false;
  if (previous === -1 && at.parent !== null && at.sibling(1) === null) {
    direction = -1;
    at = at.parent.available[0] ?? at;
    isReversed = true;
  }
  const goesDown = considersChildren && at.available.length > 0;
  if (direction === 1) {
    if (isLastOfTree(at, considersChildren)) return { next: null, direction, endsSession: true };
    if (goesDown) return { next: at.available[0] ?? null, direction, endsSession: false };
    const sibling = at.sibling(1);
    if (sibling !== null) return { next: sibling, direction, endsSession: false };
    return at.parent === null ? { ...NOWHERE, direction } : treeStep(at.parent, direction, false, null);
  }
  if (at.parent === null && !goesDown) return { ...NOWHERE, direction };
  if (goesDown) {
    return at.sequencing.controlMode.forwardOnly
      ? { next: at.available[0] ?? null, direction: 1, endsSession: false }
      : { next: at.available.at(-1) ?? null, direction, endsSession: false };
  }
  if (!isReversed && at.parent?.sequencing.controlMode.forwardOnly) return { ...NOWHERE, direction };
  const sibling = at.sibling(-1);
  if (sibling !== null) return { next: sibling, direction, endsSession: false };
  return at.parent === null ? { ...NOWHERE, direction } : treeStep(at.parent, direction, false, null);
}

/** Whether nothing follows in the whole tree. */
function isLastOfTree(at: Activity, considersChildren: boolean): boolean {
  if (considersChildren && at.available.length > 0) return false;
  return at.path().every((each) => each.parent === null || each.sibling(1) === null);
}

/** Flow Activity Traversal Subprocess (SB.2.2). */
function visit(at: Activity, direction: Direction, previous: Direction | null): Flow {
  if (at.parent === null || !at.parent.sequencing.controlMode.flow) {
    return { found: null, endsSession: false };
  }
  if (hasPreCondition(at, 'skip')) {
    const step = treeStep(at, direction, false, previous);
    if (step.next === null) return { found: null, endsSession: step.endsSession };
    if (previous === -1 && step.direction === -1) return visit(step.next, -1, null);
    return visit(step.next, direction, previous);
  }
  if (isBlocked(at)) return { found: null, endsSession: false };
  if (at.isLeaf) return { found: at, endsSession: false };
  const step = treeStep(at, direction, true, null);
  if (step.next === null) return { found: null, endsSession: step.endsSession };
  return direction === -1 && step.direction === 1
    ? visit(step.next, 1, -1)
    : visit(step.next, direction, null);
}

/** Whether a choice may pass an activity in a direction (SB.2.4). */
function mayPass(at: Activity, direction: Direction): boolean {
  if (direction === 1) return !hasPreCondition(at, 'stopForwardTraversal');
  return at.parent !== null && !at.parent.sequencing.controlMode.forwardOnly;
}

/**
 * Whether the Choice Sequencing Request Process (SB.2.9) can reach a target from the current activity. It ignores the
 * flow into a cluster that follows.
 * @param current null at the beginning of a session
 */
export function mayChoose(target: Activity, current: Activity | null, root: Activity): boolean {
  for (const each of target.path()) {
    if (each.parent !== null && !each.parent.available.includes(each)) return false;
    if (hasPreCondition(each, 'hiddenFromChoice')) return false;
  }
  if (target.parent !== null && !target.parent.sequencing.controlMode.choice) return false;
  const common = current === null ? root : commonAncestor(current, target);
  if (current === target) return true;
  if (current !== null && current.parent === target.parent) return mayPassSiblings(current, target);
  if (current === null || current === common) return mayEnter(target, common, 1);
  if (target === common) return mayLeave(current, common);
  return (
    mayLeave(current, common) &&
    isWithinConstraint(target, current, common) &&
    mayEnter(target, common, isAfter(target, current, root) ? 1 : -1)
  );
}

function mayPassSiblings(current: Activity, target: Activity): boolean {
  const siblings = target.parent?.available ?? [];
  const direction: Direction = siblings.indexOf(target) > siblings.indexOf(current) ? 1 : -1;
  for (let at: Activity | null = current; at !== null && at !== target; at = at.sibling(direction)) {
    if (!mayPass(at, direction)) return false;
  }
  return true;
}

/** Whether all clusters from an ancestor to the target may be passed and activated. */
function mayEnter(target: Activity, common: Activity, direction: Direction): boolean {
  const way = target.path().slice(1);
  return way.slice(0, way.indexOf(common) + 1).every((each) => {
    if (direction === 1 && !mayPass(each, 1)) return false;
    const { preventActivation } = each.sequencing.constrainedChoice;
    return each === common || each.isActive || !preventActivation;
  });
}

function mayLeave(current: Activity, common: Activity): boolean {
  const way = current.path();
  return way.slice(0, way.indexOf(common)).every((each) => each.sequencing.controlMode.choiceExit);
}

/** With `constrainChoice`, a learner may choose only what is within the cluster or next to it (SB.2.10, SB.2.11). */
function isWithinConstraint(target: Activity, current: Activity, common: Activity): boolean {
  const way = current.path();
  // A unit has no children, so it cannot constrain a choice.
  const constrained = way
    .slice(1, way.indexOf(common))
    .find((each) => each.sequencing.constrainedChoice.constrainChoice);
  if (constrained === undefined) return true;
  if (target === constrained || target.isBelow(constrained)) return true;
  const direction: Direction = isAfter(target, constrained, root(current)) ? 1 : -1;
  const next = choiceStep(constrained, direction);
  return next !== null && (target === next || target.isBelow(next));
}

/** Choice Flow Tree Traversal Subprocess (SB.2.11): the activity next to the cluster, ignoring rules. */
function choiceStep(from: Activity, direction: Direction): Activity | null {
  for (let at: Activity | null = from; at !== null; at = at.parent) {
    const sibling = at.sibling(direction);
    if (sibling !== null) return sibling;
  }
  return null;
}

function isAfter(one: Activity, other: Activity, top: Activity): boolean {
  const order = [...top.availableActivities()];
  return order.indexOf(one) > order.indexOf(other);
}

function root(activity: Activity): Activity {
  return activity.path().at(-1) ?? activity;
}
