import { GIB } from '../../bytes.ts';
import type { Registration, RegistrationStatus } from '../../content/registrations/registration.ts';
import { changesResult } from '../../content/registrations/registration-events.ts';
import type { RegistrationService } from '../../content/registrations/registration-service.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { sent } from '../../database/sent.ts';
import { ProblemError } from '../../problems/problem.ts';
import { SECOND_MS } from '../../time/units.ts';
import type { PlayerLaunch } from '../launches/launch.ts';
import { isLaunchOpen } from '../launches/launch-store.ts';
import type { PlayerCourses } from '../player-courses.ts';
import type { Attempt, OpenedPage, RecordOutcome, UnitState } from './attempt.ts';
import { AttemptReader } from './attempt-reader.ts';
import {
  addStatementBytes,
  endAttempt,
  insertAttempt,
  readAttemptState,
  readBrowsedUnits,
  readLatestAttempt,
  readUnits,
  updateAttemptState,
  updatePage,
  writeUnit,
} from './attempt-store.ts';
import type { ChangePace } from './change-pace.ts';
import { mergeRollUp } from './merge-status.ts';
import { type RolledUpStatus, rollUp } from './roll-up.ts';
import { keepSharedValues } from './shared-values.ts';
import {
  continuesNewest,
  isReset,
  isSuperseded,
  launchSince,
  supersededLaunch,
  supersedes,
} from './superseding.ts';
import { closedUnit, isStale, nextUnit, type UnitResult } from './unit-result.ts';

/** Maximum of {@link AttemptService.countStatements} per attempt. */
const MAX_STATEMENT_BYTES = GIB;

/** An attempt whose registration is locked by a transaction. */
export interface AttemptInProgress {
  registration: Registration;
  attempt: Attempt;
  /** The units that were opened. */
  units: readonly UnitState[];
  /** The data that all units share; null if there is none, or the data of the units was not read. */
  state: unknown;
}

/**
 * Work in a transaction that locks the registration of an attempt. Returns the results to store. `changesRecord`: whether
 * the record of the registration shows something else now, whatever these results change.
 */
export type AttemptWork<R> = (
  tx: Transaction,
  current: AttemptInProgress,
) => Promise<{ results: UnitResult[]; changesRecord?: boolean; result: R }>;

/** Dependencies of {@link AttemptService}. */
export interface AttemptServiceDependencies {
  registrations: RegistrationService;
  courses: PlayerCourses;
  reader: Reader;
  pace: ChangePace;
  now: () => number;
}

/** Stores the results of learners by attempt and unit, and rolls them up into their registrations. */
export class AttemptService {
  readonly stored: AttemptReader;
  readonly #with: AttemptServiceDependencies;

  constructor(dependencies: AttemptServiceDependencies) {
    this.#with = dependencies;
    this.stored = new AttemptReader(dependencies);
  }

  /**
   * Opens a page of the player. The first page begins the attempt. A page supersedes all earlier ones, unless it belongs
   * to a SCORM course and records nothing. The course may have a window of its own, which
   * outlives the page. If the page is continued, that window keeps recording.
   * @param continues the page that the same tab had loaded before, if there was one
   * @throws {ProblemError} `not-found` if the registration was deleted, `launch-over`, `forbidden` if another launch that
   *   has not expired has taken over since `continues`
   */
  async openPage(launch: PlayerLaunch, continues?: number): Promise<OpenedPage> {
    const { registrationId, launchId } = launch;
    if (registrationId === null) return { attempt: 0, page: 0, isContinued: false, state: null, units: [] };
    await this.#with.pace.settle(registrationId);
    return await this.#with.registrations.withLockedRegistration(registrationId, async (tx, current) => {
      const registration = await this.#with.registrations.settle(tx, current, launch);
      // Since the launch, a reset may have changed the version, or another window the language.
      if (registration?.courseId !== launch.courseId || registration.versionId !== launch.versionId) {
        throw new ProblemError(
          'launch-over',
          'The registration was changed to another version after the launch',
          {
            members: { reason: 'outdated' },
          },
        );
      }
      const { attempt, isNew } = await this.#attempt(tx, registration);
      const other = launchSince(attempt, launch, continues);
      if (other !== null && (await isLaunchOpen(tx, other, this.#with.now())))
        throw supersededLaunch(attempt);
      const page = attempt.page + (supersedes(launch) ? 1 : 0);
      const isContinued = page !== attempt.page && continuesNewest(attempt, launch, continues);
      if (page !== attempt.page) {
        const firstPage = isContinued ? attempt.firstPage : page;
        await updatePage(tx, registrationId, attempt.number, { page, firstPage, launchId });
      }
      const units = await readUnits(tx, registrationId, attempt.number, { dataOf: null });
      const state = await readAttemptState(tx, registrationId, attempt.number);
      const result = { attempt: attempt.number, page, isContinued, state, units };
      return { status: null, changesRecord: isNew, result };
    });
  }

  /**
   * Stores the result of a unit that a page reports, and rolls it up into the status of the registration, in one transaction. Publishes
   * REGISTRATION_STATUS_UPDATED if completion, success or score changes. Results that arrive twice, late or from a
   * superseded page are not stored.
   * @throws {ProblemError} `not-found` if the registration was deleted, `conflict` if the unit may not be begun,
   *   `content-too-large`
   */
  async recordFromPage(launch: PlayerLaunch, result: UnitResult): Promise<RecordOutcome> {
    const { registrationId } = launch;
    if (registrationId === null || launch.mode !== 'normal') return 'not-recorded';
    const record = async () =>
      await this.#with.registrations.withLockedRegistration<RecordOutcome>(
        registrationId,
        async (tx, registration) => {
          const attempt = await readLatestAttempt(tx, registrationId);
          if (attempt === undefined || isSuperseded(attempt, launch, result)) {
            return { status: null, result: isReset(attempt) ? 'reset' : 'superseded' };
          }
          const units = await readUnits(tx, registrationId, attempt.number, { dataOf: result.unitId });
          const current = units.find(({ unitId }) => unitId === result.unitId) ?? null;
          if (isStale(current, result.position)) return { status: null, result: 'stale' };
          if (current === null && result.entrance !== undefined) {
            const { asksForBrowsed } = result.entrance;
            const known = asksForBrowsed ? await readBrowsedUnits(tx, registrationId, attempt.number) : units;
            if (result.entrance.isClosed(known)) throw closedUnit(result.unitId);
          }
          const { areWhole, ...changed } = await this.#store(tx, { registration, attempt, units }, [result]);
          return { ...changed, result: areWhole ? 'recorded' : 'recorded-in-part' };
        },
      );
    return await this.#with.pace.record(registrationId, record);
  }

