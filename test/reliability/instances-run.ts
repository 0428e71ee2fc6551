import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '../../src/time/units.ts';
import { createTestQueues, settingsOf, startSqsServer } from '../queue/sqs-server.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer, type Behaviour, resetInBody } from '../support/target-behaviours.ts';
import { AccountChanger } from './account-events.ts';
import { type FaultSpan, faultsFoundIn, longestBlockedMs } from './instance-faults.ts';
import { Instances } from './instances.ts';
import { DELIVERY_TIMEOUT_SECONDS, LEASE_MS, LEASE_PRELOAD } from './lease.ts';
import {
  type Arrival,
  assertEveryEventOnceInOrder,
  assertHistoryAgrees,
  assertOrderOf,
  firstArrivals,
  type Listener,
} from './listener.ts';
import { SeededRandom } from './seeded-random.ts';
import { ifUnread } from './unread-response.ts';

/** The extent of a run. */
export interface InstancesOptions {
  seed: number;
  driver: 'database' | 'sqs';
  /** Which instances poll, for one phase after another. */
  mixes: readonly Mix[];
  /** How long changes continue in each phase after its fault, in milliseconds. */
  phaseMs: number;
  /** The pause of a client between two changes, in milliseconds. @defaultValue 150 */
  changeEveryMs?: number;
}

/** Whether each of the three instances polls. */
export type Mix = readonly [boolean, boolean, boolean];

/** All mixes. The one in which no instance polls is first, so that its messages are delivered in the next. */
export const ALL_MIXES: readonly Mix[] = Array.from({ length: 8 }, (_, n) => [
  (n & 4) !== 0,
  (n & 2) !== 0,
  (n & 1) !== 0,
]);

/** The numbers of a run without a failure. */
export interface InstancesResult {
  queue: string;
  mixes: number;
  kills: number;
  freezes: number;
  restarts: number;
  events: number;
  messages: number;
  requests: number;
  /** Messages that arrived again because an instance was killed, frozen or stopped with them in flight. */
  repeats: number;
  /** The longest time for which a line with messages was blocked although an instance could deliver. */
  'longest blocked, s': number;
}

const INSTANCES = 3;
const CHANGERS = 4;
const CHANGE_EVERY_MS = 150;
const CLOCKS_AHEAD_MS = [-3 * MINUTE_MS, 0, 4 * MINUTE_MS];
/** For a poll, a start of an instance and a slow machine. */
const SLACK_MS = 20_000;
/** How often an emptying line is read. */
const LINE_CHECK_MS = 100;
const FAILING = [0, 0.1, 0.3, 0, 0.05, 0.2];
const MAX_ATTEMPTS = 1_000;

type Kind = 'kill' | 'freeze' | 'restart';

/**
 * Runs three instances with clocks minutes apart, in each mix of polling and not polling in turn. In each mix, one is
 * killed, one frozen for longer than a lease and one restarted, while clients change accounts and targets fail.
 *
 * @throws {AssertionError} if a message is lost, out of order or repeated without a reason, or a line is blocked for longer
 *   than a lease
 */
export async function runInstances(
  t: { signal: AbortSignal },
  { seed, driver, mixes, phaseMs, changeEveryMs = CHANGE_EVERY_MS }: InstancesOptions,
): Promise<InstancesResult> {
  const random = new SeededRandom(seed);
  await using stack = new AsyncDisposableStack();
  const queues =
    driver === 'sqs' ? stack.use(await createTestQueues(stack.use(await startSqsServer()))) : null;
  const target = stack.use(await startTarget());
  const instances = await Instances.start(
    t,
    INSTANCES,
    {
      ...(queues === null ? {} : settingsOf(queues.place)),
      delivery_timeout: DELIVERY_TIMEOUT_SECONDS,
      queue_polling_interval: 1,
      retry_initial_delay: 0.01,
      retry_max_delay: 0.05,
      log_level: 'warn',
      custom_log_levels: 'Service=info',
    },
    { clocksAheadMs: CLOCKS_AHEAD_MS, settings: settingsOfMix(mixes[0]!), preload: LEASE_PRELOAD },
  );
  stack.use(instances);
  const listeners = await makeListeners(instances, target);
  serve(target, listeners, random);
  const changers = Array.from(
    { length: CHANGERS },
    (_, n) => new AccountChanger(instances, new SeededRandom(seed + n + 1), `account-${n}`),
  );
  const faults: FaultSpan[] = [];
  const counts: Record<Kind, number> = { kill: 0, freeze: 0, restart: 0 };
  const end = new AbortController();
  const changes = Promise.all(changers.map((changer) => keepChanging(changer, changeEveryMs, end.signal)));
  changes.catch(() => end.abort());

  let polling: Mix = mixes[0]!;
  /** When no instance polled, so that nothing could be delivered. */
  const idle: FaultSpan[] = [];
  let idleSince: number | null = polling.includes(true) ? null : performance.now();
  for (const [phase, mix] of mixes.entries()) {
    if (end.signal.aborted) break;
    for (let n = 0; n < INSTANCES; n++) {
      if (phase === 0 || mix[n] === polling[n]) continue;
      const beganAt = performance.now();
      await instances.stop(n);
      await instances.startAgain(n, settingsOfMix(mix)[n]!);
      faults.push({ from: beganAt, to: performance.now() });
      counts.restart += 1;
    }
    polling = mix;
    const now = performance.now();
    if (mix.includes(true) && idleSince !== null) {
      idle.push({ from: idleSince, to: now });
      idleSince = null;
    } else if (!mix.includes(true)) idleSince ??= now;
    await commitFaults(instances, { random, mix, faults, counts, phaseMs });
  }
  if (!polling.includes(true)) throw new Error('the last mix polls');
  end.abort();
  await changes;
  for (const listener of listeners) await lineEmpties(instances, listener);

  const order = firstArrivals(listeners[0]!);
  let repeats = 0;
  let blockedMs = 0;
  for (const listener of listeners) {
    const about = `webhook ${listener.id}`;
    repeats += faultsFoundIn(listener, { faults, leaseMs: LEASE_MS + SLACK_MS, about });
    assertEveryEventOnceInOrder(listener, changers, about);
    assertOrderOf(order, listener, about);
    await assertHistoryAgrees(listener, instances, about);
    blockedMs = Math.max(blockedMs, longestBlockedMs(listener, { changers, faults, idle }));
  }
  assert.ok(
    blockedMs <= LEASE_MS + SLACK_MS,
    `a line was blocked for ${Math.round(blockedMs / SECOND_MS)} s`,
  );
  return {
    queue: driver,
    mixes: mixes.length,
    kills: counts.kill,
    freezes: counts.freeze,
    restarts: counts.restart,
    events: changers.reduce((sum, { events }) => sum + events.length, 0),
    messages: listeners.reduce((sum, listener) => sum + firstArrivals(listener).length, 0),
    requests: listeners.reduce((sum, { arrivals }) => sum + arrivals.length, 0),
    repeats,
    'longest blocked, s': Number((blockedMs / SECOND_MS).toFixed(1)),
  };
}

