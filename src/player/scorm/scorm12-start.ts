import { addressOfTarget, type UnitOpening, type UnitStart } from '../course-runtime.ts';
import { cmiOf, exactTextIn, isLeftOpen, part, textIn } from './cmi.ts';
import { lessonModeOf } from './lesson-mode.ts';
import { timespanOf } from './scorm12-status.ts';

/**
 * Opens a unit of SCORM 1.1 or 1.2. Bookmark, suspend data, objectives, comments and preferences are always restored:
 * many courses read them even though they did not suspend. Interactions are write-only (Run-Time Environment, 3.4).
 */
export function openScorm12(opening: UnitOpening): UnitStart {
  const { launch, unit, present, isReview, baseUrl } = opening;
  const before = cmiOf(present);
  const core = part(before, 'core');
  const address = addressOfTarget(unit.launch, baseUrl);
  if (!unit.reports) return { script: null, address, ownWindow: false, data: null, isReview };
  const score = part(core, 'score');
  return {
    script: 'scorm12',
    address,
    ownWindow: false,
    isReview,
    data: {
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
          lesson_status: statusFor(present, textIn(core, 'lesson_status')),
          entry: present === null ? 'ab-initio' : isLeftOpen(present) ? 'resume' : '',
          lesson_mode: lessonModeOf(opening),
          score: { raw: textIn(score, 'raw'), min: textIn(score, 'min'), max: textIn(score, 'max') },
          total_time: timespanOf(present?.durationMs ?? 0),
        },
        objectives: part(before, 'objectives'),
        student_data: {
          mastery_score: unit.masteryScore === null ? '' : String(unit.masteryScore),
          max_time_allowed: unit.maxTimeAllowed ?? '',
          time_limit_action: unit.timeLimitAction ?? '',
        },
        student_preference: part(before, 'student_preference'),
      },
    },
  };
}

/** The status that the unit reads: the one that it reported, adjusted by the mastery score. */
function statusFor(present: UnitOpening['present'], reported: string): string {
  if (present === null) return 'not attempted';
  if (present.completion !== 'Completed') return reported === '' ? 'not attempted' : reported;
  if (present.success === 'UNKNOWN') return 'completed';
  return present.success === 'PASS' ? 'passed' : 'failed';
}
