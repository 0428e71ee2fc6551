import type { CourseFiles } from './course-files.ts';
import { quoted } from './package-error.ts';

/**
 * A score as a manifest writes it; null when there is none. One outside the standard's range is left out with a
 * warning, since the unit still reports its own verdict.
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
