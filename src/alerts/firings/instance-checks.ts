import type { Database } from '../../database/database.ts';
import { plainText } from '../../delivery/failure-reason.ts';
import { failureOf, type ReadinessCheck } from '../../observability/readiness.ts';
import { HOUR_MS, MINUTE_MS } from '../../time/units.ts';
import type { ServiceReports, ServiceTrouble } from '../firing.ts';
import {
  type CountedDates,
  dateTroubles,
  deleteFormerTroubles,
  deleteSilentTroubles,
  readReports,
  replaceTroubles,
} from './instance-trouble-store.ts';

/** How long a report counts, and for how many rounds of its instance at least. Then the instance has fallen silent. */
const COUNTS_MS = 2 * MINUTE_MS;
const COUNTS_ROUNDS = 3;
/** The maximum of `alert_check_interval`. */
const LONGEST_PAUSE_MS = HOUR_MS;
/** No report that counts is dated further ahead. One that is comes from before the clock was set back. */
const MAX_AHEAD_MS = COUNTS_ROUNDS * LONGEST_PAUSE_MS - COUNTS_MS + MINUTE_MS;
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
 * Nothing is written while everything works. A report that is no longer repeated does not mean that the check works
 * again: only its instance may say so, or one that was started later on the same host.
 */
export class InstanceChecks {
  readonly #with: InstanceChecksDependencies;
  /**
   * How far ahead reports are dated, because the rounds of this instance are rare. Others need not know how rare.
   */
  readonly #aheadMs: number;
  readonly #startedAt: number;
  /** The names of the checks that the last {@link run} has run. */
  #checked: readonly string[] = [];
  /** Whether reports from before the start of this instance have been replaced. */
  #hasTakenOver = false;
  #troubles: readonly ServiceTrouble[] = [];
  #reported = '[]';
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: InstanceChecksDependencies) {
    this.#with = dependencies;
    this.#aheadMs = Math.max(0, COUNTS_ROUNDS * dependencies.pauseMs - COUNTS_MS);
    this.#startedAt = dependencies.now();
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
    this.#checked = results.map(([name]) => name);
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
    const elapsedMs = now() - this.#reportedAt;
    // Below 0, the clock was set back: the report may be dated too far ahead to count.
    const isDue = troubles.length > 0 && (elapsedMs < 0 || elapsedMs >= repeatMs);
    if (isRepetition && !isDue && !this.#takesOver()) return;
    const counting = this.#counting();
    // What an earlier start on this host has reported, such as before a crash, is outdated: this instance knows better.
    const former = { hostName: about.hostName, names: this.#checked, until: this.#startedAt + this.#aheadMs };
    await database.transaction(async (tx) => {
      await replaceTroubles(tx, about.instance, troubles, now() + this.#aheadMs);
      await deleteFormerTroubles(tx, former, counting);
      await deleteSilentTroubles(tx, counting);
    });
    this.#reported = report;
    this.#reportedAt = now();
    if (this.#takesOver()) this.#hasTakenOver = true;
  }

  /** Lets the report of this instance, which stops, count only until a next start on the host can report. */
  async leave(): Promise<void> {
    const { database, about, now } = this.#with;
    if (this.#reported === '[]' || this.#aheadMs === 0) return;
    await database.transaction((tx) => dateTroubles(tx, about.instance, now()));
  }

  /** What is reported on all instances. @throws {DatabaseUnavailableError} */
  async ofAllInstances(): Promise<ServiceReports> {
    return await readReports(this.#with.database.reader, this.#counting());
  }

  /** Whether reports from before the start of this instance no longer count, but may still be stored. */
  #takesOver(): boolean {
    const areSilent = this.#with.now() - this.#startedAt > COUNTS_MS + this.#aheadMs;
    return !this.#hasTakenOver && areSilent && this.#checked.length > 0;
  }

  #counting(): CountedDates {
    const now = this.#with.now();
    return [now - COUNTS_MS, now + MAX_AHEAD_MS];
  }
}

/** Why a check fails, as one line without secrets; null if it does not. */
async function reasonOf(check: ReadinessCheck): Promise<string | null> {
  const failure = await failureOf(check);
  if (failure === null) return null;
  return plainText(failure.message.replaceAll(ACCOUNT_IN_ARN, '$1…')) || 'unknown reason';
}
