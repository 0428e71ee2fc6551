import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { openLoop } from '../../bench/load.ts';
import { quantile } from '../../bench/quantile.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { watchStalls } from '../support/stall-watch.ts';
import { until } from '../support/until.ts';
import { startWatchedService, type WatchedService } from '../support/watched-service.ts';
import { type CountingTarget, startCountingTarget } from './counting-target.ts';
import { noteSkipped } from './notes.ts';
import { residentMib } from './process-memory.ts';
import { showTable } from './show-table.ts';
import { SwitchedAccounts } from './switched-accounts.ts';

const RUNS = Number(process.env.ISOLATION_RUNS ?? 5);
/** Other programs on the machine make some runs slower. So a miss is measured again, this many times at most. */
export const MOST_RUNS = 3 * RUNS;
const WARM_UP_MS = 1_000;
const MEMORY_EVERY_MS = 50;
/** The limit: at most a fifth more. Smaller differences in milliseconds are caused by the scheduler. */
const MOST_SHARE = 1.2;
const SCHEDULER_MS = Number(process.env.PROOF_SLACK_MS ?? 5);
/** How long the event loop may be blocked. By the clock, a short run on a busy machine needs a higher limit. */
const MOST_BUSY_MS = 100;
const MOST_STALL_MS = Number(process.env.ISOLATION_MOST_STALL_MS ?? MOST_BUSY_MS);

/** The measurements of a run. */
export interface Run {
  /** From the response to a change to its arrival at a target. */
  p50Ms: number;
  p99Ms: number;
  /** Null where the system does not say. */
  peakMib: number | null;
  /** The longest time for which the service blocked its event loop, by its processor time. */
  busyMs: number;
  /**
   * The longest time for which the event loop was blocked by the clock, without the time of other programs on the
   * processor. Null if the system does not say.
   */
  stallMs: number | null;
}

/** What runs during a measurement. */
export interface Companion extends AsyncDisposable {
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

/** How a run is measured. */
export interface RunPlan {
  /** The measured webhooks: one for each of as many accounts. */
  webhooks: number;
  /** How many of these accounts change per second, and for how long. */
  perSecond: number;
  seconds: number;
  settings: Parameters<typeof startWatchedService>[0];
  /** Sources of modules that the service runs before the program. */
  preload?: readonly string[];
  /** Prepares what runs during the measurement, with or without the disturbance. */
  prepare: (service: WatchedService, accounts: SwitchedAccounts) => Promise<Companion>;
}

/** Starts the program in a process of its own, and measures it for a while. */
export async function measureRun({
  webhooks,
  perSecond,
  seconds,
  settings,
  preload = [],
  prepare,
}: RunPlan): Promise<Run> {
  await using target = await startCountingTarget();
  using stalls = watchStalls();
  const options = { ...stalls?.options, preload: [stalls?.options.preload ?? [], ...preload].flat() };
  await using service = await startWatchedService(settings, options);
  const accounts = new SwitchedAccounts(service.api);
  for (let n = 0; n < webhooks; n++) await accounts.add(target.url);
  await using companion = await prepare(service, accounts);
  await delay(WARM_UP_MS);
  const memory: number[] = [];
  const look = setInterval(() => {
    const mib = residentMib(service.pid);
    if (mib !== null) memory.push(mib);
  }, MEMORY_EVERY_MS);
  let latencies: number[] = [];
  stalls?.reset();
  try {
    const busyMs = await service.busyDuring(async () => {
      await companion.begin();
      latencies = await probe(accounts, { target, perSecond, count: Math.ceil(seconds * perSecond) });
      await companion.end();
    });
    return {
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
      peakMib: memory.length === 0 ? null : Math.max(...memory),
      busyMs,
      stallMs: stalls?.longestMs() ?? null,
    };
  } finally {
    clearInterval(look);
  }
}

/** Changes the accounts at a steady rate, and returns how long each message took from the response to the target. */
async function probe(
  accounts: SwitchedAccounts,
  { target, perSecond, count }: { target: CountingTarget; perSecond: number; count: number },
): Promise<number[]> {
  const answeredAt = new Map<string, number>();
  await openLoop(
    async (n) => {
      const name = `measured ${n}`;
      await accounts.switch(n, name);
      answeredAt.set(name, performance.now());
    },
    { perSecond, count },
  );
  const names = [...answeredAt.keys()];
  await until(() => names.every((each) => target.arrivedAt.has(each)), 'all arrive', 2 * DEADLINE_MS);
  return names.map((each) => Math.max(0, target.arrivedAt.get(each)! - answeredAt.get(each)!));
}

const MEASURES = {
  p50Ms: 'p50, ms',
  p99Ms: 'p99, ms',
  peakMib: 'memory, MiB',
  busyMs: 'event loop blocked, ms of processor time',
  stallMs: 'event loop blocked, ms',
} as const;

/** The best run of each kind, because other programs only slow it down, and the limits that it exceeds. */
function compare(without: readonly Run[], among: readonly Run[], memorySlackMib: number) {
  const best = (runs: readonly Run[], name: keyof Run) =>
    Math.min(...runs.map((each) => each[name] ?? Number.NaN));
  const rows = (Object.keys(MEASURES) as (keyof typeof MEASURES)[]).map((name) => {
    const [before, after] = [best(without, name), best(among, name)];
    return { name, before, after, isMissed: after > mostOf(name, before, memorySlackMib) };
  });
  return { rows, missed: rows.filter(({ isMissed }) => isMissed) };
}

/** The limit of a measure with the disturbance. */
function mostOf(name: keyof Run, before: number, memorySlackMib: number): number {
  if (name === 'busyMs') return MOST_BUSY_MS;
  // A slow disk blocks the event loop without the disturbance, too.
  if (name === 'stallMs') return Math.max(MOST_STALL_MS, before * MOST_SHARE);
  return Math.max(before * MOST_SHARE, before + (name === 'peakMib' ? memorySlackMib : SCHEDULER_MS));
}

/**
 * Runs without and with a disturbance take turns. Shows the best of each.
 * @param who disturbs, for the table
 * @param options.memorySlackMib how much more memory a run with the disturbance may take, besides the usual limit
 * @throws {AssertionError} if a measure exceeds its limit in every run with the disturbance
 */
export async function assertUndisturbed(
  who: string,
  run: (options: { isDisturbed: boolean }) => Promise<Run>,
  { memorySlackMib = 0 }: { memorySlackMib?: number } = {},
): Promise<void> {
  using watch = watchStalls();
  if (watch === null) noteSkipped('memory, and the event loop by the clock: this needs /proc of Linux.');
  const without: Run[] = [];
  const among: Run[] = [];
  const compared = () => compare(without, among, memorySlackMib);
  while (without.length < RUNS || (without.length < MOST_RUNS && compared().missed.length > 0)) {
    without.push(await run({ isDisturbed: false }));
    among.push(await run({ isDisturbed: true }));
  }
  const { rows, missed } = compared();
  const shown = (value: number) => Number(value.toFixed(1));
  showTable(
    Object.fromEntries(
      rows.map(({ name, before, after }) => [
        MEASURES[name],
        { [`without the ${who}`]: shown(before), [`with the ${who}`]: shown(after) },
      ]),
    ),
  );
  const texts = missed.map(
    ({ name, before, after }) => `${MEASURES[name]}: ${after} with, ${before} without`,
  );
  assert.deepEqual(texts, []);
}