/**
 * Freezes one instance for longer than a lease, and in the meantime kills another and restarts the third, in a random
 * order of them.
 */
async function commitFaults(
  instances: Instances,
  {
    random,
    mix,
    faults,
    counts,
    phaseMs,
  }: {
    random: SeededRandom;
    mix: Mix;
    faults: FaultSpan[];
    counts: Record<Kind, number>;
    phaseMs: number;
  },
): Promise<void> {
  const first = random.between(0, INSTANCES - 1);
  const [frozen, killed, restarted] = [first, (first + 1) % INSTANCES, (first + 2) % INSTANCES] as const;
  await delay(random.between(0, SECOND_MS));
  const frozenAt = performance.now();
  instances.freeze(frozen);
  const span: FaultSpan = { from: frozenAt, to: Number.POSITIVE_INFINITY };
  faults.push(span);
  counts.freeze += 1;
  const again = async (n: number, kind: 'kill' | 'restart') => {
    const from = performance.now();
    if (kind === 'kill') await instances.kill(n);
    else await instances.stop(n);
    await instances.startAgain(n, settingsOfMix(mix)[n]!);
    faults.push({ from, to: performance.now() });
    counts[kind] += 1;
  };
  await delay(random.between(0, SECOND_MS));
  await again(killed, 'kill');
  await delay(random.between(0, SECOND_MS));
  await again(restarted, 'restart');
  await delay(Math.max(0, frozenAt + LEASE_MS + SECOND_MS - performance.now()));
  instances.thaw(frozen);
  span.to = performance.now();
  await delay(phaseMs);
}

function settingsOfMix(mix: Mix): { enable_queue_polling: boolean }[] {
  return mix.map((enable_queue_polling) => ({ enable_queue_polling }));
}

async function keepChanging(changer: AccountChanger, everyMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await changer.change();
    await delay(everyMs);
  }
}

async function makeListeners(instances: Instances, target: Target): Promise<Listener[]> {
  const listeners: Listener[] = [];
  for (const [n, failing] of FAILING.entries()) {
    const { id } = await instances.apiOf(n % INSTANCES).create('/webhooks', {
      name: `listener ${n}`,
      topic: 'ACCOUNT',
      target_url: `${target.url}/${n}`,
      max_attempts: MAX_ATTEMPTS,
      logging_mode: 'NONE',
    });
    listeners.push({ id, plan: { failing, maxAttempts: MAX_ATTEMPTS }, focusIds: null, arrivals: [] });
  }
  return listeners;
}

/** Waits until the line of a webhook is empty. A slow machine may need long, but messages have to arrive all the time. */
async function lineEmpties(instances: Instances, listener: Listener): Promise<void> {
  let arrived = -1;
  let arrivedAt = 0;
  while ((await instances.read(`/webhooks/${listener.id}/line`)).body.state !== 'EMPTY') {
    const { length } = firstArrivals(listener);
    if (length > arrived) {
      arrived = length;
      arrivedAt = performance.now();
    }
    assert.ok(
      performance.now() - arrivedAt < 2 * LEASE_MS + SLACK_MS,
      `the line of webhook ${listener.id} is not empty, and no message arrives after the first ${arrived}`,
    );
    await delay(LINE_CHECK_MS);
  }
}

/** Answers requests by the plan of their webhook, and records them. A message that was accepted once is accepted again. */
function serve(target: Target, listeners: readonly Listener[], random: SeededRandom): void {
  const accepted = new Set<string>();
  const behaviour: Behaviour = (exchange) => {
    const { postback } = exchange;
    const listener = listeners[Number(postback.path.slice(1))]!;
    const messageId = String(postback.headers['webhook-id']);
    const taken = accepted.has(messageId) || !random.chance(listener.plan.failing);
    if (taken) accepted.add(messageId);
    const arrival: Arrival = { messageId, text: postback.text, life: 0, taken, at: performance.now() };
    listener.arrivals.push(arrival);
    ifUnread(exchange, () => {
      arrival.isUnread = true;
    });
    if (taken) answer(204)(exchange);
    else random.pick([answer(500), answer(404), resetInBody(500)])(exchange);
  };
  target.respondWith(behaviour);
}
