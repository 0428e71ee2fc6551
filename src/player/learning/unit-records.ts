import { awaitsLanguage } from '../../content/registrations/equivalent-courses.ts';
import type { Registration } from '../../content/registrations/registration.ts';
import type { RegistrationUnitRecord } from '../../content/registrations/registration-schemas.ts';
import type { Reader } from '../../database/database.ts';
import { formatOptionalDateTime } from '../../time/date-time.ts';
import { SECOND_MS } from '../../time/units.ts';
import { NOTHING_LEARNED } from '../attempts/attempt.ts';
import type { AttemptService } from '../attempts/attempt-service.ts';
import { factsOf, isSatisfied } from '../cmi5/cmi5-facts.ts';
import type { PlayerCourses } from '../player-courses.ts';
import { readFirstOpenings } from '../sessions/session-store.ts';

/**
 * The units of a registration's course, with the learner's progress in the latest attempt. After a reset, the attempt
 * is the ended one until the next attempt begins, but its results no longer count.
 */
export async function unitRecordsOf(
  registration: Registration,
  {
    attempts,
    courses,
    reader,
  }: { attempts: AttemptService; courses: PlayerCourses; reader: Pick<Reader, 'query' | 'all'> },
): Promise<{ attempt: number; units: RegistrationUnitRecord[] }> {
  const { registrationId, courseId, versionId } = registration;
  const course = await courses.read(reader, courseId, versionId);
  const isCmi5 = course.learningStandard === 'CMI5';
  const mayWaive = isCmi5 && !(await awaitsLanguage(reader, registration));
  const latest = await attempts.stored.latestOf(registrationId, isCmi5 ? {} : { dataOf: null });
  const opened = latest === null || latest.endedAt !== null ? [] : latest.units;
  // Units of cmi5 may be waived or completed without being opened.
  const openings =
    isCmi5 && latest !== null ? await readFirstOpenings(reader, registrationId, latest.number) : null;
  const states = new Map(opened.map((unit) => [unit.unitId, unit]));
  return {
    attempt: latest?.number ?? 0,
    units: course.units.map((unit) => {
      const { id, title } = unit;
      const state = states.get(id);
      const { completion, success, score } = state ?? NOTHING_LEARNED;
      const openedAt = openings === null ? state?.openedAt : state && openings.get(id);
      const facts = isCmi5 ? factsOf(state ?? null) : null;
      return {
        unit_id: id,
        title,
        completion,
        success,
        score,
        duration: Math.floor((state?.durationMs ?? 0) / SECOND_MS),
        completion_dt: formatOptionalDateTime(state?.completedAt ?? null),
        opened_dt: formatOptionalDateTime(openedAt ?? null),
        waived: facts?.waived ?? false,
        waivable: mayWaive && facts !== null && !isSatisfied(unit, facts),
      };
    }),
  };
}
