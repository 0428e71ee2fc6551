import { type Activity, commonAncestor } from './activity.ts';
import type { ActivityTreeDefinition } from './activity-definition.ts';
import { ActivityTree } from './activity-tree.ts';
import { beginAttempts, endAttempt, endAttemptsBelow, leaveBehind } from './attempts.ts';
import { hasPreCondition, isBlocked } from './rules.ts';
import { type FollowUp, type TerminationRequest, terminate } from './termination.ts';
import type { SequencingState } from './tracking.ts';
import { type Direction, type Flow, flow, mayChoose } from './traversal.ts';

/** Requests without a target. */
export const PLAIN_REQUESTS = [
  'start',
  'resumeAll',
  'continue',
  'previous',
  'exit',
  'exitAll',
  'abandon',
  'abandonAll',
  'suspendAll',
] as const;
export type PlainRequest = (typeof PLAIN_REQUESTS)[number];
/** Requests that lead to no activity, except by rules of the course. */
const EXITS: readonly NavigationRequest[] = ['exit', 'exitAll', 'abandon', 'abandonAll', 'suspendAll'];
/** A request of a learner or a unit. */
export type NavigationRequest = PlainRequest | { to: 'choice' | 'jump'; target: string };

/** The result of a request. */
export interface NavigationOutcome {
  /** Null if no activity is delivered. */
  delivered: {
    id: string;
    /** Whether a suspended attempt resumes. Otherwise, a new attempt has begun. */
    isResumed: boolean;
  } | null;
  /** Whether the session has ended. */
  isOver: boolean;
}

type SequencingRequest =
  | 'start'
  | 'resumeAll'
  | Exclude<FollowUp, null>
  | { to: 'choice' | 'jump'; target: Activity };

interface Plan {
  termination: TerminationRequest | null;
  sequencing: SequencingRequest;
}

const NOTHING: Flow = { found: null, endsSession: false };

/**
 * A learner's session in a course: the sequencing of SCORM 2004 4th edition (Sequencing and Navigation, appendix C).
 * The codes in the comments are those of its processes.
 */
export class SequencingSession {
  readonly #random: () => number;
  #tree: ActivityTree;
  /** The state before the attempts of the last delivery began; null before the first one. */
  #undelivered: SequencingState | null = null;

  /**
   * @param state the state that an earlier session stored; null for the first session
   * @param random returns a number from 0 up to, but not including, 1
   */
  constructor(
    definition: ActivityTreeDefinition,
    state: SequencingState | null,
    random: () => number = Math.random,
  ) {
    this.#random = random;
    this.#tree = new ActivityTree(definition, state, random);
  }

  /** The activities, with their tracked data. Another tree once a delivery was undone. */
  get tree(): ActivityTree {
    return this.#tree;
  }

  /** Follows a request (Overall Sequencing Process, OP.1). An invalid request changes nothing. */
  navigate(request: NavigationRequest): NavigationOutcome {
    const plan = this.#planOf(request);
    if (plan === null) return { delivered: null, isOver: false };
    const followUp = plan.termination === null ? null : terminate(this.tree, plan.termination);
    const { found, endsSession } = this.#sequence(followUp ?? plan.sequencing);
    if (endsSession) {
      this.tree.current = null;
      return { delivered: null, isOver: true };
    }
    return found === null ? { delivered: null, isOver: false } : this.deliver(found);
  }

  /**
   * Delivers an activity whatever the control modes say: in a course of one unit, there is nothing to choose or to flow
   * to. Only used-up attempts and disabling rules prevent it.
   * @param evenIfBlocked whether to deliver it even then, for a session that records nothing
   */
  deliver(activity: Activity, evenIfBlocked = false): NavigationOutcome {
    if (!evenIfBlocked && !this.isDeliverable(activity)) return { delivered: null, isOver: false };
    leaveBehind(this.tree, activity);
    this.#undelivered = this.tree.state();
    const isResumed = beginAttempts(this.tree, activity);
    return { delivered: { id: activity.id, isResumed }, isOver: false };
  }

