import assert from 'node:assert/strict';
import { SECOND_MS } from '../../src/time/units.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { temporaryFolder, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer, type Behaviour, resetInBody } from '../support/target-behaviours.ts';
import { AccountChanger } from './account-events.ts';
import { LEASE_MARGIN_MS, LEASE_PRELOAD } from './lease.ts';
import {
  type Arrival,
  assertEveryEventOnceInOrder,
  assertHistoryAgrees,
  assertOrderOf,
  assertRepeatsAreExplained,
  assertRepeatsFollowPowerLoss,
  firstArrivals,
  type Listener,
  type Plan,
} from './listener.ts';
import { MortalProgram } from './mortal-program.ts';
import { SeededRandom } from './seeded-random.ts';

/** The extent of a run. */
export interface CrashOptions {
  /** Repeats the choices of a run, except for what the process is doing when it is killed. */
  seed: number;
  /** The number of API clients, which change accounts one call after another. */
  clients: number;
  /** The number of webhooks, at least one for each plan: 20. */
  webhooks: number;
  /** How often the process is killed. */
  kills: number;
  /** The disk of the data, if the power also fails at each kill. */
  disk?: {
    dataDir: string;
    /** Drops what was not synced. Called at the moment of the kill, while the process is frozen. */
    losePower: () => Promise<void>;
    /** Mounts what is left. Called when the process is dead. */
    restore: () => Promise<void>;
  };
}

/** The numbers of a run without a failure. */
export interface CrashResult {
  kills: number;
  webhooks: number;
  /** The number of changes. */
  events: number;
  /** Calls that a kill interrupted, so that their client had to check whether they happened. */
  cutOff: number;
  /** Messages that arrived, each counted once. */
  messages: number;
  /** Requests that targets received. */
  requests: number;
  /** Messages that arrived again although their target had accepted them, because they were in flight at a kill. */
  repeats: number;
  /** With a power failure: messages that arrived again because their outcomes were lost. */
  undone?: number;
  /** On PostgreSQL: how long a message in flight at the last kill waited for its lease to end, in seconds. */
  'waited for a lease, s'?: number;
}

const TARGETS = 5;

/** Targets respond at once, but a machine may be busy for several seconds. */
const DELIVERY_TIMEOUT_SECONDS = 10;
const LEASE_MS = DELIVERY_TIMEOUT_SECONDS * SECOND_MS + LEASE_MARGIN_MS;
/**
 * Between two kills, clients trigger about 1,300 messages more than arrive. After the last kill, two processors that nothing
 * else uses take less than a second to deliver as many.
 */
const DRAIN_MS_PER_KILL = 3_000;

const PATIENT = 1_000;
const PLANS: readonly Plan[] = [
  ...[0, 0, 0, 0.05, 0.1, 0.1, 0.2, 0.3].map((failing) => ({ failing, maxAttempts: PATIENT })),
  { subtopics: ['ACCOUNT_CREATED'], failing: 0, maxAttempts: PATIENT },
  { subtopics: ['ACCOUNT_DELETED'], failing: 0.2, maxAttempts: PATIENT },
  { subtopics: ['ACCOUNT_ACTIVATION_UPDATED'], failing: 0.1, maxAttempts: PATIENT },
  { subtopics: ['ACCOUNT_CREATED', 'ACCOUNT_DELETED'], failing: 0.1, maxAttempts: PATIENT },
  { subtopics: ['ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED'], failing: 0, maxAttempts: PATIENT },
  { focus: [0], failing: 0, maxAttempts: PATIENT },
  { focus: [1], failing: 0.3, maxAttempts: PATIENT },
  { focus: [0, 2], failing: 0.1, maxAttempts: PATIENT },
  { focus: [0, 1, 2], subtopics: ['ACCOUNT_ACTIVATION_UPDATED'], failing: 0.2, maxAttempts: PATIENT },
  { focus: [2], subtopics: ['ACCOUNT_DELETED'], failing: 0, maxAttempts: PATIENT },
  { failing: 1, maxAttempts: 2 },
  { failing: 0.5, maxAttempts: 3 },
];

/** Counts, and resolves as soon as the wanted number of further counts is reached. */
class Progress {
  #count = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #reached: () => void = () => {};

