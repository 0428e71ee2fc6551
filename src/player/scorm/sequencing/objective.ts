import type { ObjectiveMap, SequencingObjective } from '../../../course-packages/scorm-sequencing.ts';
import { type ObjectiveProgress, type ProgressMember, unknownProgress } from './tracking.ts';

/** The shared objectives of a session. */
export class SharedObjectives {
  readonly #byId: Map<string, ObjectiveProgress>;
  #version = 0;

  /** @param progress by id */
  constructor(progress: Readonly<Record<string, ObjectiveProgress>>) {
    this.#byId = new Map(Object.entries(progress));
  }

  /** Another number after each change. */
  get version(): number {
    return this.#version;
  }

  get(id: string): ObjectiveProgress | undefined {
    return this.#byId.get(id);
  }

  set<M extends ProgressMember>(id: string, member: M, value: ObjectiveProgress[M]): void {
    const progress = this.#byId.get(id);
    if (progress?.[member] === value) return;
    this.#byId.set(id, { ...(progress ?? unknownProgress()), [member]: value });
    this.#version += 1;
  }

  clear(): void {
    this.#byId.clear();
    this.#version += 1;
  }

  /** The progress of all, by id. */
  state(): Record<string, ObjectiveProgress> {
    return Object.fromEntries(this.#byId);
  }
}

/** What the maps of an objective read. */
interface ReadValue {
  /** That of the shared objectives. */
  version: number;
  /** Whether any map reads the member. */
  isRead: boolean;
  value: ObjectiveProgress[ProgressMember];
}

const NOTHING_READ: Omit<ReadValue, 'version'> = { isRead: false, value: null };

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
  readonly #shared: SharedObjectives;
  /** By member. Thousands of conditions may need the same value, which thousands of maps may read. */
  readonly #read: Partial<Record<ProgressMember, ReadValue>> = {};
  readonly #completingProgress: number | null;

  /**
   * @param shared those of the session
   * @param completingProgress the progress that completes the objective; null if completion does not follow from
   *   progress
   */
  constructor(
    definition: SequencingObjective | null,
    shared: SharedObjectives,
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
    const { isRead, value } = this.definition.maps.length === 0 ? NOTHING_READ : this.#readByMaps(member);
    // Members that the fourth edition added fall back to the objective's own value.
    if (isRead && (value !== null || ALWAYS_SHARED.includes(member))) return value as ObjectiveProgress[M];
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

  /** The first known value among the shared objectives that the maps read; null if there is none. */
  #readByMaps(member: ProgressMember): ReadValue {
    const { version } = this.#shared;
    const kept = this.#read[member];
    if (kept?.version === version) return kept;
    const read: ReadValue = { version, isRead: false, value: null };
    for (const map of this.definition.maps) {
      if (!map[READ[member]]) continue;
      read.isRead = true;
      read.value = this.#shared.get(map.targetObjectiveId)?.[member] ?? null;
      if (read.value !== null) break;
    }
    this.#read[member] = read;
    return read;
  }

  /** The measure that decides a member, and its threshold; null if no measure does. */
  #followedBy(member: ProgressMember): { from: 'measure' | 'progress'; least: number } | null {
    const { satisfiedByMeasure, minNormalizedMeasure } = this.definition;
    if (member === 'satisfied' && satisfiedByMeasure) return { from: 'measure', least: minNormalizedMeasure };
    if (member !== 'completed' || this.#completingProgress === null) return null;
    return { from: 'progress', least: this.#completingProgress };
  }

  #write<M extends ProgressMember>(member: M, value: ObjectiveProgress[M]): void {
    for (const map of this.definition.maps) {
      if (map[WRITE[member]]) this.#shared.set(map.targetObjectiveId, member, value);
    }
  }
}
