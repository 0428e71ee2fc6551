import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, it } from 'node:test';
import { openLoop } from '../../bench/load.ts';
import { quantile } from '../../bench/quantile.ts';
import { MIB } from '../../src/bytes.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/time/units.ts';
import { changedConstants } from '../support/changed-constants.ts';
import { runSql } from '../support/database.ts';
import { DEADLINE_MS, TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { dropDatabaseOf, ON_POSTGRES } from '../support/postgres.ts';
import { Api, createClient, requestToken, temporaryFolder, until } from '../support/service.ts';
import { type ServingProcess, startProcess } from '../support/service-process.ts';
import { startCountingTarget } from './counting-target.ts';
import { residentMib } from './process-memory.ts';
import { showTable } from './show-table.ts';

/**
 * Events at a constant rate while old ones are removed. In the last quarter, the service needs no more memory and disk than in
 * the first, and messages arrive as fast.
 */

const MINUTES = Number(process.env.SOAK_MINUTES ?? 60);
const PER_SECOND = Number(process.env.SOAK_RATE ?? 300);
const QUARTERS = 4;
const DURATION_MS = MINUTES * MINUTE_MS;
/** Events are kept for this part of the run, so that as many are removed as are added from then on. */
const KEPT_MS = Math.round(DURATION_MS / 12);
const ROUND_PAUSE_MS = Math.min(MINUTE_MS, Math.round(DURATION_MS / 48));
const WARM_UP_MS = Math.min(5 * MINUTE_MS, DURATION_MS / 4);
const MEMORY_EVERY_MS = 250;
const MOST_EVENTS = Math.ceil(((WARM_UP_MS + DURATION_MS) * PER_SECOND) / SECOND_MS) + QUARTERS + 1;
const WEBHOOKS = 10;
const ACCOUNTS = 100;
/** The event, its delivery, and the entry of the audit log. */
const ROWS_OF_EVENT = 3;
/** The limits for the last quarter, compared with the first: at most a fifth more, plus the spread of a measurement. */
const MOST_SHARE = 1.2;
const SLACK_MS = Number(process.env.PROOF_SLACK_MS ?? 5);
const SLACK = {
  p50Ms: SLACK_MS,
  p99Ms: SLACK_MS,
  memoryMib: 40,
  // The rows of an event are removed in the next round of the cleaner, which may begin a moment late.
  rows: (ROWS_OF_EVENT * PER_SECOND * (ROUND_PAUSE_MS + 2 * SECOND_MS)) / SECOND_MS,
  fileMib: 16,
} as const;
/** Slices of a quarter. The best of them counts: other programs on the machine only add to a latency. */
const SLICES = 10;
/** A few seconds prove little on a busy machine, so a short run that misses a limit is repeated. */
const SHORT_MINUTES = 5;
const MOST_RUNS = MINUTES < SHORT_MINUTES ? 3 : 1;
const CHANGE = 'change ';
const TOKEN_SECONDS = 86_400;
const NS_PER_MS = 1e6;

/** Retention counts in days, and the shortest is one. This makes the days of the cleaner shorter. */
const SHORT_DAYS = changedConstants({
  'src/housekeeping/cleaner.ts': { ROUND_PAUSE_MS },
  'src/time/retention.ts': { RETENTION_DAY_MS: KEPT_MS },
});

/** The measurements of a quarter. */
interface Quarter {
  quarter: number;
  events: number;
  p50Ms: number;
  p99Ms: number;
  /** How late timers of this process ran, which may add to the times above: the longest delay of the best slice. */
  ownMs: number;
  /** Null where the system does not say. */
  memoryMib: number | null;
  /** Events, deliveries and entries of the audit log that are kept at its end. */
  rows: number;
  /** Of the database, at its end. */
  fileMib: number;
}

/** Publishes events for the whole time, and returns the measurements of each quarter. */
async function soak(): Promise<Quarter[]> {
  await using stack = new AsyncDisposableStack();
  const dataDir = stack.use(temporaryFolder()).path;
  stack.defer(() => dropDatabaseOf(dataDir));
  const times = new EventTimes();
  const target = stack.use(await startCountingTarget({ record: (name, at) => times.arrived(name, at) }));
  const program = stack.use(
    await startProcess(
      {
        data_dir: dataDir,
        delivery_history_days: 1,
        audit_log_days: 1,
        access_token_lifetime: TOKEN_SECONDS,
      },
      { preload: SHORT_DAYS },
    ),
  );
  const { clientId, clientSecret } = await createClient(dataDir);
  const api = new Api(program.url, await requestToken(program.url, clientId, clientSecret));
  const accounts = await makeAccounts(api, target.url);
  const events = new Events(api, accounts, times);
  const warmUp = await events.publish(WARM_UP_MS);
  const quarters: Quarter[] = [];
  for (let quarter = 1; quarter <= QUARTERS; quarter++)
    quarters.push(await measure(quarter, { events, times, program, dataDir }));
  assert.ok(times.haveArrived(warmUp), 'all messages arrive');
  assert.deepEqual(times.repeated(), [], 'each message arrived once');
  return quarters;
}

describe('an hour of events', () => {
  it('uses as much memory, disk and time at its end as at its beginning', {
    timeout: MOST_RUNS * (TEST_TIMEOUT_MS + 3 * DURATION_MS),
  }, async () => {
    let missed: string[] = [];
    for (let run = 1; run === 1 || (missed.length > 0 && run <= MOST_RUNS); run++) {
      const quarters = await soak();
      showTable(quarters);
      missed = missedBy(quarters[0]!, quarters.at(-1)!);
    }
    assert.deepEqual(missed, []);
  });
});

/** Events by number, from one up to but not including another one. */
interface Published {
  from: number;
  to: number;
}

/**
 * When each event was answered and its message arrived, by number. Typed arrays, because the collection of garbage pauses
 * a process that keeps a million of them in maps.
 */
class EventTimes {
  readonly #answeredAt = new Float64Array(MOST_EVENTS);
  readonly #arrivedAt = new Float64Array(MOST_EVENTS);
  readonly #arrivals = new Uint8Array(MOST_EVENTS);

  answered(n: number): void {
    this.#answeredAt[n] = performance.now();
  }

  /** @param name of the account in the message, which has the number of the event */
  arrived(name: string, at: number): void {
    const n = Number(name.slice(CHANGE.length));
    this.#arrivals[n]! += 1;
    this.#arrivedAt[n] = at;
  }

  haveArrived({ from, to }: Published): boolean {
    return this.#arrivals.subarray(from, to).every((arrivals) => arrivals > 0);
  }

  /** The numbers of events whose message arrived more than once. */
  repeated(): number[] {
    return [...this.#arrivals.keys()].filter((n) => this.#arrivals[n]! > 1);
  }

  /** From the answer to the arrival, in milliseconds. */
  latencies({ from, to }: Published): Float64Array {
    const arrivedAt = this.#arrivedAt.subarray(from, to);
    return arrivedAt.map((at, n) => Math.max(0, at - this.#answeredAt[from + n]!));
  }
}

/** Changes of accounts at the rate. */
class Events {
  readonly #api: Api;
  readonly #accounts: readonly number[];
  readonly #times: EventTimes;
  /** The latest change of each account: changes of one account follow each other. */
  readonly #latest = new Map<number, Promise<unknown>>();
  #published = 0;

  constructor(api: Api, accounts: readonly number[], times: EventTimes) {
    this.#api = api;
    this.#accounts = accounts;
    this.#times = times;
  }

  /** Publishes changes for this long. */
  async publish(ms: number): Promise<Published> {
    const from = this.#published;
    await openLoop(
      async () => {
        const n = this.#published++;
        const name = `${CHANGE}${n}`;
        const id = this.#accounts[n % this.#accounts.length]!;
        const enabled = Math.floor(n / this.#accounts.length) % 2 === 1;
        const change = (this.#latest.get(id) ?? Promise.resolve()).then(() =>
          this.#api.put(`/accounts/${id}`, { name, enabled }),
        );
        this.#latest.set(id, change);
        const { status, body } = await change;
        assert.equal(status, 200, JSON.stringify(body));
        this.#times.answered(n);
      },
      { perSecond: PER_SECOND, count: Math.ceil((ms * PER_SECOND) / SECOND_MS) },
    );
    return { from, to: this.#published };
  }
}

/** Accounts, and webhooks that each listen to some of them. */
async function makeAccounts(api: Api, targetUrl: string): Promise<number[]> {
  const accounts: number[] = [];
  for (let n = 0; n < ACCOUNTS; n++)
    accounts.push((await api.create('/accounts', { name: `account ${n}` })).id);
  for (let n = 0; n < WEBHOOKS; n++)
    await api.create('/webhooks', {
      name: `webhook ${n}`,
      topic: 'ACCOUNT',
      subtopics: ['ACCOUNT_ACTIVATION_UPDATED'],
      focus: accounts
        .filter((_, place) => place % WEBHOOKS === n)
        .map((id) => ({ webhook_focus_type: 'ACCOUNT', webhook_focus_id: id })),
      target_url: targetUrl,
      logging_mode: 'NONE',
    });
  return accounts;
}

async function measure(
  quarter: number,
  {
    events,
    times,
    program,
    dataDir,
  }: { events: Events; times: EventTimes; program: ServingProcess; dataDir: string },
): Promise<Quarter> {
  const memory: number[] = [];
  const look = setInterval(() => {
    const mib = residentMib(program.pid);
    if (mib !== null) memory.push(mib);
  }, MEMORY_EVERY_MS);
  const own = ownDelays();
  try {
    const published = await events.publish(DURATION_MS / QUARTERS);
    await until(() => times.haveArrived(published), 'all messages arrive', 2 * DEADLINE_MS);
    const latencies = times.latencies(published);
    const perSlice = Math.ceil(latencies.length / SLICES);
    const slices = Array.from({ length: SLICES }, (_, n) =>
      Array.from(latencies.subarray(n * perSlice, (n + 1) * perSlice)),
    );
    const best = (share: number) =>
      Math.min(...slices.filter(({ length }) => length > 0).map((slice) => quantile(slice, share)));
    return {
      quarter,
      events: latencies.length,
      p50Ms: Number(best(0.5).toFixed(1)),
      p99Ms: Number(best(0.99).toFixed(1)),
      ownMs: own.best(),
      memoryMib: memory.length === 0 ? null : Math.round(quantile(memory, 0.5)),
      ...(await readSizes(dataDir)),
    };
  } finally {
    clearInterval(look);
    own.stop();
  }
}

/** Measures the delays of this process's event loop in slices of a quarter. */
function ownDelays(): { best(): number; stop(): void } {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const longest: number[] = [];
  const slice = setInterval(
    () => {
      longest.push(delays.max / NS_PER_MS);
      delays.reset();
    },
    DURATION_MS / QUARTERS / SLICES,
  );
  return {
    best: () => Number(Math.min(...(longest.length > 0 ? longest : [delays.max / NS_PER_MS])).toFixed(1)),
    stop() {
      clearInterval(slice);
      delays.disable();
    },
  };
}

async function readSizes(dataDir: string): Promise<Pick<Quarter, 'rows' | 'fileMib'>> {
  const bytes = ON_POSTGRES
    ? 'pg_database_size(current_database())'
    : '(select page_count from pragma_page_count()) * (select page_size from pragma_page_size())';
  const [sizes] = await runSql<{ rows: number; bytes: number }>(
    dataDir,
    `select (select count(*) from events) + (select count(*) from deliveries)
       + (select count(*) from audit_entries) as "rows", ${bytes} as bytes`,
  );
  return { rows: Number(sizes!.rows), fileMib: Math.round(Number(sizes!.bytes) / MIB) };
}

/** The limits that the last quarter exceeds, compared with the first. */
function missedBy(first: Quarter, last: Quarter): string[] {
  return (['p50Ms', 'p99Ms', 'memoryMib', 'rows', 'fileMib'] as const).flatMap((name) => {
    const [before, after] = [first[name], last[name]];
    if (before === null || after === null || after <= before * MOST_SHARE + SLACK[name]) return [];
    return [`${name}: ${after} in the last quarter, ${before} in the first`];
  });
}
