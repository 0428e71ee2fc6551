import { type Database, DatabaseUnavailableError } from '../database/database.ts';
import type { Logger } from '../observability/log.ts';
import { BackgroundTask } from '../time/background-task.ts';
import type { Evaluation } from './firings/evaluation.ts';
import type { InstanceChecks } from './firings/instance-checks.ts';
import type { OutageAlerts } from './firings/outage-alerts.ts';
import type { AlertRule } from './rules/alert-rule.ts';
import { readEnabledRules } from './rules/alert-store.ts';

/** Dependencies of {@link AlertWatch}. */
export interface AlertWatchDependencies {
  database: Database;
  checks: InstanceChecks;
  evaluation: Evaluation;
  outages: OutageAlerts;
  /** How often rules are evaluated, in milliseconds. */
  pauseMs: number;
  log: Logger;
}

/**
 * Evaluates the alert rules again and again, on every instance. It needs no lease: each change is made under the lock of
 * its rule. Without rules, a round is one read.
 */
export class AlertWatch implements AsyncDisposable {
  readonly #with: AlertWatchDependencies;
  readonly #task: BackgroundTask;
  /** The rules that were read last. During an outage of the database, they cannot change. */
  #rules: readonly AlertRule[] = [];

  constructor(dependencies: AlertWatchDependencies) {
    this.#with = dependencies;
    this.#task = new BackgroundTask({
      round: (signal) => this.#round(signal),
      pauseMs: dependencies.pauseMs,
      onError: (error) => {
        // An outage of the database is logged elsewhere.
        if (error instanceof DatabaseUnavailableError) return;
        dependencies.log.error('alert rules could not be evaluated: retrying', { error });
      },
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Evaluates the rules now. */
  wake(): void {
    this.#task.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
    await this.#with.checks.leave().catch(() => {
      // The report counts a little longer.
    });
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { checks, evaluation, outages } = this.#with;
    await this.#readRules();
    await checks.run(this.#rules.some(({ condition }) => condition === 'SERVICE_IN_TROUBLE'));
    const failing = checks.databaseTrouble;
    if (failing !== null) return await outages.announce(this.#rules, failing, signal);
    await outages.record();
    await checks.report();
    await evaluation.run(this.#rules, signal);
  }

  /** Keeps the former rules if the database does not respond. */
  async #readRules(): Promise<void> {
    try {
      this.#rules = await readEnabledRules(this.#with.database.reader);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
    }
  }
}
