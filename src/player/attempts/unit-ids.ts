import { quoted } from '../../course-packages/package-error.ts';
import { MAX_UNIT_ID_BYTES } from '../../course-packages/package-limits.ts';
import { ProblemError } from '../../problems/problem.ts';

/** Maximum length of the id of a unit in a request, in characters. SCORM 2004 and cmi5 allow up to 4,000. */
export const MAX_UNIT_ID_LENGTH = 4_096;

/**
 * Rejects a unit with an id that some databases cannot store. Such courses were imported before identifiers had a
 * limit.
 * @throws {ProblemError} `conflict`
 */
export function assertStorableId(unitId: string): void {
  const bytes = Buffer.byteLength(unitId);
  if (bytes <= MAX_UNIT_ID_BYTES) return;
  throw new ProblemError(
    'conflict',
    `The identifier of the unit ${quoted(unitId)} has ${bytes} bytes. The maximum is ${MAX_UNIT_ID_BYTES}, because longer ` +
      'identifiers cannot be stored. Shorten it, and upload the course as a new version',
  );
}
