import { Activity } from './activity.ts';
import type { ActivityTreeDefinition } from './activity-definition.ts';
import { SharedObjectives } from './objective.ts';
import type { SequencingState } from './tracking.ts';

/** The activity tree of a session, with all tracked data. */
export class ActivityTree {
  readonly definition: ActivityTreeDefinition;
  readonly root: Activity;
  readonly #byId: ReadonlyMap<string, Activity>;
  readonly #random: () => number;
  readonly objectives: SharedObjectives;
  stores: Record<string, string> = {};
  /** The current activity; null before the session begins and after it ends. */
  current: Activity | null = null;
  /** The activity from which a suspended session resumes. */
  suspended: Activity | null = null;

  /** @param random returns a number from 0 up to, but not including, 1 */
  constructor(definition: ActivityTreeDefinition, state: SequencingState | null, random: () => number) {
    this.definition = definition;
    this.#random = random;
    this.objectives = new SharedObjectives(state?.objectives ?? {});
    this.root = new Activity(definition.root, null, this.objectives);
    this.#byId = new Map([...this.root.all()].map((each) => [each.id, each]));
    if (state === null) {
      for (const each of this.root.all()) this.#arrange(each, ['once', 'onEachNewAttempt']);
      return;
    }
    this.stores = { ...state.stores };
    for (const [id, kept] of Object.entries(state.activities)) this.#byId.get(id)?.restore(kept);
    this.current = this.find(state.current);
    this.suspended = this.find(state.suspended);
  }

  /** The activity with this id; null if there is none. */
  find(id: string | null): Activity | null {
    return id === null ? null : (this.#byId.get(id) ?? null);
  }

  /** The only unit of a course; null if the course has several. */
  get only(): Activity | null {
    const [only, ...others] = [...this.root.availableActivities()].filter(({ isLeaf }) => isLeaf);
    return only === undefined || others.length > 0 ? null : only;
  }

  /** Selects and orders the children of a cluster for its next attempt (SR.1, SR.2). */
  rearrange(cluster: Activity): void {
    this.#arrange(cluster, ['onEachNewAttempt']);
  }

  state(): SequencingState {
    const activities: SequencingState['activities'] = {};
    for (const each of this.root.all()) {
      const state = each.state();
      if (state !== null) activities[each.id] = state;
    }
    return {
      format: 2,
      current: this.current?.id ?? null,
      suspended: this.suspended?.id ?? null,
      activities,
      objectives: this.objectives.state(),
      stores: { ...this.stores },
    };
  }

  #arrange(cluster: Activity, timings: readonly string[]): void {
    const { selectionTiming, selectCount, randomizationTiming, reorderChildren } =
      cluster.sequencing.randomization;
    let children: readonly Activity[] = cluster.available;
    if (selectCount !== null && timings.includes(selectionTiming)) {
      const selected = new Set(this.#shuffled(cluster.children).slice(0, selectCount));
      children = cluster.children.filter((child) => selected.has(child));
    }
    if (reorderChildren && timings.includes(randomizationTiming)) children = this.#shuffled(children);
    if (children !== cluster.available) cluster.available = children;
  }

  #shuffled(activities: readonly Activity[]): Activity[] {
    const shuffled = [...activities];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = Math.floor(this.#random() * (last + 1));
      const [one, two] = [shuffled[last], shuffled[other]];
      if (one !== undefined && two !== undefined) [shuffled[last], shuffled[other]] = [two, one];
    }
    return shuffled;
  }
}
