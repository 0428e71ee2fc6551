import type { Database } from '../../database/database.ts';
import { plainText } from '../../delivery/failure-reason.ts';
import { failureOf, type ReadinessCheck } from '../../observability/readiness.ts';
import { MINUTE_MS } from '../../time/units.ts';
import type { ServiceTrouble } from '../firing.ts';
import { deleteOldTroubles, readTroublesSince, replaceTroubles } from './instance-trouble-store.ts';

/** How long a report counts, and for how many rounds of its instance at least. Then the instance has stopped. */
const COUNTS_MS = 2 * MINUTE_MS;
const COUNTS_ROUNDS = 3;
/** How often an instance repeats a report that has not changed, while it counts. */
const REPEATS = 4;
/** The number of an AWS account in an ARN, with which S3 says who may not do what. Receivers of alerts need not know it. */
const ACCOUNT_IN_ARN = /(\barn:[\w-]+:[\w-]*:[\w-]*:)\d{12}(?=:)/g;
/** The name of the check of the database. */
const DATABASE_CHECK = 'database';

/** Dependencies of {@link InstanceChecks}. */
export interface InstanceChecksDependencies {
  database: Database;
  /** By name, as for readiness; `database` is one of them. */
  checks: Readonly<Record<string, ReadinessCheck>>;
  /** What a person has to do before the queue can be used again; null if nothing. */
  queueObstacle: () => string | null;
  about: { instance: string; hostName: string };
  /** How often checks are run, in milliseconds. */
  pauseMs: number;
  now: () => number;
}

/**
 * Runs the checks of this instance and records failures in a table, so that every instance knows the problems of all.
 * Nothing is written while everything works.
 */
export class InstanceChecks {
  readonly #with: InstanceChecksDependencies;
  /**
   * How far ahead reports are dated, because the rounds of this instance are rare. Others need not know how rare.
   */
  readonly #aheadMs: number;
  #troubles: readonly ServiceTrouble[] = [];
  #reported = '[]';
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: InstanceChecksDependencies) {
    this.#with = dependencies;
    this.#aheadMs = Math.max(0, COUNTS_ROUNDS * dependencies.pauseMs - COUNTS_MS);
  }

  /** Why the database fails for this instance, as of the last {@link run}; null if it works. */
  get databaseTrouble(): ServiceTrouble | null {
    return this.#troubles.find(({ name }) => name === DATABASE_CHECK) ?? null;
  }

  /** Runs all checks, or none if nobody watches them. Never rejects. */
  async run(isWatched: boolean): Promise<void> {
    const { about, now } = this.#with;
    const checks = isWatched ? this.#with.checks : {};
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await reasonOf(check)] as const),
    );
    const before = new Map(this.#troubles.map((trouble) => [trouble.name, trouble]));
    this.#troubles = results.flatMap(([name, found]) => {
      if (found === null) return [];
      const reason = (name === 'queue' ? this.#with.queueObstacle() : null) ?? found;
      return [{ name, hostName: about.hostName, since: before.get(name)?.since ?? now(), reason }];
    });
  }

  /** Reports what the last run found. @throws {DatabaseUnavailableError} */
  async report(): Promise<void> {
    const { database, about, now } = this.#with;
    // Trouble with the database cannot be reported through it: see `OutageAlerts`.
    const troubles = this.#troubles.filter(({ name }) => name !== DATABASE_CHECK);
    const report = JSON.stringify(troubles);
    const isRepetition = report === this.#reported;
    const repeatMs = (COUNTS_MS + this.#aheadMs) / REPEATS;
    if (isRepetition && (troubles.length === 0 || now() - this.#reportedAt < repeatMs)) return;
    await database.transaction(async (tx) => {
      await replaceTroubles(tx, about.instance, troubles, now() + this.#aheadMs);
      await deleteOldTroubles(tx, now() - COUNTS_MS);
    });
    this.#reported = report;
    this.#reportedAt = now();
  }

  /** What fails on any instance. @throws {DatabaseUnavailableError} */
  async ofAllInstances(): Promise<ServiceTrouble[]> {
    return await readTroublesSince(this.#with.database.reader, this.#with.now() - COUNTS_MS);
  }
}

/** Why a check fails, as one line without secrets; null if it does not. */
async function reasonOf(check: ReadinessCheck): Promise<string | null> {
  const failure = await failureOf(check);
  if (failure === null) return null;
  return plainText(failure.message.replaceAll(ACCOUNT_IN_ARN, '$1…')) || 'unknown reason';
}
