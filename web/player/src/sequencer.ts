import type { HiddenControl } from '../../../src/course-packages/course-structure.ts';
import type { Cmi } from '../../../src/player/scorm/cmi.ts';
import type { Activity } from '../../../src/player/scorm/sequencing/activity.ts';
import type { ActivityTreeDefinition } from '../../../src/player/scorm/sequencing/activity-definition.ts';
import {
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

/** A line of the contents, with those below it. */
export interface ContentsEntry {
  id: string;
  title: string;
  isUnit: boolean;
  canChoose: boolean;
  children: ContentsEntry[];
}

/** Leads through the units of a SCORM 2004 course by the sequencing of its manifest. */
export class Sequencer {
  readonly #session: SequencingSession;
  #delivered: string | null = null;
  #isResumed = false;
  #isOver = false;
  #isTakenAway = false;

  /** @param state what an earlier page kept */
  constructor(tree: ActivityTreeDefinition, state: SequencingState | null) {
    this.#session = new SequencingSession(tree, state);
  }

  /** Begins, or goes on where an earlier page was. Answers the unit to open; null where the learner has to choose. */
  begin(): string | null {
    const next = this.leave();
    // Nothing is open: the learner is where they were.
    if (next === null && this.#session.tree.current !== null) return this.#onlyUnit();
    return next ?? this.request('resumeAll') ?? this.request('start') ?? this.#onlyUnit();
  }

  /**
   * Leaves the course for now: a unit that has ended is over, one that has not is suspended. A page that was closed has
   * done nothing of that, so that the next one does it. Answers the unit to which a rule of the course leads from there.
   */
  leave(): string | null {
    const { tree } = this.#session;
    const next = tree.current?.isActive && tree.current.hasEnded ? this.request('exit') : null;
    if (next === null && tree.current?.isActive) this.request('suspendAll');
    return next;
  }

  /** Leaves the course because the learner exits: where a unit does not want to be suspended, its course ends. */
  exit(): void {
    if (this.hides('suspendAll') && !this.hides('exitAll')) this.request('exitAll');
    else this.leave();
  }

  /** A course of one unit leaves nothing to choose. */
  #onlyUnit(): string | null {
    const [only, ...others] = [...this.#session.tree.root.walk()].filter(({ isLeaf }) => isLeaf);
    return only === undefined || others.length > 0 ? null : this.choose(only.id);
  }

  /** Answers the unit that the request leads to; null for none. */
  request(request: NavigationRequest): string | null {
    const { delivered, isOver } = this.#session.navigate(request);
    this.#isOver = isOver;
    this.#isResumed = delivered?.isResumed ?? false;
    this.#delivered = delivered?.id ?? null;
    return this.#delivered;
  }

  /** The same of a unit or a block that the learner chose. */
  choose(id: string): string | null {
    return this.request({ to: 'choice', target: id });
  }

  get canContinue(): boolean {
    return this.#session.isValid('continue');
  }

  get canGoBack(): boolean {
    return this.#session.isValid('previous');
  }

  /** Whether the unit that is open wants a control not to be shown. */
  hides(control: HiddenControl): boolean {
    const { current } = this.#session.tree;
    return current?.isActive === true && current.definition.hideLmsUi.includes(control);
  }

  /** The table of contents: what is visible, below the root where that can be chosen. */
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

  /** The unit that was delivered since the last call; null for none. */
  takeDelivered(): string | null {
    const delivered = this.#delivered;
    this.#delivered = null;
    return delivered;
  }

  /** Whether the unit that was delivered last goes on with an attempt that was suspended. */
  get isResumed(): boolean {
    return this.#isResumed;
  }

  /** A unit is open: what led to it is over. */
  unitOpened(): void {
    this.#isTakenAway = false;
    this.#delivered = null;
    this.#isOver = false;
  }

  /** The objectives that a unit finds. */
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
   * A unit has terminated: what it said counts, and where it wants to go is where the session goes.
   * @param asked what it set `adl.nav.request` to
   */
  terminated(unit: string, report: UnitReport, asked: string): void {
    const request = this.#isTakenAway ? null : requestOf(asked);
    if (request !== 'abandon' && request !== 'abandonAll') this.track(unit, report);
    const { current } = this.#session.tree;
    if (this.#isTakenAway) return;
    if (current?.id === unit) current.hasEnded = !current.isSuspended;
    if (EXITS_OF_ALL.includes(report.cmi.exit)) this.request('exitAll');
    else if (request !== null) this.request(request);
  }

  /** The learner leaves the unit that is open: where it wants to go does not count any more. */
  takeAway(): void {
    this.#isTakenAway = true;
  }

  /** What a unit reads of `adl`. */
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

  /** Whether the course was left for good: by an exit, or because nothing follows. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What a later page goes on from. */
  state(): { sequencing: SequencingState } {
    return { sequencing: this.#session.tree.state() };
  }
}

/** The request that a value of `adl.nav.request` makes; null for none. */
export function requestOf(asked: string): NavigationRequest | null {
  const [, target, to] = /^\{target=(.+)\}(choice|jump)$/.exec(asked) ?? [];
  if (target !== undefined) return { to: to as 'choice' | 'jump', target };
  return PLAIN_REQUESTS.find((request) => request === asked) ?? null;
}
