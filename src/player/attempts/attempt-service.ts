import type { Registration, RegistrationStatus } from '../../content/registrations/registration.ts';
import type { RegistrationService } from '../../content/registrations/registration-service.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';
import type { PlayerCourses } from '../courses/player-courses.ts';
import type { PlayerLaunch } from '../launches/launch.ts';
import { assertStorableData } from './assert-storable-data.ts';
import type { Attempt, LearningStatus, RecordOutcome, UnitState, WritePosition } from './attempt.ts';
import { NOTHING_LEARNED } from './attempt.ts';
import {
  endAttempt,
  insertAttempt,
  readBrowsedUnits,
  readLatestAttempt,
  readUnits,
  updateAttemptState,
  updatePage,
  writeUnit,
} from './attempt-store.ts';
import {
  type LearnerValue,
  readLearnerValueSizes,
  readLearnerValues,
  sizeOfLearnerValues,
  writeLearnerValues,
} from './learner-value-store.ts';
import { mergeStatus } from './merge-status.ts';
import { rollUp } from './roll-up.ts';
import { assertStorableId } from './unit-ids.ts';

const MS_PER_SECOND = 1_000;

/** Of the values that a registration shares with other courses, and of those that a page starts from. */
const MAX_LEARNER_VALUES = 5_000;
const MAX_LEARNER_VALUES_SIZE = 8 * 2 ** 20;

/** What a page of the player starts from. */
export interface OpenedPage {
  attempt: number;
  /** Goes with every write of the page; 0 in a preview. */
  page: number;
  state: unknown;
  units: readonly UnitState[];
}

/** Whether a unit may be begun. */
export interface UnitEntrance {
  /** Whether that depends on {@link UnitState.isBrowsed}. */
  asksForBrowsed: boolean;
  /** @param units those that were opened, without their data */
  isClosed(units: readonly UnitState[]): boolean;
}

/** What a unit has to say. */
export interface UnitResult {
  unitId: string;
  /** The position of the write among others; null for a standard without pages, whose writes count in the order of arrival. */
  position: WritePosition | null;
  /**
   * The attempt of the page that wrote this, when a later launch sends what that page could not. It counts while no
   * newer page has opened. Left out, the write is of the launch itself.
   */
  lateOf?: number;
  /**
   * Decides what is stored. Runs in the transaction, perhaps more than once, so it has no effect but its answer.
   * @param present the unit as it is stored; null before it was opened
   */
  apply(present: UnitState | null): {
    /** The standard's data model, as JSON values. */
    data: unknown;
    /** What that data means, by the standard's rules. */
    status: LearningStatus;
    /** Time spent in this visit. */
    visitMs: number;
    /** False when a part of the result could not be applied; left out, it is whole. */
    isWhole?: boolean;
  };
  /** Asked before the unit's first write only: what was begun may end, whatever has happened to other units since. */
  entrance?: UnitEntrance;
  /** What the runtime keeps for all units together; left out, it stays as it is. */
  state?: unknown;
  /**
   * What the result changes of the values that the learner keeps across courses.
   * @param former what was kept for all units together
   */
  learnerValues?(former: unknown): readonly LearnerValue[];
  /** The status of the whole course, where its standard has rules for it; left out, it follows from the units. */
  rolledUp?: LearningStatus;
}

/** An attempt that is held by a transaction. */
export interface AttemptInProgress {
  registration: Registration;
  attempt: Attempt;
  /** Those that were opened. */
  units: readonly UnitState[];
}

/** A unit before it was opened. */
const FRESH = { ...NOTHING_LEARNED, completedAt: null, durationMs: 0, earlierMs: 0, data: null } as const;
const BEFORE_ALL: WritePosition = { page: 0, visit: 0, sequence: 0 };

/** What learners do in courses: stored by attempt and unit, rolled up into the registration. */
export class AttemptService {
  readonly #registrations: RegistrationService;
  readonly #courses: PlayerCourses;
  readonly #reader: Reader;
  readonly #now: () => number;

  constructor({
    registrations,
    courses,
    reader,
    now,
  }: {
    registrations: RegistrationService;
    courses: PlayerCourses;
    reader: Reader;
    now: () => number;
  }) {
    this.#registrations = registrations;
    this.#courses = courses;
    this.#reader = reader;
    this.#now = now;
  }