  advance(): void {
    this.#count += 1;
    if (this.#count >= this.#wanted) this.#reached();
  }

  async after(count: number): Promise<void> {
    this.#wanted = this.#count + count;
    await new Promise<void>((resolve) => {
      this.#reached = resolve;
    });
  }
}

/**
 * Kills the program again and again while clients change accounts and targets fail, and starts it again.
 * @throws {AssertionError} when a message is lost, invented, changed, repeated without a reason or out of order
 */
export async function runCrash({ seed, clients, webhooks, kills, disk }: CrashOptions): Promise<CrashResult> {
  const random = new SeededRandom(seed);
  // An embedded database gives the next process what was in flight. Elsewhere, the process might be alive.
  const waitsForLease = ON_POSTGRES && disk === undefined;
  using folder = disk === undefined ? temporaryFolder() : null;
  await using targets = new AsyncDisposableStack();
  await using program = await MortalProgram.start(
    {
      data_dir: folder?.path ?? disk!.dataDir,
      delivery_timeout: DELIVERY_TIMEOUT_SECONDS,
      retry_initial_delay: 0.002,
      retry_max_delay: 0.01,
    },
    waitsForLease ? { preload: LEASE_PRELOAD } : {},
  );
  const sentBy: Target[] = [];
  for (let n = 0; n < TARGETS; n++) sentBy.push(targets.use(await startTarget()));
  const changers = Array.from(
    { length: clients },
    (_, n) => new AccountChanger(program, new SeededRandom(seed + n + 1), `account-${n}`),
  );
  const focused = await makeFocusedAccounts(program, changers);
  const listeners = await makeListeners(program, { webhooks, focused, sentBy });

  const arrived = new Progress();
  const answered = new Progress();
  let isHolding = false;
  let held: HeldMessage | null = null;
  serve(sentBy, {
    listeners,
    random,
    lifeOf: () => program.life,
    isHeld: () => isHolding,
    onArrival: (message) => {
      if (isHolding) held ??= message;
      arrived.advance();
    },
  });

  const change = async (changer: AccountChanger) => {
    while (program.deaths < kills) {
      await changer.change();
      answered.advance();
    }
  };
  const changes = Promise.all(changers.map(change));
  while (program.deaths < kills) {
    const moment = random.chance(0.5)
      ? answered.after(random.between(10, 40))
      : arrived.after(random.between(30, 250));
    // The power fails right after a response: a program that does not sync before it responds may sync a moment later.
    const response = disk === undefined ? moment : moment.then(() => answered.after(1));
    await Promise.race([response, changes]);
    const keepsLeases = waitsForLease && program.deaths === kills - 1;
    if (keepsLeases) {
      isHolding = true;
      await until(() => held !== null, 'a message is in flight');
    }
    // A dead process has closed its connections, and its requests have arrived.
    await program.killAndRestart({
      ...(disk === undefined ? {} : { beforeDeath: disk.losePower }),
      afterDeath: async () => {
        await disk?.restore();
        await until(
          () => sentBy.every(({ openConnections }) => openConnections === 0),
          'all its requests have arrived',
        );
        isHolding = false;
      },
      keepsLeases,
    });
  }
  await changes;
  for (const { id } of listeners)
    await until(
      async () => (await program.read(`/webhooks/${id}/line`)).body.state === 'EMPTY',
      `the line of webhook ${id} empties`,
      LEASE_MS + DEADLINE_MS + kills * DRAIN_MS_PER_KILL,
    );

  const order = firstArrivals(listeners[0]!);
  let undone = 0;
  for (const listener of listeners) {
    const about = `webhook ${listener.id} ${JSON.stringify(listener.plan)}`;
    if (disk === undefined) assertRepeatsAreExplained(listener, about);
    else undone += assertRepeatsFollowPowerLoss(listener, about);
    assertEveryEventOnceInOrder(listener, changers, about);
    assertOrderOf(order, listener, about);
    // The latest outcomes are lost together with the power.
    const mostUnrecorded = disk === undefined ? program.deaths : listener.arrivals.length;
    await assertHistoryAgrees(listener, program, about, { mostUnrecorded });
  }
  const sum = <T>(of: readonly T[], count: (each: T) => number) =>
    of.reduce((total, each) => total + count(each), 0);
  return {
    kills: program.deaths,
    webhooks: listeners.length,
    events: sum(changers, ({ events }) => events.length),
    cutOff: sum(changers, ({ cutOff }) => cutOff),
    messages: sum(listeners, (listener) => firstArrivals(listener).length),
    requests: sum(listeners, ({ arrivals }) => arrivals.length),
    repeats: sum(listeners, repeatsOf),
    ...(disk === undefined ? {} : { undone }),
    ...(held === null ? {} : { 'waited for a lease, s': waitOf(held) }),
  };
}

/** A request that was never answered, because the process that sent it was killed. */
interface HeldMessage {
  listener: Listener;
  arrival: Arrival;
}

/**
 * How long it took until the message arrived again, in seconds. A message may be sent when its lease has already lasted for up to
 * a third, so half of a lease proves that it did not arrive again before.
 * @throws {AssertionError} if that was so soon that its lease cannot have ended by itself
 */
function waitOf({ listener, arrival }: HeldMessage): number {
  const again = listener.arrivals.find(
    ({ messageId, life }) => messageId === arrival.messageId && life > arrival.life,
  );
  assert.ok(again !== undefined, `${arrival.messageId} was in flight at the kill, and did not arrive again`);
  const waitedMs = again.at! - arrival.at!;
  assert.ok(waitedMs > LEASE_MS / 2, `${arrival.messageId} arrived again after ${waitedMs} ms`);
  return Number((waitedMs / SECOND_MS).toFixed(1));
}

/** Accounts that webhooks focus on: each of the first clients changes one of them, and never deletes it. */
async function makeFocusedAccounts(
  program: MortalProgram,
  changers: readonly AccountChanger[],
): Promise<number[]> {
  const ids: number[] = [];
  for (const [n, name] of ['first', 'second', 'third'].entries()) {
    const { id, enabled } = await program.api.create('/accounts', { name });
    changers[n]!.keep({ id, name, enabled });
    ids.push(id);
  }
  return ids;
}

/** Creates webhooks with the plans in turn. */
async function makeListeners(
  program: MortalProgram,
  { webhooks, focused, sentBy }: { webhooks: number; focused: readonly number[]; sentBy: readonly Target[] },
): Promise<Listener[]> {
  assert.ok(webhooks >= PLANS.length, `there are ${PLANS.length} plans`);
  const listeners: Listener[] = [];
  for (let n = 0; n < webhooks; n++) {
    const plan = PLANS[n % PLANS.length]!;
    const focusIds = plan.focus?.map((place) => focused[place]!) ?? null;
    const webhook = await program.api.create('/webhooks', {
      name: `listener ${n}`,
      topic: 'ACCOUNT',
      target_url: `${sentBy[n % TARGETS]!.url}/${n}`,
      max_attempts: plan.maxAttempts,
      logging_mode: 'NONE',
      ...(plan.subtopics === undefined ? {} : { subtopics: plan.subtopics }),
      ...(focusIds === null
        ? {}
        : { focus: focusIds.map((id) => ({ webhook_focus_type: 'ACCOUNT', webhook_focus_id: id })) }),
    });
    listeners.push({ id: webhook.id, plan, focusIds, arrivals: [] });
  }
  return listeners;
}

/** Answers requests by the plan of their webhook, which the path names, and records them. */
function serve(
  targets: readonly Target[],
  {
    listeners,
    random,
    lifeOf,
    isHeld,
    onArrival,
  }: {
    listeners: readonly Listener[];
    random: SeededRandom;
    lifeOf: () => number;
    /** Whether requests get no response for now. */
    isHeld: () => boolean;
    onArrival: (message: HeldMessage) => void;
  },
): void {
  const behaviour: Behaviour = (exchange) => {
    const { postback } = exchange;
    const listener = listeners[Number(postback.path.slice(1))]!;
    const isUnanswered = isHeld();
    const taken = !isUnanswered && !random.chance(listener.plan.failing);
    const messageId = String(postback.headers['webhook-id']);
    const arrival = { messageId, text: postback.text, life: lifeOf(), taken, at: performance.now() };
    listener.arrivals.push(arrival);
    onArrival({ listener, arrival });
    if (isUnanswered) return;
    if (taken) answer(204)(exchange);
    // Not aborted before a response: on a reused connection that is not a failed attempt, and the request is sent once more.
    else random.pick([answer(500), answer(404), resetInBody(500)])(exchange);
  };
  for (const target of targets) target.respondWith(behaviour);
}

/** Requests with a message that the target had already accepted. */
function repeatsOf({ arrivals }: Listener): number {
  const accepted = new Set<string>();
  let repeats = 0;
  for (const { messageId, taken } of arrivals) {
    if (accepted.has(messageId)) repeats += 1;
    if (taken) accepted.add(messageId);
  }
  return repeats;
}
