import type { PlayableVersion } from '../../content/courses/playable-version.ts';
import type { Completion, Success } from '../../content/registrations/registration.ts';
import type { LaunchUnit } from '../../course-packages/package-description.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import type { LearningStatus } from '../attempts/attempt.ts';
import { scaledScore } from '../attempts/bounded-score.ts';
import { type Cmi, numberIn, part, scoreOf, textIn } from './cmi.ts';
import { completionThresholdOf, structureItem } from './structure-item.ts';

const DURATION =
  /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d*)?)S)?)?$/;
/** Years and months have no fixed length, but no session lasts that long. */
const UNITS_MS = [365 * DAY_MS, 30 * DAY_MS, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS];

/**
 * The status that a SCORM 2004 data model reports. Thresholds decide if the manifest has them and the unit measured
 * (Run-Time Environment 4.2.4 and 4.2.21). A unit that ends without a completion status is completed, unless it
 * suspended or the manifest leaves completion to it (Sequencing and Navigation, UP.4).
 */
export function readScorm2004(
  cmi: Cmi,
  unit: Pick<LaunchUnit, 'id' | 'masteryScore' | 'completionThreshold'>,
  course: Pick<PlayableVersion, 'structure'>,
  terminated: boolean,
): { status: LearningStatus; sessionMs: number | null } {
  const score = part(cmi, 'score');
  const scaled = numberIn(score, 'scaled');
  const isLeftToUnit =
    structureItem(course, unit.id)?.scorm2004?.sequencing.delivery.completionSetByContent === true;
  const isOver = terminated && textIn(cmi, 'exit') !== 'suspend' && !isLeftToUnit;
  return {
    status: {
      completion: completionOf(cmi, completionThresholdOf(course, unit), isOver),
      success: successOf(textIn(cmi, 'success_status'), scaled, unit.masteryScore),
      score: scaled === null ? scoreOf(score) : scaledScore(scaled),
    },
    sessionMs: durationMs(textIn(cmi, 'session_time')),
  };
}

function completionOf(cmi: Cmi, threshold: number | null, isOver: boolean): Completion {
  const progress = numberIn(cmi, 'progress_measure');
  if (threshold !== null && progress !== null) return progress >= threshold ? 'Completed' : 'Incomplete';
  const reported = textIn(cmi, 'completion_status');
  if (reported === 'completed') return 'Completed';
  return isOver && (reported === '' || reported === 'unknown') ? 'Completed' : 'Incomplete';
}

function successOf(reported: string, scaled: number | null, passing: number | null): Success {
  if (passing !== null && scaled !== null) return scaled >= passing ? 'PASS' : 'FAIL';
  if (reported === 'passed') return 'PASS';
  return reported === 'failed' ? 'FAIL' : 'UNKNOWN';
}

/** Parses a `timeinterval (second,10,2)`. Returns milliseconds; null if the text is not an interval. */
export function durationMs(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null || text === 'P') return null;
  return Math.round(UNITS_MS.reduce((sum, unitMs, index) => sum + Number(match[index + 1] ?? 0) * unitMs, 0));
}

/** Formats milliseconds as a `timeinterval (second,10,2)`. */
export function durationOf(ms: number): string {
  const hours = Math.floor(ms / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  const seconds = Number(((ms % MINUTE_MS) / SECOND_MS).toFixed(2));
  const parts = `${hours > 0 ? `${hours}H` : ''}${minutes > 0 ? `${minutes}M` : ''}`;
  return `PT${parts}${seconds > 0 || parts === '' ? `${seconds}S` : ''}`;
}
