import { DAY_MS } from '../../time/units.ts';

/** A longer visit is an error of a clock or of a course. */
export const MAX_VISIT_MS = 7 * DAY_MS;

/**
 * Milliseconds of a visit. A course may end its session and begin another one in the same page, and each session reports
 * its own time. But some courses report the time since their page was loaded each time. So a later session adds at most
 * the time that has passed in it.
 * @param earlierSessionsMs the time of the sessions of this visit that have ended
 * @param elapsedMs the time since the current session began. It counts if the session reports no time
 * @param sessionMs the time that the current session reported; null without one
 */
export function visitMs(
  { earlierSessionsMs = 0, elapsedMs }: { earlierSessionsMs?: number; elapsedMs: number },
  sessionMs: number | null,
): number {
  const reported = sessionMs ?? elapsedMs;
  const total =
    earlierSessionsMs === 0
      ? reported
      : Math.max(sessionMs ?? 0, earlierSessionsMs + Math.min(reported, elapsedMs));
  return Math.min(total, MAX_VISIT_MS);
}
