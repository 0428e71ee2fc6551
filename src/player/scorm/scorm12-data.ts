import type { UnitOpening } from '../course-runtime.ts';
import { type Cmi, cmiOf, exactTextIn, isLeftOpen, part, textIn } from './cmi.ts';
import { lessonModeOf } from './lesson-mode.ts';
import { lessonStatusOf, timespanOf } from './scorm12-status.ts';

/**
 * The initial data of a unit of SCORM 1.1 or 1.2. Bookmark, suspend data, objectives, comments and preferences are always
 * restored: many courses read them even though they did not suspend. Courses cannot read interactions, but a save replaces the
 * whole data model, so without those of earlier visits it would delete them.
 */
export function scorm12Data(opening: UnitOpening): { cmi: Cmi } {
  const { launch, unit, current, isReview } = opening;
  const before = cmiOf(current);
  const core = part(before, 'core');
  const score = part(core, 'score');
  return {
    cmi: {
      suspend_data: exactTextIn(before, 'suspend_data'),
      launch_data: unit.launchData ?? '',
      comments: exactTextIn(before, 'comments'),
      comments_from_lms: '',
      core: {
        student_id: launch.learnerId,
        student_name: launch.learnerId,
        lesson_location: exactTextIn(core, 'lesson_location'),
        credit: isReview ? 'no-credit' : 'credit',
        lesson_status: lessonStatusOf(current, textIn(core, 'lesson_status')),
        entry: current === null ? 'ab-initio' : isLeftOpen(current) ? 'resume' : '',
        lesson_mode: lessonModeOf(opening),
        score: { raw: textIn(score, 'raw'), min: textIn(score, 'min'), max: textIn(score, 'max') },
        total_time: timespanOf(current?.durationMs ?? 0),
      },
      objectives: part(before, 'objectives'),
      interactions: part(before, 'interactions'),
      student_data: {
        mastery_score: unit.masteryScore === null ? '' : String(unit.masteryScore),
        max_time_allowed: unit.maxTimeAllowed ?? '',
        time_limit_action: unit.timeLimitAction ?? '',
      },
      student_preference: part(before, 'student_preference'),
    },
  };
}
