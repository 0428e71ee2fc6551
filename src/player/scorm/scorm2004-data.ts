import type { UnitOpening } from '../course-runtime.ts';
import { attemptMs } from './attempt-time.ts';
import { type Cmi, cmiOf, exactTextIn, isLeftOpen, part, textIn } from './cmi.ts';
import { lessonModeOf } from './lesson-mode.ts';
import { durationOf } from './scorm2004-status.ts';
import { completionThresholdOf, structureItem } from './structure-item.ts';

/**
 * The initial data of a unit of SCORM 2004. As with SCORM 1.2, all of its data is restored, even if it did not suspend. Its
 * objectives exist from the beginning (Run-Time Environment 4.2.17).
 */
export function scorm2004Data(opening: UnitOpening): { cmi: Cmi; units: string[]; unit: string } {
  const { launch, course, unit, isReview, isResumed } = opening;
  // If sequencing begins a new attempt, the unit starts without the data of the previous attempt.
  const current = isResumed === false ? null : opening.current;
  const before = cmiOf(current);
  const score = part(before, 'score');
  return {
    cmi: {
      learner_id: launch.learnerId,
      learner_name: launch.learnerId,
      location: exactTextIn(before, 'location'),
      completion_status: completionFor(opening, textIn(before, 'completion_status')),
      success_status: textIn(before, 'success_status'),
      progress_measure: textIn(before, 'progress_measure'),
      score: {
        scaled: textIn(score, 'scaled'),
        raw: textIn(score, 'raw'),
        min: textIn(score, 'min'),
        max: textIn(score, 'max'),
      },
      credit: isReview ? 'no-credit' : 'credit',
      entry: entryOf(current, isResumed),
      mode: lessonModeOf(opening),
      total_time: durationOf(attemptMs(current)),
      suspend_data: exactTextIn(before, 'suspend_data'),
      launch_data: unit.launchData ?? '',
      scaled_passing_score: unit.masteryScore === null ? '' : String(unit.masteryScore),
      completion_threshold: String(completionThresholdOf(course, unit) ?? ''),
      max_time_allowed: unit.maxTimeAllowed ?? '',
      time_limit_action: unit.timeLimitAction ?? 'continue,no message',
      learner_preference: part(before, 'learner_preference'),
      objectives: objectivesOf(before, opening.course, unit.id),
      interactions: part(before, 'interactions'),
      comments_from_learner: part(before, 'comments_from_learner'),
    },
    units: course.units.map(({ id }) => id),
    unit: unit.id,
  };
}

/**
 * The status that the unit reported, or else the result of its last visit. With sequencing, that may be the result of an
 * earlier attempt.
 */
function completionFor({ current, isResumed }: Pick<UnitOpening, 'current' | 'isResumed'>, reported: string) {
  const isReported = reported !== '' && reported !== 'unknown';
  const isResult = isResumed === null && current?.completion === 'Completed';
  return isReported || !isResult ? reported : 'completed';
}

function entryOf(current: UnitOpening['current'], isResumed: boolean | null): string {
  if (current === null) return 'ab-initio';
  return (isResumed ?? isLeftOpen(current)) ? 'resume' : '';
}

function objectivesOf(before: Cmi, course: UnitOpening['course'], unitId: string): Cmi {
  const left = part(before, 'objectives');
  if (Object.keys(left).length > 0) return left;
  const sequencing = structureItem(course, unitId)?.scorm2004?.sequencing;
  const ids = [sequencing?.primaryObjective, ...(sequencing?.objectives ?? [])].flatMap(
    (objective) => objective?.id ?? [],
  );
  return Object.fromEntries(ids.map((id, index) => [index, { id }]));
}