  /**
   * Stores the results of a unit that sends requests to the service itself, unless the launch records none. Otherwise
   * the same as {@link withLockedAttempt}, but paced.
   */
  async recordFromUnit<R>(
    launch: PlayerLaunch,
    work: AttemptWork<R>,
    options: { dataOf?: string | null } = {},
  ): Promise<R> {
    const recorded: AttemptWork<R> = async (tx, current) => {
      const done = await work(tx, current);
      return launch.mode === 'normal' ? done : { ...done, results: [] };
    };
    return await this.withLockedAttempt(launch, recorded, { ...options, isPaced: true });
  }

  /**
   * Runs `work` in a transaction that locks the registration, and stores the results that it returns, whatever the mode
   * of the launch. Publishes REGISTRATION_STATUS_UPDATED if completion, success or score changes.
   * @param launch of a registration, not a preview
   * @param options.dataOf the only unit whose data `work` and its results need; null for none. Without it, the data of
   *   all units is read, and the data that they share. Only a runtime that writes the data itself may do that
   * @param options.isPaced whether it may have to wait, see {@link ChangePace}. @defaultValue false
   * @throws {ProblemError} `not-found` if the registration was deleted, `forbidden` if a newer launch has superseded
   *   this one, and what `work` throws
   */
  async withLockedAttempt<R>(
    launch: PlayerLaunch,
    work: AttemptWork<R>,
    { dataOf, isPaced = false }: { dataOf?: string | null; isPaced?: boolean } = {},
  ): Promise<R> {
    const { registrationId } = launch;
    if (registrationId === null) throw new Error('a preview has no registration');
    const record = async () =>
      await this.#with.registrations.withLockedRegistration<R>(registrationId, async (tx, registration) => {
        const attempt = await readLatestAttempt(tx, registrationId);
        if (attempt === undefined || isSuperseded(attempt, launch, { position: null })) {
          throw supersededLaunch(attempt);
        }
        const wanted = dataOf === undefined ? {} : { dataOf };
        const units = await readUnits(tx, registrationId, attempt.number, wanted);
        const state =
          dataOf === undefined ? await readAttemptState(tx, registrationId, attempt.number) : null;
        const current = { registration, attempt, units, state };
        const { results, changesRecord = false, result } = await work(tx, current);
        if (results.length === 0) return { status: null, changesRecord, result };
        const changed = await this.#store(tx, current, results);
        return { ...changed, changesRecord: changed.changesRecord || changesRecord, result };
      });
    if (isPaced) return await this.#with.pace.record(registrationId, record);
    await this.#with.pace.settle(registrationId);
    return await record();
  }

  /**
   * Stores results that do not come from a launch, in one transaction that locks the registration. The first change
   * begins the attempt. Publishes REGISTRATION_STATUS_UPDATED with `user` if completion, success or score changes.
   * @throws {ProblemError} `not-found`, and what `work` throws
   */
  async recordOutsideLaunch(
    registrationId: string,
    user: string,
    work: (tx: Transaction, current: AttemptInProgress) => Promise<UnitResult[]>,
  ): Promise<void> {
    await this.#with.registrations.withLockedRegistration(
      registrationId,
      async (tx, registration) => {
        const { attempt, isNew } = await this.#attempt(tx, registration);
        const units = await readUnits(tx, registrationId, attempt.number);
        const state = await readAttemptState(tx, registrationId, attempt.number);
        const current = { registration, attempt, units, state };
        const results = await work(tx, current);
        const { status, changesRecord } = await this.#store(tx, current, results);
        return { status, changesRecord: changesRecord || isNew, result: undefined };
      },
      { user },
    );
  }

  /**
   * Counts the bytes of statements that a course stores in an attempt.
   * @param tx locks the registration
   * @throws {ProblemError} `limit-reached`
   */
  async countStatements(
    tx: Transaction,
    { registration, attempt }: AttemptInProgress,
    bytes: number,
  ): Promise<void> {
    const sum = await addStatementBytes(tx, registration.registrationId, attempt.number, bytes);
    if (sum <= MAX_STATEMENT_BYTES) return;
    throw new ProblemError(
      'limit-reached',
      `The statements of this attempt take ${MAX_STATEMENT_BYTES} bytes, the maximum. Reset the registration to begin a new attempt`,
    );
  }

  /** Writes units after their results, and what they share. Returns the status of the registration after them. */
  async #store(
    tx: Transaction,
    { registration, attempt, units: before }: Pick<AttemptInProgress, 'registration' | 'attempt' | 'units'>,
    results: readonly UnitResult[],
  ): Promise<{ status: RegistrationStatus; changesRecord: boolean; areWhole: boolean }> {
    const { registrationId } = registration;
    const now = this.#with.now();
    let units = before;
    let rolledUp: RolledUpStatus | undefined;
    let changesRecord = false;
    let areWhole = true;
    for (const result of results) {
      const current = units.find(({ unitId }) => unitId === result.unitId) ?? null;
      const { unit, isWhole, isShownAlike } = nextUnit(current, result, now);
      await sent(tx, [writeUnit(tx, registrationId, attempt.number, unit)]);
      if (result.learnerValues !== undefined) {
        const former = await readAttemptState(tx, registrationId, attempt.number);
        await keepSharedValues(tx, registrationId, result.learnerValues(former), now);
      }
      if (result.state !== undefined) {
        await updateAttemptState(tx, registrationId, attempt.number, result.state);
      }
      units = [...units.filter(({ unitId }) => unitId !== result.unitId), unit];
      rolledUp = result.rolledUp?.(unit);
      changesRecord ||= !isShownAlike;
      areWhole &&= isWhole;
    }
    const status = await this.#statusOf(tx, registration, units, rolledUp);
    if (changesResult(registration, status)) tx.onCommit(() => this.#with.pace.changed(registrationId));
    return { status, changesRecord, areWhole };
  }

  /** Whether a registration has an attempt that no reset has ended. */
  async isUnderway(tx: Transaction, registrationId: string): Promise<boolean> {
    const latest = await readLatestAttempt(tx, registrationId);
    return latest !== undefined && latest.endedAt === null;
  }

  /** Stores the data that all units share before a page saves any. Does nothing if the page is superseded. */
  async keepState(
    launch: PlayerLaunch,
    { attempt, page }: Pick<OpenedPage, 'attempt' | 'page'>,
    state: unknown,
  ): Promise<void> {
    const { registrationId } = launch;
    if (registrationId === null || launch.mode !== 'normal') return;
    await this.#with.registrations.withLockedRegistration(registrationId, async (tx) => {
      const latest = await readLatestAttempt(tx, registrationId);
      const position = { page, visit: 0, sequence: 0 };
      if (latest?.number === attempt && !isSuperseded(latest, launch, { position })) {
        await updateAttemptState(tx, registrationId, attempt, state);
      }
      return { status: null, result: undefined };
    });
  }

  /** Ends the latest attempt. It stays readable, but nothing more is written to it. */
  async endLatest(tx: Transaction, registrationId: string): Promise<void> {
    const attempt = await readLatestAttempt(tx, registrationId);
    if (attempt !== undefined) await endAttempt(tx, registrationId, attempt.number, this.#with.now());
  }

  async #attempt(
    tx: Transaction,
    { registrationId, versionId }: Registration,
  ): Promise<{ attempt: Attempt; isNew: boolean }> {
    const latest = await readLatestAttempt(tx, registrationId);
    if (latest !== undefined && latest.endedAt === null) return { attempt: latest, isNew: false };
    const number = (latest?.number ?? 0) + 1;
    // One launch opens pages of several attempts. If page numbers began again, they would not tell these pages apart.
    const page = latest?.page ?? 0;
    const attempt = await insertAttempt(tx, registrationId, { number, versionId, page }, this.#with.now());
    return { attempt, isNew: true };
  }

  async #statusOf(
    tx: Transaction,
    registration: Registration,
    units: readonly UnitState[],
    rolledUp?: RolledUpStatus,
  ): Promise<RegistrationStatus> {
    const course = await this.#with.courses.read(tx, registration.courseId, registration.versionId);
    const unitIds = course.units.map(({ id }) => id);
    const spentMs = units.reduce((sum, { durationMs }) => sum + durationMs, 0);
    return {
      ...mergeRollUp(registration, rolledUp ?? rollUp(unitIds, units)),
      duration: Math.max(registration.duration, Math.floor(spentMs / SECOND_MS)),
      completedAt: registration.completedAt,
    };
  }
}
