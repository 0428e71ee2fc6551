import type { Completion, Success } from '../../content/registrations/registration.ts';
import type { LaunchUnit } from '../../course-packages/package-description.ts';
import { SECOND_MS } from '../../time/units.ts';
import type { LearningStatus } from '../attempts/attempt.ts';
import { type Cmi, numberIn, part, scoreOf, textIn } from './cmi.ts';

const TIMESPAN = /^(\d{1,4}):(\d{1,2}):(\d{1,2}(?:\.\d*)?)$/;
const SECONDS_PER_MINUTE = 60;
const SECONDS_PER_HOUR = 3_600;

/**
 * The status that a SCORM 1.2 data model reports. `passed`, `completed` and `failed` are completed. For a unit that
 * reports `completed`, the mastery score decides whether it is passed. A unit that ends without a status is completed
 * (SCORM 1.2 Run-Time Environment, `cmi.core.lesson_status`), unless it suspended.
 */
export function readScorm12(
  cmi: Cmi,
  unit: Pick<LaunchUnit, 'masteryScore'>,
  terminated: boolean,
): { status: LearningStatus; sessionMs: number | null } {
  const core = part(cmi, 'core');
  const exit = textIn(core, 'exit');
  const reported = textIn(core, 'lesson_status').toLowerCase();
  const isSilent = reported === '' || reported === 'not attempted';
  const lessonStatus = isSilent && terminated && exit !== 'suspend' ? 'completed' : reported;
  const raw = numberIn(part(core, 'score'), 'raw');
  return {
    status: {
      completion: completionOf(lessonStatus),
      success: successOf(lessonStatus, raw, unit.masteryScore),
      score: scoreOf(part(core, 'score')),
    },
    // The data model starts with a time of zero, which remains if a unit measures no time.
    sessionMs: timespanMs(textIn(core, 'session_time')) || null,
  };
}

/**
 * The status that a unit reads when it is opened: the one that it reported, adjusted by the mastery score and by what was
 * recorded before.
 * @param current the stored unit; null before it was opened
 */
export function lessonStatusOf(current: LearningStatus | null, reported: string): string {
  if (current === null) return 'not attempted';
  if (current.completion !== 'Completed') return reported === '' ? 'not attempted' : reported;
  if (current.success === 'UNKNOWN') return 'completed';
  return current.success === 'PASS' ? 'passed' : 'failed';
}

function completionOf(lessonStatus: string): Completion {
  return ['passed', 'completed', 'failed'].includes(lessonStatus) ? 'Completed' : 'Incomplete';
}

function successOf(lessonStatus: string, raw: number | null, masteryScore: number | null): Success {
  if (lessonStatus === 'passed') return 'PASS';
  if (lessonStatus === 'failed') return 'FAIL';
  if (lessonStatus !== 'completed' || raw === null || masteryScore === null) return 'UNKNOWN';
  return raw >= masteryScore ? 'PASS' : 'FAIL';
}

/** Parses a `CMITimespan` (`HHHH:MM:SS.SS`). Returns milliseconds; null if the text is not a timespan. */
export function timespanMs(text: string): number | null {
  const match = TIMESPAN.exec(text);
  if (match === null) return null;
  const [, hours, minutes, seconds] = match;
  return Math.round(
    (Number(hours) * SECONDS_PER_HOUR + Number(minutes) * SECONDS_PER_MINUTE + Number(seconds)) * SECOND_MS,
  );
}

/** Formats milliseconds as a `CMITimespan`. */
export function timespanOf(ms: number): string {
  // Rounded first: rounded later, 59.999 seconds would be 60 seconds of the same minute.
  const seconds = Math.round(ms / 10) / 100;
  const hours = Math.floor(seconds / SECONDS_PER_HOUR);
  const minutes = Math.floor((seconds % SECONDS_PER_HOUR) / SECONDS_PER_MINUTE);
  const rest = (seconds % SECONDS_PER_MINUTE).toFixed(2);
  return `${String(Math.min(hours, 9_999)).padStart(4, '0')}:${String(minutes).padStart(2, '0')}:${rest.padStart(5, '0')}`;
}
