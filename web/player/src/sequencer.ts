import type { HiddenControl } from '../../../src/course-packages/course-structure.ts';
import type { Cmi } from '../../../src/player/scorm/cmi.ts';
import type { Activity } from '../../../src/player/scorm/sequencing/activity.ts';
import type { ActivityTreeDefinition } from '../../../src/player/scorm/sequencing/activity-definition.ts';
import { completeAsset } from '../../../src/player/scorm/sequencing/attempts.ts';
import {
  type NavigationOutcome,
  type NavigationRequest,
  PLAIN_REQUESTS,
  SequencingSession,
} from '../../../src/player/scorm/sequencing/sequencing-session.ts';
import type { SequencingState } from '../../../src/player/scorm/sequencing/tracking.ts';
import {
  objectivesFor,
  trackUnit,
  type UnitReport,
} from '../../../src/player/scorm/sequencing/unit-tracking.ts';
import type { AdlHost } from './adl-model.ts';
import { EXITS_OF_ALL } from './exits.ts';

/** An entry of the table of contents, with the entries below it. */
export interface ContentsEntry {
  id: string;
  title: string;
  isUnit: boolean;
  canChoose: boolean;
  children: ContentsEntry[];
}

/** Navigates a SCORM 2004 course by the sequencing of its manifest. */
export class Sequencer {
  readonly #session: SequencingSession;
  readonly #recordsNothing: boolean;
  #delivered: string | null = null;
  #isResumed = false;
  #isOver = false;
  #isWaiting = false;
  #isLeaving = false;
  #endsUnit = false;
  /** Whether the learner leaves a unit that never began a session. */
  #isUnbegun = false;

  /**
   * @param state the state that an earlier page stored; null without one
   * @param recordsNothing whether the learner only looks around, so that used-up attempts do not matter
   */
  constructor(tree: ActivityTreeDefinition, state: SequencingState | null, recordsNothing = false) {
    this.#session = new SequencingSession(tree, state);
    this.#recordsNothing = recordsNothing;
  }

  /**
   * Begins a session, or resumes that of an earlier page. Returns the unit to open; null if the learner must choose
   * one.
   */
  begin(): string | null {
    const next = this.leave();
    // No unit is open. The learner stays at the same position.
    if (next === null && this.#session.tree.current !== null) return this.#onlyUnit();
    return (
      next ?? this.request('resumeAll') ?? this.#leaveDisabled() ?? this.request('start') ?? this.#onlyUnit()
    );
  }

  /** If a rule disables the suspended unit, the learner continues behind it. Returns the next unit; null for none. */
  #leaveDisabled(): string | null {
    const { tree } = this.#session;
    if (!this.#session.resumeUndelivered()) return null;
    const next = this.request('continue');
    return next === null && tree.current?.isActive ? this.request('exit') : next;
  }

  /**
   * Leaves the course for now. A unit that has ended is exited; any other unit is suspended. A page that was closed did
   * not do that, so the next page does it. Returns the unit to which a rule of the course leads; null for none.
   */
  leave(): string | null {
    const { tree } = this.#session;
    const next = tree.current?.isActive && tree.current.hasEnded ? this.request('exit') : null;
    if (next === null && tree.current?.isActive) this.request('suspendAll');
    else if (next === null) this.#endCourse();
    return next;
  }

  /**
   * In a course of one unit, the attempt on the course ends with that on the unit. Otherwise, learners would never reach
   * a limit of the attempts on the course.
   */
  #endCourse(): void {
    const { only, current, root } = this.#session.tree;
    const isLimited = root.sequencing.limitConditions.attemptLimit !== null;
    if (isLimited && only !== null && current === only) this.request('exitAll');
  }

  /**
   * Leaves the course because the learner exits. If the unit hides the control to suspend, the course ends, unless the unit
   * was about to resume: then it can still do so.
   */
  exit(): void {
    const isToResume = this.#isUnbegun && this.#isResumed;
    if (this.#exitEndsCourse && !isToResume) this.request('exitAll');
    else this.leave();
  }

  get #exitEndsCourse(): boolean {
    return this.hides('suspendAll') && !this.hides('exitAll');
  }

  /**
   * The time of the unit is up, so the course ends. A status that the unit did not report remains unknown. By the
   * standard, the learner would pass an exam without an answer.
   */
  timeIsOver(): void {
    this.#session.keepStatus();
    this.request('exitAll');
  }

