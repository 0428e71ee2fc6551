import { type Cmi, numberIn, part, textIn } from '../cmi.ts';
import type { Activity } from './activity.ts';
import type { Objective } from './objective.ts';

/** The data that a unit reported in a session. */
export interface UnitReport {
  cmi: Cmi;
  /** The elements that it has set, such as `cmi.success_status`. */
  set: ReadonlySet<string>;
  elapsedMs: number;
}

const SATISFIED: Readonly<Record<string, boolean>> = { passed: true, failed: false };
const COMPLETED: Readonly<Record<string, boolean>> = {
  completed: true,
  incomplete: false,
  'not attempted': false,
};

/**
 * Copies the values that a unit set to the tracking data of its activity (Run-Time Environment 4.2; Sequencing and
 * Navigation 4.2.1). An entry of `cmi.objectives` with the id of the primary objective sets the primary objective, too.
 */
export function trackUnit(activity: Activity, { cmi, set, elapsedMs }: UnitReport): void {
  activity.attemptMs += elapsedMs;
  activity.isSuspended = textIn(cmi, 'exit') === 'suspend';
  if (!activity.isTracked) return;
  let success = { value: SATISFIED[textIn(cmi, 'success_status')], isSet: set.has('cmi.success_status') };
  let completion = {
    value: COMPLETED[textIn(cmi, 'completion_status')],
    isSet: set.has('cmi.completion_status'),
  };
  let progress = numberIn(cmi, 'progress_measure');
  let measure = numberIn(part(cmi, 'score'), 'scaled');
  for (const { objective, index, reported } of reportsOf(activity, cmi)) {
    const of = (member: string) => set.has(`cmi.objectives.${index}.${member}`);
    const reportedSuccess = {
      value: SATISFIED[textIn(reported, 'success_status')],
      isSet: of('success_status'),
    };
    const reportedCompletion = {
      value: COMPLETED[textIn(reported, 'completion_status')],
      isSet: of('completion_status'),
    };
    const reportedMeasure = numberIn(part(reported, 'score'), 'scaled');
    const reportedProgress = numberIn(reported, 'progress_measure');
    trackScores(objective, reported);
    if (objective === activity.primary) {
      if (reportedSuccess.value !== undefined || reportedSuccess.isSet) success = reportedSuccess;
      if (!completion.isSet && (reportedCompletion.value !== undefined || reportedCompletion.isSet)) {
        completion = reportedCompletion;
      }
      progress ??= reportedProgress;
      measure ??= reportedMeasure;
      continue;
    }
    track(objective, 'satisfied', reportedSuccess.value ?? null, reportedSuccess.isSet);
    track(objective, 'completed', reportedCompletion.value ?? null, reportedCompletion.isSet);
    track(objective, 'measure', reportedMeasure);
    track(objective, 'progress', reportedProgress);
  }
  activity.hasSetSuccess ||= success.isSet;
  activity.hasSetCompletion ||= completion.isSet;
  track(activity.primary, 'measure', measure);
  track(activity.primary, 'progress', progress);
  track(activity.primary, 'completed', completion.value ?? null, completion.isSet);
  if (success.value !== undefined || success.isSet) {
    track(activity.primary, 'satisfied', success.value ?? null, success.isSet);
  }
}

/** Sets a member. An unknown value clears only the objective's own value, unless the unit set it to unknown. */
function track<M extends 'satisfied' | 'completed' | 'measure' | 'progress'>(
  objective: Objective,
  member: M,
  value: Objective['own'][M],
  isSet = false,
): void {
  if (value !== null || isSet) objective.set(member, value);
  else objective.clear(member);
}

function trackScores(objective: Objective, reported: Cmi): void {
  const score = part(reported, 'score');
  for (const member of ['raw', 'min', 'max'] as const) {
    const value = numberIn(score, member);
    if (value !== null) objective.set(member, value);
    else objective.clear(member);
  }
}

/** What a unit reported of the objectives of its activity, once for each: an untrusted page may repeat an id. */
function reportsOf(activity: Activity, cmi: Cmi): { objective: Objective; index: string; reported: Cmi }[] {
  const reports = new Map<Objective, { index: string; reported: Cmi }>();
  for (const [index, reported] of objectivesIn(cmi)) {
    const objective = activity.objective(textIn(reported, 'id'));
    if (objective !== undefined) reports.set(objective, { index, reported });
  }
  return [...reports].map(([objective, report]) => ({ objective, ...report }));
}

function objectivesIn(cmi: Cmi): [string, Cmi][] {
  const objectives = part(cmi, 'objectives');
  return Object.keys(objectives).map((index) => [index, part(objectives, index)]);
}

/** The initial objectives of a unit: those of its activity that have an id, with their tracked data. */
export function objectivesFor(activity: Activity, before: Cmi, isResumed: boolean): Record<string, Cmi> {
  const found = new Map<string, Cmi>();
  if (isResumed) {
    for (const [, reported] of objectivesIn(before)) found.set(textIn(reported, 'id'), reported);
  }
  for (const objective of activity.objectives) {
    const { id } = objective.definition;
    if (id === null) continue;
    const satisfied = objective.get('satisfied');
    const completed = objective.known('completed');
    const kept = found.get(id) ?? {};
    const score = part(kept, 'score');
    const text = (value: number | null, former: string) => (value === null ? former : String(value));
    found.set(id, {
      ...kept,
      id,
      ...(satisfied === null ? {} : { success_status: satisfied ? 'passed' : 'failed' }),
      ...(completed === null ? {} : { completion_status: completed ? 'completed' : 'incomplete' }),
      progress_measure: text(objective.get('progress'), textIn(kept, 'progress_measure')),
      score: {
        scaled: text(objective.get('measure'), textIn(score, 'scaled')),
        raw: text(objective.get('raw'), textIn(score, 'raw')),
        min: text(objective.get('min'), textIn(score, 'min')),
        max: text(objective.get('max'), textIn(score, 'max')),
      },
    });
  }
  return Object.fromEntries([...found.values()].map((reported, index) => [String(index), reported]));
}
