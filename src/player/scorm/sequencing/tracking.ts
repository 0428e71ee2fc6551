/**
 * What is tracked of an objective. Null is unknown. The primary objective's completion is that of its activity.
 */
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

/** What is tracked of an activity. */
export interface ActivityState {
  /** How many attempts have begun. */
  attempts: number;
  isActive: boolean;
  isSuspended: boolean;
  /** Whether objectives and progress are of an earlier attempt of the parent, which rollup does not count. */
  hasOldObjectives: boolean;
  hasOldProgress: boolean;
  /** Whether the unit itself has set them, even to unknown: then they are not filled in when it ends. */
  hasSetSuccess: boolean;
  hasSetCompletion: boolean;
  /** Whether its unit has terminated without suspending, though nothing has ended the attempt yet. */
  hasEnded: boolean;
  /** Time spent in the attempt, in ms. */
  attemptMs: number;
  /** The primary objective, then the others in the manifest's order. */
  objectives: ObjectiveProgress[];
  /** The ids of the available children in their order; null for all in the manifest's order. */
  available: string[] | null;
}

/** What is kept of a sequencing session, as JSON. */
export interface SequencingState {
  format: 2;
  current: string | null;
  suspended: string | null;
  /** Of activities that differ from untouched ones. */
  activities: Record<string, ActivityState>;
  /** Shared objectives, by their id. */
  objectives: Record<string, ObjectiveProgress>;
  /** Stores of `adl.data`, by their id. */
  stores: Record<string, string>;
}

/** An objective of which nothing is known. */
export function unknownProgress(): ObjectiveProgress {
  return { satisfied: null, measure: null, raw: null, min: null, max: null, completed: null, progress: null };
}
