import { type Activity, commonAncestor } from './activity.ts';
import type { ActivityTree } from './activity-tree.ts';
import { rollUpFrom } from './rollup.ts';

/** Ends the attempt on an activity and rolls it up (End Attempt Process, UP.4). */
export function endAttempt(tree: ActivityTree, activity: Activity): void {
  if (activity.isLeaf) {
    if (activity.isTracked && !activity.isSuspended) fillIn(activity);
  } else {
    activity.isSuspended = activity.available.some(({ isSuspended }) => isSuspended);
    if (!activity.isSuspended) tree.rearrange(activity);
  }
  activity.isActive = false;
  activity.hasEnded = false;
  if (activity.isTracked) for (const objective of activity.objectives) objective.followMeasures();
  rollUpFrom(activity, tree.root);
}

/**
 * Gives an asset that was opened its status. By the standard, it gets the status when its attempt ends. But it reports
 * nothing, and learners leave the course on its last page.
 */
export function completeAsset(tree: ActivityTree, asset: Activity): void {
  if (!asset.isTracked) return;
  fillIn(asset);
  for (const objective of asset.objectives) objective.followMeasures();
  rollUpFrom(asset, tree.root);
}

/** A status that the unit did not set becomes completed or satisfied, unless the manifest leaves it to the content. */
function fillIn(activity: Activity): void {
  const { completionSetByContent, objectiveSetByContent } = activity.sequencing.delivery;
  if (!completionSetByContent && !activity.hasSetCompletion && activity.completed() === null) {
    activity.primary.set('completed', true);
  }
  if (!objectiveSetByContent && !activity.hasSetSuccess && activity.primary.own.satisfied === null) {
    if (activity.satisfied(null) === null) activity.primary.set('satisfied', true);
  }
}

/** Ends the attempts from the current activity up to its common ancestor with another activity (UP.3). */
export function endAttemptsBelow(tree: ActivityTree, activity: Activity): void {
  if (tree.current === null) return;
  const common = commonAncestor(tree.current, activity);
  const way = tree.current.path();
  for (const each of way.slice(0, way.indexOf(common))) {
    if (each.isActive || !each.isLeaf) endAttempt(tree, each);
  }
}

/** Ends what the delivery of a leaf leaves behind (DB.2): the position to resume, and the attempts on other blocks. */
export function leaveBehind(tree: ActivityTree, leaf: Activity): void {
  forgetSuspended(tree, leaf);
  endAttemptsBelow(tree, leaf);
}

/**
 * Prepares the delivery of a leaf (DB.2), after {@link leaveBehind}. New attempts begin from the root down to the leaf,
 * except on activities whose attempt is active or suspended.
 * @returns whether a suspended attempt on the leaf resumes
 */
export function beginAttempts(tree: ActivityTree, leaf: Activity): boolean {
  const isResumed = leaf.isSuspended;
  for (const each of leaf.path().toReversed()) {
    if (each.isActive) continue;
    if (each.isTracked) {
      if (each.isSuspended) each.isSuspended = false;
      else beginAttempt(tree, each);
    }
    each.isActive = true;
    each.hasEnded = false;
  }
  tree.current = leaf;
  return isResumed;
}

function beginAttempt(tree: ActivityTree, activity: Activity): void {
  activity.beginAttempt();
  if (activity !== tree.root) return;
  if (!tree.definition.objectivesGlobalToSystem) tree.objectives.clear();
  if (!tree.definition.sharedDataGlobalToSystem) tree.stores = {};
}

/** Clears the suspended attempts once another activity is delivered (DB.2.1). */
function forgetSuspended(tree: ActivityTree, leaf: Activity): void {
  const { suspended } = tree;
  tree.suspended = null;
  if (suspended === null || suspended === leaf) return;
  const common = commonAncestor(suspended, leaf);
  const way = suspended.path();
  for (const each of way.slice(0, way.indexOf(common))) {
    each.isSuspended = each.available.some(({ isSuspended }) => isSuspended);
  }
}
