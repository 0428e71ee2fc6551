import type { RegistrationService } from '../../content/registrations/registration-service.ts';
import type { Reader } from '../../database/database.ts';
import type { Page } from '../../database/page.ts';
import type { PlayerLaunch } from '../launches/launch.ts';
import type { Attempt, LearningStatus, UnitState } from './attempt.ts';
import { type AttemptPart, type HistoryRequest, readAttemptHistory } from './attempt-history.ts';
import { readBrowsedUnits, readLatestAttempt, readUnits } from './attempt-store.ts';
import type { LearnerValue } from './learner-value-store.ts';
import { readSharedValues } from './shared-values.ts';
import { isReset, isSuperseded, supersedes } from './superseding.ts';

/** Reads what is stored of attempts, outside of transactions. */
export class AttemptReader {
  readonly #registrations: RegistrationService;
  readonly #reader: Reader;

  constructor({ registrations, reader }: { registrations: RegistrationService; reader: Reader }) {
    this.#registrations = registrations;
    this.#reader = reader;
  }

  /** The number of the attempt that a page of the registration would play now. */
  async currentNumber(registrationId: string): Promise<number> {
    const latest = await readLatestAttempt(this.#reader, registrationId);
    return latest === undefined ? 1 : latest.number + (latest.endedAt === null ? 0 : 1);
  }

  /**
   * Why a page records nothing any longer: a newer page was opened, or a reset has ended its attempt. Null if it still
   * records, and for a page that never supersedes others.
   */
  async endOfPage(
    launch: PlayerLaunch,
    { attempt, page }: { attempt: number; page: number },
  ): Promise<'superseded' | 'reset' | null> {
    if (launch.registrationId === null || !supersedes(launch)) return null;
    const latest = await readLatestAttempt(this.#reader, launch.registrationId);
    if (latest === undefined) return null;
    if (isReset(latest)) return 'reset';
    const position = { page, visit: 0, sequence: 0 };
    return latest.number !== attempt || isSuperseded(latest, launch, { position }) ? 'superseded' : null;
  }

  /**
   * The latest attempt of a registration, with the units that were opened in it; null before the first.
   * @param options as in {@link readUnits}
   */
  async latestOf(
    registrationId: string,
    options: { dataOf?: string | null },
  ): Promise<(Attempt & { units: UnitState[] }) | null> {
    const attempt = await readLatestAttempt(this.#reader, registrationId);
    if (attempt === undefined) return null;
    return { ...attempt, units: await readUnits(this.#reader, registrationId, attempt.number, options) };
  }

  /**
   * The units of a registration's latest attempt that were opened.
   * @param dataOf the only unit whose data is read; null for none
   */
  async unitsOf(registrationId: string, dataOf: string | null): Promise<UnitState[]> {
    return (await this.latestOf(registrationId, { dataOf }))?.units ?? [];
  }

  /** A page of the attempts of a registration, as {@link readAttemptHistory} reads it. */
  async historyOf(registrationId: string, request: HistoryRequest): Promise<Page<AttemptPart>> {
    return await readAttemptHistory(this.#reader, registrationId, request);
  }

  /** The opened units without data, with {@link UnitState.isBrowsed}. */
  async browsedUnitsOf(registrationId: string): Promise<UnitState[]> {
    const attempt = await readLatestAttempt(this.#reader, registrationId);
    return attempt === undefined ? [] : await readBrowsedUnits(this.#reader, registrationId, attempt.number);
  }

  /**
   * The result of a registration, rolled up from all its units.
   * @throws {ProblemError} `not-found` if the registration was deleted
   */
  async resultOf(registrationId: string): Promise<LearningStatus> {
    const { completion, success, score } = await this.#registrations.get(registrationId);
    return { completion, success, score };
  }

  /** The values that the learner of a registration shares between courses, if `isWanted`, latest first. */
  async learnerValuesOf(
    registrationId: string,
    isWanted: (value: Pick<LearnerValue, 'kind' | 'id'>) => boolean,
  ): Promise<LearnerValue[]> {
    return await readSharedValues(this.#reader, registrationId, isWanted);
  }
}