  /**
   * Opens a page of the player, which takes over from every page opened before it. The first one begins the attempt.
   * @throws {ProblemError} `not-found` once the registration is gone
   */
  async openPage(launch: PlayerLaunch): Promise<OpenedPage> {
    const { registrationId, launchId } = launch;
    if (registrationId === null) return { attempt: 0, page: 0, state: null, units: [] };
    return await this.#registrations.learn(registrationId, async (tx, present) => {
      const registration = await this.#registrations.settle(tx, present, launch.courseId);
      // A reset may have moved the registration on to another version since, another window to another language.
      if (registration.courseId !== launch.courseId || registration.versionId !== launch.versionId) {
        throw new ProblemError('launch-over', 'The registration plays another version since the launch');
      }
      const attempt = await this.#attempt(tx, registration);
      const page = attempt.page + 1;
      await updatePage(tx, registrationId, attempt.number, { page, launchId });
      const units = await readUnits(tx, registrationId, attempt.number, { dataOf: null });
      return { status: null, result: { attempt: attempt.number, page, state: attempt.state, units } };
    });
  }

  /**
   * Stores what a unit reports, rolls the registration's status up and publishes REGISTRATION_STATUS_UPDATED when
   * completion, success or score changes, in one transaction. Results that come twice, late or from a superseded page
   * write nothing.
   * @throws {ProblemError} `not-found` once the registration is gone, `conflict` if the unit may not be begun,
   *   `content-too-large`
   */
  async recordUnitResult(launch: PlayerLaunch, result: UnitResult): Promise<RecordOutcome> {
    const { registrationId } = launch;
    if (registrationId === null || launch.mode !== 'normal') return 'not-recorded';
    return await this.#registrations.learn<RecordOutcome>(registrationId, async (tx, registration) => {
      const attempt = await readLatestAttempt(tx, registrationId);
      if (attempt === undefined || isSuperseded(attempt, launch, result)) {
        return { status: null, result: 'superseded' };
      }
      const units = await readUnits(tx, registrationId, attempt.number, { dataOf: result.unitId });
      const present = units.find(({ unitId }) => unitId === result.unitId) ?? null;
      if (isStale(present, result.position)) return { status: null, result: 'stale' };

      if (present === null && result.entrance !== undefined) {
        const { asksForBrowsed } = result.entrance;
        const known = asksForBrowsed ? await readBrowsedUnits(tx, registrationId, attempt.number) : units;
        if (result.entrance.isClosed(known)) throw closedUnit(result.unitId);
      }
      const { unit, isWhole } = this.#nextUnit(present, result);
      await writeUnit(tx, registrationId, attempt.number, unit);
      if (result.state !== undefined) {
        await updateAttemptState(tx, registrationId, attempt.number, result.state);
      }
      await this.#keep(tx, registrationId, result.learnerValues?.(attempt.state) ?? []);
      const others = units.filter(({ unitId }) => unitId !== result.unitId);
      return {
        status: await this.#statusOf(tx, registration, [...others, unit], result.rolledUp),
        result: isWhole ? 'recorded' : 'recorded-in-part',
      };
    });
  }

  /**
   * Runs what a unit that talks to the server by itself changes, in one transaction that holds the registration, and
   * stores the results that come of it as {@link recordUnitResult} does. They are omitted if the launch records none.
   * @param launch one of a registration
   * @param options.dataOf the one unit whose data `work` and its results look at; null for none. Left out, all are read,
   *   which only runtimes may ask for that write the data themselves
   * @throws {ProblemError} `not-found` once the registration is gone, `forbidden` once a newer launch has taken over, and
   *   what `work` throws
   */
  async learnAlong<R>(
    launch: PlayerLaunch,
    work: (tx: Transaction, present: AttemptInProgress) => Promise<{ results: UnitResult[]; result: R }>,
    { dataOf }: { dataOf?: string | null } = {},
  ): Promise<R> {
    const { registrationId } = launch;
    if (registrationId === null) throw new Error('a preview has no registration');
    return await this.#registrations.learn<R>(registrationId, async (tx, registration) => {
      const attempt = await readLatestAttempt(tx, registrationId);
      if (attempt === undefined || isSuperseded(attempt, launch, { position: null })) {
        throw new ProblemError('forbidden', 'The course was opened in another window, which has taken over');
      }
      const units = await readUnits(
        tx,
        registrationId,
        attempt.number,
        dataOf === undefined ? {} : { dataOf },
      );
      const present = { registration, attempt, units };
      const { results, result } = await work(tx, present);
      if (results.length === 0 || launch.mode !== 'normal') return { status: null, result };
      return { status: await this.#record(tx, present, results), result };
    });
  }

  /**
   * Stores results that no launch reports, in one transaction that holds the registration. The first change begins the
   * attempt. Publishes REGISTRATION_STATUS_UPDATED with `user` if completion, success or score changes.
   * @throws {ProblemError} `not-found`, and what `work` throws
   */
  async change(
    registrationId: string,
    user: string,
    work: (tx: Transaction, present: AttemptInProgress) => Promise<UnitResult[]>,
  ): Promise<void> {
    await this.#registrations.learn(
      registrationId,
      async (tx, registration) => {
        const attempt = await this.#attempt(tx, registration);
        const units = await readUnits(tx, registrationId, attempt.number);
        const present = { registration, attempt, units };
        const results = await work(tx, present);
        return { status: await this.#record(tx, present, results), result: undefined };
      },
      { user },
    );
  }

  /** Stores results and answers the registration's status after them. */
  async #record(
    tx: Transaction,
    { registration, attempt, units: before }: AttemptInProgress,
    results: readonly UnitResult[],
  ): Promise<RegistrationStatus> {
    const { registrationId } = registration;
    let units = before;
    for (const each of results) {
      const present = units.find(({ unitId }) => unitId === each.unitId) ?? null;
      const { unit } = this.#nextUnit(present, each);
      await writeUnit(tx, registrationId, attempt.number, unit);
      if (each.state !== undefined) {
        await updateAttemptState(tx, registrationId, attempt.number, each.state);
      }
      units = [...units.filter(({ unitId }) => unitId !== each.unitId), unit];
    }
    return await this.#statusOf(tx, registration, units);
  }

  /** The number of the attempt that a page of the registration would play now. */
  async currentNumber(registrationId: string): Promise<number> {
    const latest = await readLatestAttempt(this.#reader, registrationId);
    return latest === undefined ? 1 : latest.number + (latest.endedAt === null ? 0 : 1);
  }

  /** Ends the latest attempt, which stays readable: nothing more is written to it. */
  async endLatest(tx: Transaction, registrationId: string): Promise<void> {
    const attempt = await readLatestAttempt(tx, registrationId);
    if (attempt !== undefined) await endAttempt(tx, registrationId, attempt.number, this.#now());
  }

  /**
   * The latest attempt of a registration, with the units that were opened in it; null before the first.
   * @param dataOf the one unit that comes with its data; null for none
   */
  async latestOf(
    registrationId: string,
    dataOf: string | null = null,
  ): Promise<(Attempt & { units: UnitState[] }) | null> {
    const attempt = await readLatestAttempt(this.#reader, registrationId);
    if (attempt === undefined) return null;
    return { ...attempt, units: await readUnits(this.#reader, registrationId, attempt.number, { dataOf }) };
  }

  /** The latest attempt of a registration with its units and all their data; for standards whose data is small. */
  async latestWithDataOf(registrationId: string): Promise<(Attempt & { units: UnitState[] }) | null> {
    const attempt = await readLatestAttempt(this.#reader, registrationId);
    if (attempt === undefined) return null;
    return { ...attempt, units: await readUnits(this.#reader, registrationId, attempt.number) };
  }

  /**
   * The units of a registration's latest attempt that were opened.
   * @param dataOf the one unit that comes with its data; null for none
   */
  async unitsOf(registrationId: string, dataOf: string | null = null): Promise<UnitState[]> {
    return (await this.latestOf(registrationId, dataOf))?.units ?? [];
  }

  /** The same without data, with {@link UnitState.isBrowsed}. */
  async browsedUnitsOf(registrationId: string): Promise<UnitState[]> {
    const attempt = await readLatestAttempt(this.#reader, registrationId);
    return attempt === undefined ? [] : await readBrowsedUnits(this.#reader, registrationId, attempt.number);
  }

  /**
   * What a registration's units add up to.
   * @throws {ProblemError} `not-found` once the registration is gone
   */
  async resultOf(registrationId: string): Promise<LearningStatus> {
    const { completion, success, score } = await this.#registrations.get(registrationId);
    return { completion, success, score };
  }

  /**
   * The values that the learner of a registration keeps across the courses of the account: those that `isWanted`, the
   * latest first, and no more than a page starts from.
   */
  async learnerValuesOf(
    registrationId: string,
    isWanted: (value: Pick<LearnerValue, 'kind' | 'id'>) => boolean,
  ): Promise<LearnerValue[]> {
    const sizes = await readLearnerValueSizes(this.#reader, registrationId);
    const latest = new Map(sizes.filter(isWanted).map((value) => [value.key, value]));
    const chosen: (typeof sizes)[number][] = [];
    let size = 0;
    for (const value of [...latest.values()].reverse()) {
      size += value.size;
      if (size > MAX_LEARNER_VALUES_SIZE || chosen.length >= MAX_LEARNER_VALUES) break;
      chosen.push(value);
    }
    return await readLearnerValues(this.#reader, chosen);
  }

  /** @throws {ProblemError} `content-too-large` */
  async #keep(tx: Transaction, registrationId: string, values: readonly LearnerValue[]): Promise<void> {
    if (values.length === 0) return;
    await writeLearnerValues(tx, registrationId, values, this.#now());
    const { count, size } = await sizeOfLearnerValues(tx, registrationId);
    if (count > MAX_LEARNER_VALUES || size > MAX_LEARNER_VALUES_SIZE) {
      throw new ProblemError(
        'content-too-large',
        `A registration shares at most ${MAX_LEARNER_VALUES} values of ${MAX_LEARNER_VALUES_SIZE} bytes together with other courses`,
      );
    }
  }

  async #attempt(tx: Transaction, { registrationId, versionId }: Registration): Promise<Attempt> {
    const latest = await readLatestAttempt(tx, registrationId);
    if (latest !== undefined && latest.endedAt === null) return latest;
    const number = (latest?.number ?? 0) + 1;
    return await insertAttempt(tx, registrationId, { number, versionId }, this.#now());
  }

  #nextUnit(
    present: UnitState | null,
    { unitId, position, apply }: UnitResult,
  ): { unit: UnitState; isWhole: boolean } {
    assertStorableId(unitId);
    const now = this.#now();
    const before = present ?? { ...FRESH, openedAt: now, position: BEFORE_ALL };
    const { data, status, visitMs, isWhole = true } = apply(present);
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
      // A visit's time only grows: a course that starts its own clock again must not take any away.
      durationMs: Math.max(isSameVisit ? before.durationMs : earlierMs, earlierMs + Math.round(visitMs)),
      // What was recorded in part may come again.
      position: isWhole ? at : { ...at, sequence: Math.max(0, at.sequence - 1) },
      completedAt: before.completedAt ?? (merged.completion === 'Completed' ? now : null),
      openedAt: before.openedAt,
      updatedAt: now,
    };
    return { unit, isWhole };
  }

  async #statusOf(
    tx: Transaction,
    registration: Registration,
    units: readonly UnitState[],
    rolledUp?: LearningStatus,
  ): Promise<RegistrationStatus> {
    const course = await this.#courses.read(tx, registration.courseId, registration.versionId);
    const unitIds = course.units.map(({ id }) => id);
    const spentMs = units.reduce((sum, { durationMs }) => sum + durationMs, 0);
    return {
      ...mergeStatus(registration, rolledUp ?? rollUp(unitIds, units)),
      duration: Math.max(registration.duration, Math.floor(spentMs / MS_PER_SECOND)),
      completedAt: registration.completedAt,
    };
  }
}

function isSuperseded(
  attempt: Attempt,
  launch: PlayerLaunch,
  { position, lateOf }: Pick<UnitResult, 'position' | 'lateOf'>,
): boolean {
  if (attempt.endedAt !== null) return true;
  const isOfPage = position === null || position.page === attempt.page;
  if (lateOf !== undefined) return !isOfPage || lateOf !== attempt.number;
  return !isOfPage || attempt.launchId !== launch.launchId;
}

/** The refusal of a unit whose prerequisites are not met. */
export function closedUnit(unitId: string): ProblemError {
  return new ProblemError(
    'conflict',
    `The prerequisites of the unit ${JSON.stringify(unitId)} are not met yet`,
  );
}

function isStale(present: UnitState | null, position: WritePosition | null): boolean {
  if (present === null || position === null) return false;
  return position.page === present.position.page && position.sequence <= present.position.sequence;
}
