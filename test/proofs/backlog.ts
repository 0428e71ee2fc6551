import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../../bench/quantile.ts';
import { SECOND_MS } from '../../src/time/units.ts';
import { MortalProgram } from '../reliability/mortal-program.ts';
import { runSql } from '../support/database.ts';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { temporaryFolder } from '../support/service.ts';
import { type CountingTarget, startCountingTarget } from './counting-target.ts';
import { peakMib } from './process-memory.ts';
import { showTable } from './show-table.ts';

/**
 * Messages pile up for a target that is down, and are delivered when it is back. A large pile is worked off as fast as a
 * small one, in order and each message once, with as much memory, and without affecting other webhooks.
 */

const LARGE = Number(process.env.BACKLOG_MESSAGES ?? 1_000_000);
const SMALL = Math.min(20_000, Math.ceil(LARGE / 10));
/** The rate on the slowest machine on which the proof must end in time. */
const LEAST_PER_SECOND = 50;
const OTHERS = 10;
/** A failed measurement is repeated. A real fault shows in every run, the noise of other programs does not. */
const MOST_RUNS = 3;
const PROBE_EVERY_MS = 50;
/** The limits for the large backlog, compared with the small one. */
const MOST_SHARE = 1.2;
const LEAST_RATE_SHARE = Number(process.env.BACKLOG_LEAST_SHARE ?? 0.8);
/** Smaller differences, in milliseconds, are caused by the scheduler. */
const SCHEDULER_MS = Number(process.env.PROOF_SLACK_MS ?? 5);
/**
 * A process grows by about 80 MiB while it warms up, for which the small pile may be too short. A pile in memory would
 * take more.
 */
const WARMING_UP_MIB = 120;

/** The measurements of a backlog. */
interface Drained {
  messages: number;
  perSecond: number;
  /** From the response to a change to its arrival at another webhook's target, while the pile is worked off. */
  otherP99Ms: number;
  /** Null where the system does not say. */
  peakMib: number | null;
}

