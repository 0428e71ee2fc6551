/** The tracked data of an objective. Null means unknown. The primary objective's completion is that of its activity. */
export interface ObjectiveProgress {
  satisfied: boolean | null;
  /** −1 to 1. */
  measure: number | null;
  raw: number | null;
  min: number | null;
  max: number | null;
  completed: boolean | null;
  /** 0 to 1. */
  progress: number | null;
}

/** The members of {@link ObjectiveProgress}. */
export type ProgressMember = keyof ObjectiveProgress;

/** The tracked data of an activity. */
export interface ActivityState {
  /** Number of attempts that have begun. */
  attempts: number;
  isActive: boolean;
  isSuspended: boolean;
  /** Whether objectives and progress belong to an earlier attempt of the parent, which rollup ignores. */
  hasOldObjectives: boolean;
  hasOldProgress: boolean;
  /** Whether the unit itself has set the status, even to unknown. If so, it keeps that status when it ends. */
  hasSetSuccess: boolean;
  hasSetCompletion: boolean;
  /** Whether its unit has terminated without suspending, while the attempt has not ended yet. */
  hasEnded: boolean;
  /** Milliseconds spent in the attempt. */
  attemptMs: number;
  /** The primary objective, then the others in the manifest's order. */
  objectives: ObjectiveProgress[];
  /** The ids of the available children, in their order; null if all are available in the manifest's order. */
  available: string[] | null;
}

/** The stored state of a sequencing session, as JSON. */
export interface SequencingState {
  format: 2;
  current: string | null;
  suspended: string | null;
  /** The activities that differ from their initial state, by their id. */
  activities: Record<string, ActivityState>;
  /** Shared objectives, by their id. */
  objectives: Record<string, ObjectiveProgress>;
  /** Stores of `adl.data`, by their id. */
  stores: Record<string, string>;
}

/** The progress of an objective whose members are all unknown. */
export function unknownProgress(): ObjectiveProgress {
  return { satisfied: null, measure: null, raw: null, min: null, max: null, completed: null, progress: null };
}
