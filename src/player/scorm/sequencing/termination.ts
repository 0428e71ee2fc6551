import type { ActivityTree } from './activity-tree.ts';
import { endAttempt, endAttemptsBelow } from './attempts.ts';
import { rollUpFrom } from './rollup.ts';
import { checkRules } from './rules.ts';

/** A request that ends the current activity. */
export type TerminationRequest = 'exit' | 'exitAll' | 'suspendAll' | 'abandon' | 'abandonAll';
/** The request of a post-condition rule, or of the termination itself. It replaces the learner's own request. */
export type FollowUp = 'retry' | 'continue' | 'previous' | 'exit' | null;

/**
 * Ends the current activity (Termination Request Process, TB.2.3).
 * @returns the request that the course's rules make; null to follow the learner's own request
 */
export function terminate(tree: ActivityTree, request: TerminationRequest): FollowUp {
  switch (request) {
    case 'exit':
      return exit(tree);
    case 'exitAll':
      return exitAll(tree, 'exit');
    case 'suspendAll':
      return suspendAll(tree);
    case 'abandon':
      if (tree.current !== null) tree.current.isActive = false;
      return 'exit';
    case 'abandonAll':
      for (const each of tree.current?.path() ?? []) each.isActive = false;
      tree.current = tree.root;
      return 'exit';
  }
}

function exit(tree: ActivityTree): FollowUp {
  const { current } = tree;
  if (current === null) return null;
  endAttempt(tree, current);
  applyExitRules(tree);
  for (let at = tree.current; at !== null; at = tree.current) {
    const action = at.isSuspended ? null : checkRules(at, at.sequencing.postConditionRules);
    if (action === 'exitAll') return exitAll(tree, 'exit');
    if (action === 'retryAll') return exitAll(tree, 'retry');
    if (action === 'retry' && at === tree.root) return exitAll(tree, 'retry');
    if (action === 'exitParent' && at.parent !== null) {
      tree.current = at.parent;
      endAttempt(tree, at.parent);
      continue;
    }
    if (at === tree.root && action !== 'retry') return 'exit';
    return action === 'retry' || action === 'continue' || action === 'previous' ? action : null;
  }
  return null;
}

/** The exit rules of the clusters around the current activity, from the root down (TB.2.1). */
function applyExitRules(tree: ActivityTree): void {
  const around = tree.current?.path().slice(1).toReversed() ?? [];
  const left = around.find((each) => checkRules(each, each.sequencing.exitConditionRules) !== null);
  if (left === undefined) return;
  endAttemptsBelow(tree, left);
  endAttempt(tree, left);
  tree.current = left;
}

function exitAll(tree: ActivityTree, followUp: 'exit' | 'retry'): 'exit' | 'retry' {
  if (tree.current?.isActive) endAttempt(tree, tree.current);
  endAttemptsBelow(tree, tree.root);
  if (tree.root.isActive) endAttempt(tree, tree.root);
  tree.current = tree.root;
  // The next attempt must not begin with the objectives of this one.
  if (followUp === 'retry' && !tree.definition.objectivesGlobalToSystem) tree.objectives.clear();
  return followUp;
}

function suspendAll(tree: ActivityTree): FollowUp {
  const { current } = tree;
  if (current === null) return null;
  if (current.isActive || current.isSuspended) {
    rollUpFrom(current, tree.root);
    tree.suspended = current;
  } else {
    tree.suspended = current.parent ?? current;
  }
  for (const each of tree.suspended.path()) {
    each.isActive = false;
    each.isSuspended = true;
  }
  tree.current = tree.root;
  return 'exit';
}