/** A service with a webhook whose target can be down, and others. */
class PiledUpService implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly #dataDir: string;
  readonly #down: CountingTarget;
  readonly #other: CountingTarget;
  readonly #program: MortalProgram;
  readonly #probes: readonly number[];
  #piles = 0;

  private constructor(
    stack: AsyncDisposableStack,
    parts: {
      dataDir: string;
      down: CountingTarget;
      other: CountingTarget;
      program: MortalProgram;
      probes: readonly number[];
    },
  ) {
    this.#stack = stack;
    this.#dataDir = parts.dataDir;
    this.#down = parts.down;
    this.#other = parts.other;
    this.#program = parts.program;
    this.#probes = parts.probes;
  }

  static async start(): Promise<PiledUpService> {
    await using stack = new AsyncDisposableStack();
    const dataDir = stack.use(temporaryFolder()).path;
    const down = stack.use(await startCountingTarget());
    const other = stack.use(await startCountingTarget());
    const program = stack.use(
      await MortalProgram.start({ data_dir: dataDir, retry_initial_delay: 0.1, retry_max_delay: 0.1 }),
    );
    const probes = await makeWebhooks(program, { down, other });
    return new PiledUpService(stack.move(), { dataDir, down, other, program, probes });
  }

  /** Piles messages up for one webhook and measures how a new process works them off. */
  async drain(messages: number): Promise<Drained> {
    this.#piles += 1;
    const name = `pile-${this.#piles}`;
    const [down, other] = [this.#down, this.#other];
    const [failed, arrived, probed] = [down.failed, down.ids.length, other.ids.length];
    down.fail = true;
    await this.#program.api.create('/accounts', { name: `the first of ${name}` });
    await down.until(() => down.failed > failed);
    await this.#program.killAndRestart({ afterDeath: () => pileUp(this.#dataDir, name, messages) });

    down.fail = false;
    const start = performance.now();
    const end = new AbortController();
    const drained = async () => {
      try {
        await down.until(() => down.ids.length >= arrived + messages);
        return (performance.now() - start) / SECOND_MS;
      } finally {
        end.abort();
      }
    };
    const [sent, seconds] = await Promise.all([
      probe(this.#program, { accounts: this.#probes, name, signal: end.signal }),
      drained(),
    ]);
    await other.until(() => other.ids.length >= probed + sent.length);

    const came = down.ids.slice(arrived + 1);
    assert.deepEqual(came, pileOf(name, messages).slice(0, messages - 1), 'in order, each once');
    const latencies = sent.map(({ name: change, answeredAt }) =>
      Math.max(0, other.arrivedAt.get(change)! - answeredAt),
    );
    return {
      messages,
      perSecond: Math.round(messages / seconds),
      otherP99Ms: Number(quantile(latencies, 0.99).toFixed(1)),
      peakMib: peakMib(this.#program.process.pid),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** One webhook for new accounts, and others for changes of one account each; the ids of these accounts. */
async function makeWebhooks(
  { api }: MortalProgram,
  { down, other }: { down: CountingTarget; other: CountingTarget },
): Promise<number[]> {
  const accounts: number[] = [];
  for (let n = 0; n < OTHERS; n++) {
    const { id } = await api.create('/accounts', { name: `probe ${n}` });
    accounts.push(id);
    await api.create('/webhooks', {
      name: `other ${n}`,
      topic: 'ACCOUNT',
      subtopics: ['ACCOUNT_ACTIVATION_UPDATED'],
      focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: id }],
      target_url: other.url,
      logging_mode: 'NONE',
    });
  }
  await api.create('/webhooks', {
    name: 'down',
    topic: 'ACCOUNT',
    subtopics: ['ACCOUNT_CREATED'],
    target_url: down.url,
    max_attempts: 1_000,
    logging_mode: 'NONE',
  });
  return accounts;
}

function pileOf(name: string, messages: number): string[] {
  return Array.from({ length: messages }, (_, n) => `${name}-${n + 1}`);
}

/** Appends copies of the only waiting message until the line holds `messages`. No service may be running. */
async function pileUp(dataDir: string, name: string, messages: number): Promise<void> {
  await runSql(
    dataDir,
    `insert into queue_messages (line_id, message_id, label, stored_body, shared_body_id, enqueued_at)
     with recursive copy (n) as (select 1 union all select n + 1 from copy where n < ?)
     select first.line_id, '${name}-' || copy.n, first.label, first.stored_body, first.shared_body_id, first.enqueued_at
     from copy cross join queue_messages as first where first.line_id = (select line_id from queue_lines where pending = 1)
     order by copy.n`,
    messages - 1,
  );
  await runSql(dataDir, 'update queue_lines set pending = ? where pending = 1', messages);
}

/** Changes the accounts in turn until the signal. Returns the changes and the times of their responses. */
async function probe(
  { api }: MortalProgram,
  { accounts, name, signal }: { accounts: readonly number[]; name: string; signal: AbortSignal },
): Promise<{ name: string; answeredAt: number }[]> {
  const sent: { name: string; answeredAt: number }[] = [];
  // Two changes of each account leave it as it was, for the next pile.
  for (let n = 0; !signal.aborted || n === 0 || n % (2 * accounts.length) !== 0; n++) {
    const change = `${name}, change ${n}`;
    const enabled = Math.floor(n / accounts.length) % 2 === 1;
    const { status, body } = await api.call('PUT', `/accounts/${accounts[n % accounts.length]}`, {
      name: change,
      enabled,
    });
    assert.equal(status, 200, JSON.stringify(body));
    sent.push({ name: change, answeredAt: performance.now() });
    await delay(PROBE_EVERY_MS);
  }
  return sent;
}

const timeout = MOST_RUNS * (TEST_TIMEOUT_MS + ((SMALL + LARGE) / LEAST_PER_SECOND) * SECOND_MS);
describe('a large backlog for one target', () => {
  it('is delivered in order, as fast as a small one, and without affecting others', { timeout }, async () => {
    await using service = await PiledUpService.start();
    const small: Drained[] = [];
    const large: Drained[] = [];
    let missed: string[] = [];
    do {
      small.push(await service.drain(SMALL));
      large.push(await service.drain(LARGE));
      missed = missedBy(bestOf(small), bestOf(large));
    } while (missed.length > 0 && large.length < MOST_RUNS);
    showTable([bestOf(small), bestOf(large)]);
    assert.deepEqual(missed, []);
  });
});

/** The best of several runs, measure by measure: other programs on the machine only add to a run. */
function bestOf(runs: readonly Drained[]): Drained {
  const peaks = runs.flatMap(({ peakMib }) => (peakMib === null ? [] : [peakMib]));
  return {
    messages: runs[0]!.messages,
    perSecond: Math.max(...runs.map(({ perSecond }) => perSecond)),
    otherP99Ms: Math.min(...runs.map(({ otherP99Ms }) => otherP99Ms)),
    peakMib: peaks.length === 0 ? null : Math.min(...peaks),
  };
}

/** The limits that the large backlog exceeds, compared with the small one. */
function missedBy(small: Drained, large: Drained): string[] {
  const missed: string[] = [];
  if (large.perSecond < small.perSecond * LEAST_RATE_SHARE)
    missed.push(`${large.perSecond}/s, ${small.perSecond}/s of the small pile`);
  if (large.otherP99Ms > Math.max(small.otherP99Ms * MOST_SHARE, small.otherP99Ms + SCHEDULER_MS))
    missed.push(`others wait for ${large.otherP99Ms} ms, ${small.otherP99Ms} beside the small pile`);
  if (large.peakMib !== null && large.peakMib > small.peakMib! + WARMING_UP_MIB)
    missed.push(`${large.peakMib} MiB, ${small.peakMib} with the small pile`);
  return missed;
}
