import type { Sequencing } from '../../../course-packages/scorm-sequencing.ts';
import { durationMs } from '../scorm2004-status.ts';
import type { ActivityDefinition } from './activity-definition.ts';
import { Objective, type SharedObjectives } from './objective.ts';
import { type ActivityState, unknownProgress } from './tracking.ts';

/** An activity of the tree, with its tracked data. */
export class Activity {
  readonly definition: ActivityDefinition;
  readonly parent: Activity | null;
  /** 1 for the root. */
  readonly depth: number;
  /** In the manifest's order. */
  readonly children: readonly Activity[];
  /** The selected children, in the order that randomization gave them. */
  available: readonly Activity[];
  readonly primary: Objective;
  /** The primary objective first. */
  readonly objectives: readonly Objective[];
  attempts = 0;
  isActive = false;
  isSuspended = false;
  hasOldObjectives = false;
  hasOldProgress = false;
  hasSetSuccess = false;
  hasSetCompletion = false;
  hasEnded = false;
  attemptMs = 0;
  #objectivesById: ReadonlyMap<string | null, Objective> | undefined;
  #timeLimitMs: number | null | undefined;

  constructor(definition: ActivityDefinition, parent: Activity | null, shared: SharedObjectives) {
    this.definition = definition;
    this.parent = parent;
    this.depth = (parent?.depth ?? 0) + 1;
    this.children = definition.children.map((child) => new Activity(child, this, shared));
    this.available = this.children;
    const threshold = definition.completionThreshold;
    this.primary = new Objective(
      definition.sequencing.primaryObjective,
      shared,
      threshold?.completedByMeasure ? threshold.minProgressMeasure : null,
    );
    this.objectives = [
      this.primary,
      ...definition.sequencing.objectives.map((objective) => new Objective(objective, shared)),
    ];
  }

  get id(): string {
    return this.definition.id;
  }

  get sequencing(): Sequencing {
    return this.definition.sequencing;
  }

  get isLeaf(): boolean {
    return this.children.length === 0;
  }

  get isTracked(): boolean {
    return this.sequencing.delivery.tracked;
  }

  /** The activity itself and the available activities below it, in preorder. */
  availableActivities(): Generator<Activity> {
    return preorder(this, ({ available }) => available);
  }

  /** The activity itself and all activities below it, available or not. */
  all(): Generator<Activity> {
    return preorder(this, ({ children }) => children);
  }

  /** The path from the activity to the root, both included. */
  path(): Activity[] {
    const path: Activity[] = [];
    for (let at: Activity | null = this; at !== null; at = at.parent) path.push(at);
    return path;
  }

  get isAvailable(): boolean {
    return this.parent === null || (this.parent.available.includes(this) && this.parent.isAvailable);
  }

  isBelow(other: Activity): boolean {
    return this !== other && this.path().includes(other);
  }

  /** The next or previous available sibling; null if there is none. */
  sibling(step: 1 | -1): Activity | null {
    const siblings = this.parent?.available ?? [];
    return siblings[siblings.indexOf(this) + step] ?? null;
  }

