import type { UnitState, WritePosition } from '../attempts/attempt.ts';

/**
 * Milliseconds that a unit was open before the current attempt on it began. Only sequencing begins several attempts on a
 * unit. Zero for data of earlier releases, which did not store this.
 */
function earlierAttemptsMs(unit: UnitState | null): number {
  const ms = (unit?.data as { earlierAttemptsMs?: unknown } | null | undefined)?.earlierAttemptsMs;
  return typeof ms === 'number' ? ms : 0;
}

/** Milliseconds spent in the current attempt on a unit. */
export function attemptMs(unit: UnitState | null): number {
  return unit === null ? 0 : Math.max(0, unit.durationMs - earlierAttemptsMs(unit));
}

/**
 * The part of a unit's stored data from which {@link attemptMs} is derived.
 * @param isNewAttempt whether the visit of this write has begun another attempt
 */
export function attemptTimeData(
  unit: UnitState | null,
  { position, isNewAttempt }: { position: Pick<WritePosition, 'page' | 'visit'>; isNewAttempt: boolean },
): { earlierAttemptsMs?: number } {
  if (unit === null) return {};
  const isSameVisit = position.page === unit.position.page && position.visit === unit.position.visit;
  const beforeVisitMs = isSameVisit ? unit.earlierMs : unit.durationMs;
  const ms = isNewAttempt ? beforeVisitMs : earlierAttemptsMs(unit);
  return ms === 0 ? {} : { earlierAttemptsMs: ms };
}