  /** If the course has a single unit, the learner has nothing to choose. */
  #onlyUnit(): string | null {
    const { only } = this.#session.tree;
    return only === null ? null : this.#follow(this.#session.deliver(only, this.#recordsNothing));
  }

  /** Whether the course has a single unit that cannot be opened: its attempts are used up, or a rule disables it. */
  get isClosed(): boolean {
    const { only } = this.#session.tree;
    return only !== null && !this.#recordsNothing && !this.#session.isDeliverable(only);
  }

  /** Returns the unit to which the request leads; null for none. */
  request(request: NavigationRequest): string | null {
    // A suspended course continues with the unit.
    const isUnbegun = this.#isUnbegun && request !== 'suspendAll';
    this.#isUnbegun = false;
    return this.#follow(isUnbegun ? this.#session.leaveUnbegun(request) : this.#session.navigate(request));
  }

  #follow({ delivered, isOver }: NavigationOutcome): string | null {
    this.#isOver = isOver;
    this.#isResumed = delivered?.isResumed ?? false;
    this.#isWaiting = delivered !== null;
    this.#delivered = delivered?.id ?? null;
    return this.#delivered;
  }

  /** Requests the unit or block that the learner chose; see {@link request}. */
  choose(id: string): string | null {
    return this.request({ to: 'choice', target: id });
  }

  get canContinue(): boolean {
    return this.#session.isValid('continue');
  }

  get canGoBack(): boolean {
    return this.#session.isValid('previous');
  }

  /** Whether the open unit hides a control. */
  hides(control: HiddenControl): boolean {
    const { current } = this.#session.tree;
    return current?.isActive === true && current.definition.hideLmsUi.includes(control);
  }

  /** The visible entries of the table of contents. The root is one of them if it can be chosen. */
  contents(): ContentsEntry[] {
    const { root } = this.#session.tree;
    const entries = this.#entries(root);
    const canChooseRoot = this.#session.isValid({ to: 'choice', target: root.id });
    return canChooseRoot ? [{ ...this.#entry(root, entries), canChoose: true }] : entries;
  }

  #entries(above: Activity): ContentsEntry[] {
    return above.available.flatMap((each) => {
      const below = this.#entries(each);
      return this.#session.isShown(each.id) ? [this.#entry(each, below)] : below;
    });
  }

  #entry({ id, definition, isLeaf }: Activity, children: ContentsEntry[]): ContentsEntry {
    const canChoose = this.#session.isValid({ to: 'choice', target: id });
    return { id, title: definition.title, isUnit: isLeaf, canChoose, children };
  }

  /** Returns the unit that was delivered since the last call; null for none. */
  takeDelivered(): string | null {
    const delivered = this.#delivered;
    this.#delivered = null;
    return delivered;
  }

  /** Whether the unit that was delivered last resumes a suspended attempt. */
  get isResumed(): boolean {
    return this.#isResumed;
  }

  /** Whether a unit was delivered and not opened yet. Leaving it would end an attempt that nobody has begun. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** A unit was opened, so the request that led to it is done. An asset is completed thereby. */
  unitOpened(isAsset: boolean): void {
    const { tree } = this.#session;
    if (isAsset && tree.current !== null) completeAsset(tree, tree.current);
    this.#isWaiting = false;
    this.#isUnbegun = false;
    this.stayInUnit();
    this.#delivered = null;
    this.#isOver = false;
  }

  /** The initial objectives of a unit. */
  objectivesOf(unit: string, before: Cmi): Record<string, Cmi> {
    const activity = this.#session.tree.find(unit);
    return activity === null ? {} : objectivesFor(activity, before, this.#isResumed);
  }

  /** Stores what a unit reported. */
  track(unit: string, report: UnitReport): void {
    const { current } = this.#session.tree;
    if (current?.id === unit && current.isActive) trackUnit(current, report);
  }

  /**
   * A unit has terminated. What it reported counts, and the session follows its navigation request.
   * @param asked the value of `adl.nav.request`
   */
  terminated(unit: string, report: UnitReport, asked: string): void {
    const request = this.#isLeaving ? null : requestOf(asked);
    if (request !== 'abandon' && request !== 'abandonAll') this.track(unit, report);
    const { current } = this.#session.tree;
    if (this.#isLeaving) return;
    if (current?.id === unit) current.hasEnded = !current.isSuspended;
    if (EXITS_OF_ALL.includes(report.cmi.exit)) this.request('exitAll');
    else if (request !== null) this.request(request);
  }

  /**
   * The learner leaves the open unit, so the unit's own navigation request no longer counts.
   * @param isExit whether the learner exits the course
   */
  leaveUnit(isExit: boolean): void {
    this.#isLeaving = true;
    this.#endsUnit = !isExit || this.#exitEndsCourse;
  }

  /**
   * The unit that the learner leaves never began a session. So the next request leaves it as if it had not been opened.
   * Otherwise, it would get the status of a unit that ended without one, and its suspended data would be lost.
   */
  unitNeverBegan(): void {
    this.#isUnbegun = true;
  }

  /** The learner stays in the open unit after all. */
  stayInUnit(): void {
    this.#isLeaving = false;
    this.#endsUnit = false;
  }

  /** Whether the learner leaves the open unit in a way that ends the attempt on it, unless its exit suspends it. */
  get endsUnit(): boolean {
    return this.#endsUnit;
  }

  /** The data of the course on which a unit's `adl` data model works. */
  hostOf(unit: string): AdlHost {
    const { tree } = this.#session;
    return {
      isValid: (asked) => {
        const request = requestOf(asked);
        if (request === null) return 'unknown';
        if (typeof request === 'object' && tree.find(request.target) === null) return 'unknown';
        return this.#session.isValid(request) ? 'true' : 'false';
      },
      hasTarget: (id) => tree.find(id) !== null,
      stores: tree.find(unit)?.definition.sharedData ?? [],
      read: (id) => (Object.hasOwn(tree.stores, id) ? (tree.stores[id] ?? null) : null),
      write: (id, value) => {
        tree.stores[id] = value;
      },
    };
  }

  /** Whether the course has ended, by an exit or because nothing follows. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The state from which a later page resumes. */
  state(): { sequencing: SequencingState } {
    return { sequencing: this.#session.tree.state() };
  }
}

/** The request that a value of `adl.nav.request` makes; null for none. */
function requestOf(asked: string): NavigationRequest | null {
  const [, target, to] = /^\{target=(.+)\}(choice|jump)$/.exec(asked) ?? [];
  if (target !== undefined) return { to: to as 'choice' | 'jump', target };
  return PLAIN_REQUESTS.find((request) => request === asked) ?? null;
}
