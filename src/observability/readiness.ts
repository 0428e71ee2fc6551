import { oneAtATime } from '../one-at-a-time.ts';
import { BackgroundTask } from '../time/background-task.ts';
import { SECOND_MS } from '../time/units.ts';
import { within } from '../time/within.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';
import { OutageLog } from './outage-log.ts';

/** How long a readiness check may take before it counts as failed. */
const CHECK_TIMEOUT_MS = 3_000;
/** How often the checks run if nobody asks for their results. */
const CHECK_EVERY_MS = 10_000;

/** Something that readiness depends on: resolves when it works, rejects when it does not. */
export type ReadinessCheck = () => Promise<void>;

/** The result of a check. */
export type CheckResult = 'ok' | 'failed';

/**
 * Checks, each of which runs once at a time: concurrent callers share its result. Otherwise, each check of a file
 * system that hangs would occupy one more thread of the process, until none is left.
 */
export function sharedChecks(
  checks: Readonly<Record<string, ReadinessCheck>>,
): Readonly<Record<string, ReadinessCheck>> {
  return Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, oneAtATime(check)]));
}

/** One check that fails if any of these does; none (an empty object) if there are none. */
export function checkOfAll<Name extends string>(
  name: Name,
  checks: readonly (ReadinessCheck | null)[],
): Partial<Record<Name, ReadinessCheck>> {
  const present = checks.filter((check) => check !== null);
  if (present.length === 0) return {};
  const all: ReadinessCheck = async () => void (await Promise.all(present.map((check) => check())));
  return { [name]: all } as Partial<Record<Name, ReadinessCheck>>;
}

/** A check took too long. It may still succeed later, so this error does not say what failed. */
class NoResponseError extends Error {
  override name = 'NoResponseError';
}

/** Why a check fails; one that takes too long fails, too. Null if it does not fail. */
export async function failureOf(check: ReadinessCheck): Promise<Error | null> {
  const result = check().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  const late = () => new NoResponseError(`no response within ${CHECK_TIMEOUT_MS / SECOND_MS} s`);
  return await within(CHECK_TIMEOUT_MS, result, late);
}

/** Dependencies of {@link ReadinessWatch}. */
export interface ReadinessWatchDependencies {
  /** By name. */
  checks: Readonly<Record<string, ReadinessCheck>>;
  /** The names of checks whose errors others log. */
  loggedElsewhere: readonly string[];
  metrics: Pick<Metrics, 'checked'>;
  log: Logger;
  /** How often the checks run if nobody asks for their results, in milliseconds. @defaultValue 10 s */
  everyMs?: number;
}

/**
 * Runs the readiness checks for those who ask, and regularly if nobody does. Sets a gauge for each, and logs the start of
 * an outage with its cause, a line a minute while it lasts, and its end.
 */
export class ReadinessWatch implements AsyncDisposable {
  readonly #checks: Readonly<Record<string, ReadinessCheck>>;
  readonly #metrics: Pick<Metrics, 'checked'>;
  readonly #outages: ReadonlyMap<string, OutageLog>;
  readonly #loggedElsewhere: ReadonlySet<string>;
  readonly #task: BackgroundTask;
  #runs = 0;
  #notedRun = 0;
  #ranAt = performance.now();
  #isWithdrawn = false;

  constructor({
    checks,
    loggedElsewhere,
    metrics,
    log,
    everyMs = CHECK_EVERY_MS,
  }: ReadinessWatchDependencies) {
    this.#checks = checks;
    this.#metrics = metrics;
    const names = Object.keys(checks);
    this.#outages = new Map(names.map((name) => [name, new OutageLog(log)]));
    this.#loggedElsewhere = new Set(loggedElsewhere);
    for (const name of names) metrics.checked(name, true);
    this.#task = new BackgroundTask({
      round: async () => {
        const restMs = this.#ranAt + everyMs - performance.now();
        if (restMs > 0) return restMs;
        await this.run();
        return everyMs;
      },
      firstPauseMs: everyMs,
      pauseMs: everyMs,
      onError: (error) => log.error('the readiness checks could not be run: retrying', { error }),
    });
  }

  /** Starts the regular runs. */
  start(): void {
    this.#task.start();
  }

  /** Whether the instance is about to stop: it is not ready, although its checks may succeed. */
  get isWithdrawn(): boolean {
    return this.#isWithdrawn;
  }

  /** Makes the instance not ready until it stops. */
  withdraw(): void {
    this.#isWithdrawn = true;
  }

  /** Runs all checks now. Never rejects. */
  async run(): Promise<Record<string, CheckResult>> {
    this.#runs += 1;
    const run = this.#runs;
    this.#ranAt = performance.now();
    const failures = await Promise.all(
      Object.entries(this.#checks).map(async ([name, check]) => [name, await failureOf(check)] as const),
    );
    // A run that started later may have ended before.
    if (run > this.#notedRun) {
      this.#notedRun = run;
      for (const [name, failure] of failures) this.#note(name, failure);
    }
    return Object.fromEntries(failures.map(([name, failure]) => [name, failure === null ? 'ok' : 'failed']));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }

  #note(name: string, failure: Error | null): void {
    this.#metrics.checked(name, failure === null);
    const outage = this.#outages.get(name);
    if (failure === null) outage?.ended(`the readiness check ${name} succeeds again`);
    else if (failure instanceof NoResponseError || !this.#loggedElsewhere.has(name))
      outage?.failed(
        {
          begins: `the readiness check ${name} fails: /health/ready is 503 until it succeeds`,
          continues: `the readiness check ${name} still fails`,
        },
        { error: failure },
      );
  }
}