  /** The local objective with this id; the primary objective for null. */
  objective(id: string | null): Objective | undefined {
    if (id === null) return this.primary;
    // Reversed, so that the first one with an id is found.
    this.#objectivesById ??= new Map(
      this.objectives.toReversed().map((objective) => [objective.definition.id, objective]),
    );
    return this.#objectivesById.get(id);
  }

  /** The limit of the time spent in an attempt, in milliseconds; null if there is none. */
  get timeLimitMs(): number | null {
    if (this.#timeLimitMs === undefined) {
      const { attemptAbsoluteDurationLimit: limit } = this.sequencing.limitConditions;
      this.#timeLimitMs = limit === null ? null : durationMs(limit);
    }
    return this.#timeLimitMs;
  }

  /** @param inRollup whether to ignore progress from an earlier attempt of the parent */
  completed(inRollup = false): boolean | null {
    return this.primary.get('completed', inRollup && this.hasOldProgress);
  }

  /** Whether its objective is satisfied; see {@link completed}. Unknown for an untracked activity. */
  satisfied(id: string | null, inRollup = false): boolean | null {
    const objective = this.objective(id);
    if (!this.isTracked || objective === undefined) return null;
    if (
      objective === this.primary &&
      objective.definition.satisfiedByMeasure &&
      this.isActive &&
      !this.sequencing.rollupConsiderations.measureSatisfactionIfActive
    ) {
      return null;
    }
    return objective.get('satisfied', inRollup && this.hasOldObjectives);
  }

  measure(id: string | null, inRollup = false): number | null {
    if (!this.isTracked) return null;
    return this.objective(id)?.get('measure', inRollup && this.hasOldObjectives) ?? null;
  }

  /** Begins a new attempt. Discards the data of the previous one, and marks that of the children as old for rollup. */
  beginAttempt(): void {
    this.attempts += 1;
    this.attemptMs = 0;
    this.hasEnded = false;
    this.hasOldObjectives = false;
    this.hasOldProgress = false;
    this.hasSetSuccess = false;
    this.hasSetCompletion = false;
    for (const objective of this.objectives) objective.own = unknownProgress();
    this.#ageChildren();
  }

  #ageChildren(): void {
    const { useCurrentAttemptObjectiveInfo, useCurrentAttemptProgressInfo } = this.sequencing.controlMode;
    for (const child of this.children) {
      if (useCurrentAttemptObjectiveInfo && child.attempts > 0) child.hasOldObjectives = true;
      if (useCurrentAttemptProgressInfo && child.attempts > 0) child.hasOldProgress = true;
      child.#ageChildren();
    }
  }

  /** The state to store; null if nothing has happened to the activity. */
  state(): ActivityState | null {
    const state: ActivityState = {
      attempts: this.attempts,
      isActive: this.isActive,
      isSuspended: this.isSuspended,
      hasOldObjectives: this.hasOldObjectives,
      hasOldProgress: this.hasOldProgress,
      hasSetSuccess: this.hasSetSuccess,
      hasSetCompletion: this.hasSetCompletion,
      hasEnded: this.hasEnded,
      attemptMs: this.attemptMs,
      objectives: this.objectives.map(({ own }) => ({ ...own })),
      available: this.available === this.children ? null : this.available.map(({ id }) => id),
    };
    const isUntouched =
      this.attempts === 0 &&
      !this.isActive &&
      !this.isSuspended &&
      state.available === null &&
      state.objectives.every((own) => Object.values(own).every((value) => value === null));
    return isUntouched ? null : state;
  }

  /** Restores the state that an earlier session stored. */
  restore(state: ActivityState): void {
    const { objectives, available, ...flags } = state;
    Object.assign(this, flags);
    for (const [index, objective] of this.objectives.entries()) {
      objective.own = { ...unknownProgress(), ...objectives[index] };
    }
    if (available === null) return;
    const byId = new Map(this.children.map((child) => [child.id, child]));
    // A set, because the page sends the state: an id that it repeats must not repeat the walk of all activities below.
    const kept = [...new Set(available)].flatMap((id) => byId.get(id) ?? []);
    if (kept.length > 0) this.available = kept;
  }
}

/** An activity and those below it, without recursion: each level would pass on all activities below it. */
function* preorder(top: Activity, below: (activity: Activity) => readonly Activity[]): Generator<Activity> {
  const open = [top];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    yield at;
    const next = below(at);
    for (let last = next.length - 1; last >= 0; last--) open.push(next[last]!);
  }
}

/** The deepest activity that contains both activities; it may be one of them. */
export function commonAncestor(one: Activity, other: Activity): Activity {
  const path = other.path();
  const common = one.path().find((each) => path.includes(each));
  if (common === undefined) throw new Error('activities of different trees');
  return common;
}
