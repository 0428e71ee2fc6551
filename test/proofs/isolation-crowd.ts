import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { openLoop } from '../../bench/load.ts';
import { quantile } from '../../bench/quantile.ts';
import { SECOND_MS } from '../../src/time/units.ts';
import { DEADLINE_MS, TEST_TIMEOUT_MS } from '../support/deadline.ts';
import type { Api } from '../support/service.ts';
import { watchStalls } from '../support/stall-watch.ts';
import { until } from '../support/until.ts';
import { startWatchedService } from '../support/watched-service.ts';
import { type CountingTarget, startCountingTarget } from './counting-target.ts';
import type { CrowdCommand, CrowdPlan } from './isolation-crowd-load.ts';
import { noteSkipped } from './notes.ts';
import { residentMib } from './process-memory.ts';

/**
 * The messages of ninety webhooks arrive as fast as usual while a client writes without pause, someone uploads courses with
 * hostile manifests, and fifty learners commit each second. The event loop is never blocked for long. Runs with and without
 * this crowd take turns.
 */

const WEBHOOKS = Number(process.env.ISOLATION_CROWD_WEBHOOKS ?? 90);
const LEARNERS = Number(process.env.ISOLATION_CROWD_LEARNERS ?? 50);
const SECONDS = Number(process.env.ISOLATION_CROWD_SECONDS ?? 20);
const RUNS = Number(process.env.ISOLATION_RUNS ?? 5);
/** Other programs on the machine make some runs slower. So a miss is measured again, this many times more. */
const MOST_RUNS = 3 * RUNS;
const PER_SECOND = 50;
const WARM_UP_MS = 1_000;
/**
 * After this many writes, the database's page cache and V8's young generation have their full size. Otherwise, their
 * growth would be counted as the crowd's.
 */
const WRITE_WARM_UP = Number(process.env.ISOLATION_CROWD_WARM_UP ?? 10_000);
const MEMORY_EVERY_MS = 50;
/** The limit: at most a fifth more. Smaller differences in milliseconds are caused by the scheduler. */
const MOST_SHARE = 1.2;
const SCHEDULER_MS = Number(process.env.PROOF_SLACK_MS ?? 5);
/** A short run does not fill the caches, so that their growth counts as the crowd's. */
const MEMORY_SLACK_MIB = Number(process.env.ISOLATION_MEMORY_SLACK_MIB ?? 0);
/** How long the event loop may be blocked. By the clock, a short run on a busy machine needs a higher limit. */
const MOST_BUSY_MS = 100;
const MOST_STALL_MS = Number(process.env.ISOLATION_MOST_STALL_MS ?? MOST_BUSY_MS);

const CROWD = new URL('isolation-crowd-load.ts', import.meta.url);