  /**
   * Follows a request of a learner who leaves a unit that was delivered, but never began a session. Its delivery is undone
   * first, so no attempt has begun, and a suspended one is still suspended. If no other unit can be delivered, or the
   * course would be over, the unit is delivered again, unless the learner exits the course.
   */
  leaveUnbegun(request: NavigationRequest): NavigationOutcome {
    const { current } = this.tree;
    if (current === null || this.#undelivered === null) return this.navigate(request);
    // The learner's position stays at the unit.
    const before = { ...this.#undelivered, current: current.id };
    this.#restore(before);
    const outcome = this.navigate(request);
    if (outcome.delivered !== null || EXITS.includes(request)) return outcome;
    this.#restore(before);
    return this.deliver(this.tree.find(current.id)!, true);
  }

  #restore(state: SequencingState): void {
    this.#tree = new ActivityTree(this.tree.definition, state, this.#random);
  }

  /** Whether neither used-up attempts nor a disabling rule prevents the delivery of a unit (DB.1.1). */
  isDeliverable(activity: Activity): boolean {
    return activity.isLeaf && !activity.path().some(isBlocked);
  }

  /**
   * Resumes the suspended activity without delivering it, because its own rules disable it. The next request leaves it
   * as if it were open. Returns whether there is one.
   */
  resumeUndelivered(): boolean {
    const { current, suspended } = this.tree;
    if (current !== null || suspended === null) return false;
    leaveBehind(this.tree, suspended);
    beginAttempts(this.tree, suspended);
    // The learner does not get it back.
    this.keepStatus();
    return true;
  }

  /** The current activity keeps its status when it ends, even if its unit has not set one. */
  keepStatus(): void {
    const { current } = this.tree;
    if (!current?.isActive) return;
    current.hasSetSuccess = true;
    current.hasSetCompletion = true;
  }

  /** Whether a request would be followed, as far as this is known while the current activity is open. */
  isValid(request: NavigationRequest): boolean {
    const plan = this.#planOf(request);
    if (plan === null) return false;
    if (request === 'previous') {
      const { found } = this.tree.current === null ? { found: null } : flow(this.tree.current, -1, false);
      return found !== null && this.isDeliverable(found);
    }
    if (typeof plan.sequencing !== 'object') return true;
    const { to, target } = plan.sequencing;
    if (to === 'choice' && !mayChoose(target, this.tree.current, this.tree.root)) return false;
    const leaf = target.isLeaf ? target : flow(target, 1, true).found;
    return leaf !== null && this.isDeliverable(leaf);
  }

  /** Whether the table of contents shows an activity. */
  isShown(id: string): boolean {
    const activity = this.tree.find(id);
    if (activity === null || !activity.isAvailable) return false;
    return (
      activity.definition.isVisible &&
      !activity.path().some((each) => hasPreCondition(each, 'hiddenFromChoice'))
    );
  }

  /** Navigation Request Process (NB.2.1): null if the request is invalid. */
  #planOf(request: NavigationRequest): Plan | null {
    const { current, suspended } = this.tree;
    if (typeof request === 'object') return this.#planOfTarget(request);
    if (request === 'start' || request === 'resumeAll') {
      if (current !== null || (request === 'resumeAll' && suspended === null)) return null;
      return { termination: null, sequencing: request };
    }
    if (current === null) return null;
    const leaving = current.isActive ? 'exit' : null;
    switch (request) {
      case 'continue':
        if (!current.parent?.sequencing.controlMode.flow) return null;
        return { termination: leaving, sequencing: 'continue' };
      case 'previous': {
        const mode = current.parent?.sequencing.controlMode;
        if (!mode?.flow || mode.forwardOnly) return null;
        return { termination: leaving, sequencing: 'previous' };
      }
      case 'exit':
      case 'abandon':
        return current.isActive ? { termination: request, sequencing: 'exit' } : null;
      default:
        return { termination: request, sequencing: 'exit' };
    }
  }

  #planOfTarget({ to, target: id }: { to: 'choice' | 'jump'; target: string }): Plan | null {
    const { current } = this.tree;
    const target = this.tree.find(id);
    if (target === null || !target.isAvailable) return null;
    const termination = current?.isActive ? 'exit' : null;
    if (to === 'jump') {
      return current !== null && target.isLeaf ? { termination, sequencing: { to, target } } : null;
    }
    if (target.parent !== null && !target.parent.sequencing.controlMode.choice) return null;
    if (current !== null) {
      if (current.isActive && !current.sequencing.controlMode.choiceExit) return null;
      const way = current.path();
      const left = way.slice(0, way.indexOf(commonAncestor(current, target)));
      if (left.some((each) => each.isActive && !each.sequencing.controlMode.choiceExit)) return null;
    }
    return { termination, sequencing: { to, target } };
  }

  /** Sequencing Request Process (SB.2.12). */
  #sequence(request: SequencingRequest): Flow {
    const { current, root, suspended } = this.tree;
    if (typeof request === 'object') {
      return request.to === 'jump'
        ? { found: request.target, endsSession: false }
        : this.#chosen(request.target);
    }
    switch (request) {
      case 'start':
        return root.isLeaf ? { found: root, endsSession: false } : this.#flowed(root, 1, true);
      case 'resumeAll':
        return { found: suspended, endsSession: false };
      case 'continue':
      case 'previous': {
        if (current === null) return NOTHING;
        if (current.parent !== null && !current.parent.sequencing.controlMode.flow) return NOTHING;
        return this.#flowed(current, request === 'continue' ? 1 : -1, false);
      }
      case 'retry':
        if (current === null || current.isActive || current.isSuspended) return NOTHING;
        return current.isLeaf ? { found: current, endsSession: false } : this.#flowed(current, 1, true);
      case 'exit':
        return { found: null, endsSession: current === root && !root.isActive };
    }
  }

  #flowed(from: Activity, direction: Direction, considersChildren: boolean): Flow {
    const flowed = flow(from, direction, considersChildren);
    if (!flowed.endsSession) return flowed;
    const { tree } = this;
    endAttemptsBelow(tree, tree.root);
    if (tree.root.isActive) endAttempt(tree, tree.root);
    return flowed;
  }

  /** Choice Sequencing Request Process (SB.2.9). */
  #chosen(target: Activity): Flow {
    const { tree } = this;
    if (!mayChoose(target, tree.current, tree.root)) return NOTHING;
    if (target.isLeaf) return { found: target, endsSession: false };
    const { found } = flow(target, 1, true);
    if (found === null && tree.current !== null) {
      const common = commonAncestor(tree.current, target);
      endAttemptsBelow(tree, common);
      endAttempt(tree, common);
      tree.current = target;
    }
    return { found, endsSession: false };
  }
}
