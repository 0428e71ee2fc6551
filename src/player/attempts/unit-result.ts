import { ProblemError } from '../../problems/problem.ts';
import { SECOND_MS } from '../../time/units.ts';
import { assertStorableData } from './assert-storable-data.ts';
import { type LearningStatus, NOTHING_LEARNED, type UnitState, type WritePosition } from './attempt.ts';
import type { LearnerValue } from './learner-value-store.ts';
import { mergeStatus } from './merge-status.ts';
import type { RolledUpStatus } from './roll-up.ts';
import { assertStorableId } from './unit-ids.ts';

/** A unit before it was opened. */
const FRESH = { ...NOTHING_LEARNED, completedAt: null, durationMs: 0, earlierMs: 0, data: null } as const;
const BEFORE_ALL: WritePosition = { page: 0, visit: 0, sequence: 0 };

/** Decides whether a unit may be begun. */
export interface UnitEntrance {
  /** Whether {@link isClosed} needs {@link UnitState.isBrowsed}. */
  asksForBrowsed: boolean;
  /** @param units the opened units, without their data */
  isClosed(units: readonly UnitState[]): boolean;
}

/** A result that a unit reports. */
export interface UnitResult {
  unitId: string;
  /** The position of the write among others. Null for a standard without pages: the order of arrival counts. */
  position: WritePosition | null;
  /**
   * The attempt of the page that wrote this, if a later launch sends what that page was unable to send. It is stored
   * unless a newer page was opened. Missing if the launch itself wrote it.
   */
  lateOf?: number;
  /**
   * Decides what is stored. Runs in the transaction, possibly more than once, so it must have no side effects.
   * @param current the stored unit; null before it was opened
   */
  apply(current: UnitState | null): {
    /** The standard's data model, as JSON values. */
    data: unknown;
    /** The status that follows from the data by the rules of the standard. */
    status: LearningStatus;
    /** Milliseconds spent in this visit. */
    visitMs: number;
    /** False if a part of the result could not be applied. @defaultValue true */
    isWhole?: boolean;
  };
  /** Checked only before the first write of the unit. A unit that was begun may end, even if other units have changed. */
  entrance?: UnitEntrance;
  /** The data that all units share. Missing if it does not change. */
  state?: unknown;
  /**
   * The changed values that the learner shares between courses.
   * @param former the data that all units shared before this result
   */
  learnerValues?(former: unknown): readonly LearnerValue[];
  /**
   * The status of the whole course, if its standard has rules for it. Missing if it follows from the units.
   * @param unit the unit after this result
   */
  rolledUp?(unit: UnitState): RolledUpStatus;
}

/**
 * The unit after a result, and whether all of the result was applied. `isShownAlike`: whether the record of the registration
 * shows it as before.
 */
export function nextUnit(
  current: UnitState | null,
  { unitId, position, apply }: UnitResult,
  now: number,
): { unit: UnitState; isWhole: boolean; isShownAlike: boolean } {
  assertStorableId(unitId);
  const before = current ?? { ...FRESH, openedAt: now, position: BEFORE_ALL };
  const { data, status, visitMs, isWhole = true } = apply(current);
  assertStorableData(data);
  const at = position ?? before.position;
  const isSameVisit = at.page === before.position.page && at.visit === before.position.visit;
  const earlierMs = isSameVisit ? before.earlierMs : before.durationMs;
  const merged = mergeStatus(before, status);
  const unit = {
    ...merged,
    unitId,
    data,
    earlierMs,
    // The time of a visit only grows, even if a course restarts its own clock.
    durationMs: Math.max(isSameVisit ? before.durationMs : earlierMs, earlierMs + Math.round(visitMs)),
    // A result that was stored in part may be sent again.
    position: isWhole ? at : { ...at, sequence: Math.max(0, at.sequence - 1) },
    completedAt: before.completedAt ?? (merged.completion === 'Completed' ? now : null),
    openedAt: before.openedAt,
    updatedAt: now,
  };
  return { unit, isWhole, isShownAlike: current !== null && areShownAlike(current, unit) };
}

/** Whether the record of a registration shows two states of a unit alike: with whole seconds, and without data. */
function areShownAlike(one: UnitState, other: UnitState): boolean {
  return (
    one.completion === other.completion &&
    one.success === other.success &&
    one.score === other.score &&
    one.completedAt === other.completedAt &&
    Math.floor(one.durationMs / SECOND_MS) === Math.floor(other.durationMs / SECOND_MS)
  );
}

/** The error for a unit whose prerequisites are not met. */
export function closedUnit(unitId: string): ProblemError {
  return new ProblemError(
    'conflict',
    `The prerequisites of the unit ${JSON.stringify(unitId)} are not met yet`,
    { members: { reason: 'unit-closed' } },
  );
}

/** Whether a unit already has a result of this position or a later one. */
export function isStale(current: UnitState | null, position: WritePosition | null): boolean {
  if (current === null || position === null) return false;
  return position.page === current.position.page && position.sequence <= current.position.sequence;
}