/** The measurements of a run. */
interface Run {
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

async function run({ isCrowded }: { isCrowded: boolean }): Promise<Run> {
  await using target = await startCountingTarget();
  using stalls = watchStalls();
  await using service = await startWatchedService({ access_token_lifetime: 86_400 }, stalls?.options);
  const { api } = service;
  const accounts = await makeWebhooks(api, target);
  await using crowd = startCrowd({
    url: api.url,
    token: api.token,
    learners: LEARNERS,
    writesBefore: WRITE_WARM_UP,
  });
  // In both kinds of run, the process has done all kinds of work before it is measured.
  await crowd.run('prepare');
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
      if (isCrowded) await crowd.run('begin');
      latencies = await probe(api, { accounts, target, name: 'measured', ms: SECONDS * SECOND_MS });
      if (isCrowded) await crowd.run('end');
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
  api: Api,
  {
    accounts,
    target,
    name,
    ms,
  }: { accounts: readonly number[]; target: CountingTarget; name: string; ms: number },
): Promise<number[]> {
  const answeredAt = new Map<string, number>();
  const latest = new Map<number, Promise<unknown>>();
  await openLoop(
    async (n) => {
      const id = accounts[n % accounts.length]!;
      const text = `${name} ${n}`;
      assert.equal(await toggle(api, { id, name: text, latest }), 200);
      answeredAt.set(text, performance.now());
    },
    { perSecond: PER_SECOND, count: Math.ceil((ms * PER_SECOND) / SECOND_MS) },
  );
  const names = [...answeredAt.keys()];
  await until(() => names.every((each) => target.arrivedAt.has(each)), 'all arrive', 2 * DEADLINE_MS);
  return names.map((each) => Math.max(0, target.arrivedAt.get(each)! - answeredAt.get(each)!));
}

/** Whether each account is enabled. */
const states = new Map<number, boolean>();

/** Enables or disables an account after its earlier change, and returns the status of the response. */
async function toggle(
  api: Api,
  { id, name, latest }: { id: number; name: string; latest: Map<number, Promise<unknown>> },
): Promise<number> {
  const enabled = !(states.get(id) ?? true);
  states.set(id, enabled);
  const change = (latest.get(id) ?? Promise.resolve()).then(() =>
    api.put(`/accounts/${id}`, { name, enabled }),
  );
  latest.set(id, change);
  return (await change).status;
}

/** Starts the thread of the crowd. Each of its commands resolves once it is done. */
function startCrowd(plan: CrowdPlan) {
  const thread = new Worker(CROWD, { workerData: plan });
  // A command that waits gets the error of the thread.
  thread.on('error', () => {});
  return {
    async run(command: CrowdCommand): Promise<void> {
      thread.postMessage(command);
      const [done] = await once(thread, 'message');
      assert.equal(done, command);
    },
    async [Symbol.asyncDispose]() {
      await thread.terminate();
    },
  };
}

/** One webhook for each of ninety accounts. */
async function makeWebhooks(api: Api, target: CountingTarget): Promise<number[]> {
  const accounts: number[] = [];
  for (let n = 0; n < WEBHOOKS; n++) {
    const { id } = await api.create('/accounts', { name: `account ${n}` });
    states.set(id, true);
    accounts.push(id);
    await api.create('/webhooks', {
      name: `webhook ${n}`,
      topic: 'ACCOUNT',
      subtopics: ['ACCOUNT_ACTIVATION_UPDATED'],
      focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: id }],
      target_url: target.url,
      logging_mode: 'NONE',
    });
  }
  return accounts;
}

const MEASURES = {
  p50Ms: 'p50, ms',
  p99Ms: 'p99, ms',
  peakMib: 'memory, MiB',
  busyMs: 'event loop blocked, ms of processor time',
  stallMs: 'event loop blocked, ms',
} as const;

/** The best run of each kind, because other programs only slow it down, and the limits that it exceeds. */
function compare(without: readonly Run[], among: readonly Run[]) {
  const best = (runs: readonly Run[], name: keyof Run) =>
    Math.min(...runs.map((each) => each[name] ?? Number.NaN));
  const rows = (Object.keys(MEASURES) as (keyof typeof MEASURES)[]).map((name) => {
    const [before, after] = [best(without, name), best(among, name)];
    return { name, before, after, isMissed: after > mostOf(name, before) };
  });
  return { rows, missed: rows.filter(({ isMissed }) => isMissed) };
}

/** The limit of a measure with the crowd. */
function mostOf(name: keyof Run, before: number): number {
  if (name === 'busyMs') return MOST_BUSY_MS;
  // A slow disk blocks the event loop without the crowd, too.
  if (name === 'stallMs') return Math.max(MOST_STALL_MS, before * MOST_SHARE);
  return Math.max(before * MOST_SHARE, before + (name === 'peakMib' ? MEMORY_SLACK_MIB : SCHEDULER_MS));
}

describe('ninety webhooks on a busy service', () => {
  it('are not affected by heavy writes, hostile courses and many learners', {
    timeout: MOST_RUNS * TEST_TIMEOUT_MS,
  }, async () => {
    using watch = watchStalls();
    if (watch === null) noteSkipped('the event loop by the clock: this needs /proc/self/schedstat of Linux.');
    const without: Run[] = [];
    const among: Run[] = [];
    while (
      without.length < RUNS ||
      (without.length < MOST_RUNS && compare(without, among).missed.length > 0)
    ) {
      without.push(await run({ isCrowded: false }));
      among.push(await run({ isCrowded: true }));
    }
    const { rows, missed } = compare(without, among);
    const shown = (value: number) => Number(value.toFixed(1));
    // biome-ignore lint/suspicious/noConsole: whoever runs the proof wants the table
    console.table(
      Object.fromEntries(
        rows.map(({ name, before, after }) => [
          MEASURES[name],
          { 'without the crowd': shown(before), 'with the crowd': shown(after) },
        ]),
      ),
    );
    const texts = missed.map(
      ({ name, before, after }) => `${MEASURES[name]}: ${after} with, ${before} without`,
    );
    assert.deepEqual(texts, []);
  });
});
