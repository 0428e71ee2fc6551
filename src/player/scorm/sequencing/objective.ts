import type { ObjectiveMap, SequencingObjective } from '../../../course-packages/scorm-sequencing.ts';
import { type ObjectiveProgress, type ProgressMember, unknownProgress } from './tracking.ts';

/** Shared objectives, by their id. */
export type SharedObjectives = Record<string, ObjectiveProgress>;

type MapFlag = Exclude<keyof ObjectiveMap, 'targetObjectiveId'>;

const READ: Record<ProgressMember, MapFlag> = {
  satisfied: 'readSatisfiedStatus',
  measure: 'readNormalizedMeasure',
  raw: 'readRawScore',
  min: 'readMinScore',
  max: 'readMaxScore',
  completed: 'readCompletionStatus',
  progress: 'readProgressMeasure',
};
const WRITE: Record<ProgressMember, MapFlag> = {
  satisfied: 'writeSatisfiedStatus',
  measure: 'writeNormalizedMeasure',
  raw: 'writeRawScore',
  min: 'writeMinScore',
  max: 'writeMaxScore',
  completed: 'writeCompletionStatus',
  progress: 'writeProgressMeasure',
};
const ALWAYS_SHARED: readonly ProgressMember[] = ['satisfied', 'measure'];
const NO_OBJECTIVE: SequencingObjective = {
  id: null,
  satisfiedByMeasure: false,
  minNormalizedMeasure: 1,
  maps: [],
};

/**
 * An objective of an activity, with its own progress. A map lets it read a shared objective instead, even if that one's
 * status is unknown. A map also lets it write to shared objectives (Sequencing and Navigation 3.10.3).
 */
export class Objective {
  readonly definition: SequencingObjective;
  own: ObjectiveProgress = unknownProgress();
  readonly #shared: () => SharedObjectives;
  readonly #completingProgress: number | null;

  /**
   * @param shared returns the current shared objectives of the session
   * @param completingProgress the progress that completes the objective; null if completion does not follow from
   *   progress
   */
  constructor(
    definition: SequencingObjective | null,
    shared: () => SharedObjectives,
    completingProgress: number | null = null,
  ) {
    this.definition = definition ?? NO_OBJECTIVE;
    this.#shared = shared;
    this.#completingProgress = completingProgress;
  }

  /** @param ignoresOwn whether to ignore its own progress, because it belongs to an earlier attempt */
  get<M extends ProgressMember>(member: M, ignoresOwn = false): ObjectiveProgress[M] {
    const follows = this.#followedBy(member);
    if (follows !== null) {
      const value = this.get(follows.from, ignoresOwn);
      return (value === null ? null : value >= follows.least) as ObjectiveProgress[M];
    }
    return this.known(member, ignoresOwn);
  }

  /** The reported value, of this objective or of the shared one that it reads. Ignores what follows from measures. */
  known<M extends ProgressMember>(member: M, ignoresOwn = false): ObjectiveProgress[M] {
    const read = this.definition.maps.filter((map) => map[READ[member]]);
    if (read.length > 0) {
      const shared = this.#shared();
      const values = read.map(({ targetObjectiveId: id }) =>
        Object.hasOwn(shared, id) ? shared[id]?.[member] : null,
      );
      const value = values.find((each) => each != null) ?? null;
      // Members that the fourth edition added fall back to the objective's own value.
      if (value !== null || ALWAYS_SHARED.includes(member)) return value as ObjectiveProgress[M];
    }
    return ignoresOwn ? (null as ObjectiveProgress[M]) : this.own[member];
  }

  /** Sets a member here and in the shared objectives that it writes to, unless the member follows from a measure. */
  set<M extends ProgressMember>(member: M, value: ObjectiveProgress[M]): void {
    if (this.#followedBy(member) !== null) return;
    this.own[member] = value;
    this.#write(member, value);
    this.followMeasures();
  }

  /** Clears its own value. Shared objectives that it never wrote to keep the values that others wrote. */
  clear(member: ProgressMember): void {
    if (this.own[member] !== null) this.set(member, null);
  }

  /** Writes what follows from the measures to the shared objectives, even if a map reads those measures. */
  followMeasures(): void {
    for (const member of ['satisfied', 'completed'] as const) {
      if (this.#followedBy(member) === null) continue;
      const value = this.get(member);
      if (value === null && this.own[member] === null) continue;
      this.own[member] = value;
      this.#write(member, value);
    }
  }

  /** The ids of the shared objectives that it writes to. */
  written(): string[] {
    return this.definition.maps.flatMap((map) =>
      Object.values(WRITE).some((flag) => map[flag]) ? [map.targetObjectiveId] : [],
    );
  }

  /** The measure that decides a member, and its threshold; null if no measure does. */
  #followedBy(member: ProgressMember): { from: 'measure' | 'progress'; least: number } | null {
    const { satisfiedByMeasure, minNormalizedMeasure } = this.definition;
    if (member === 'satisfied' && satisfiedByMeasure) return { from: 'measure', least: minNormalizedMeasure };
    if (member !== 'completed' || this.#completingProgress === null) return null;
    return { from: 'progress', least: this.#completingProgress };
  }

  #write<M extends ProgressMember>(member: M, value: ObjectiveProgress[M]): void {
    const shared = this.#shared();
    for (const map of this.definition.maps) {
      if (!map[WRITE[member]]) continue;
      const id = map.targetObjectiveId;
      const target = Object.hasOwn(shared, id) ? shared[id] : undefined;
      shared[id] = { ...(target ?? unknownProgress()), [member]: value };
    }
  }
}
