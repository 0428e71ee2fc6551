import type { CourseFiles } from '../course-files.ts';
import { quoted } from '../package-error.ts';

/** The range of scores of SCORM 1.2 and AICC. */
export const PERCENT = [0, 100] as const;

/**
 * Parses a score of a manifest; null if there is none. A score outside the range of the standard is omitted with a
 * warning, because the unit still reports its own result.
 */
export function scoreWithin(
  course: CourseFiles,
  text: string | null,
  [lowest, highest]: readonly [number, number],
  unit: string,
): number | null {
  if (text === null) return null;
  const score = Number(text);
  if (score >= lowest && score <= highest) return score;
  course.warn(
    `The unit ${quoted(unit)} has the score ${quoted(text)}, which is not from ${lowest} to ${highest}; it is ignored.`,
  );
  return null;
}
