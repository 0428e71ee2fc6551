import assert from 'node:assert/strict';
import { temporaryFolder, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer, type Behaviour, resetInBody } from '../support/target-behaviours.ts';
import { AccountChanger } from './account-events.ts';
import {
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
  /** Repeats the choices of a run, but for what the process happens to be at when it is killed. */
  seed: number;
  /** API clients that change accounts, one call after another each. */
  clients: number;
  /** At least as many as there are plans for them: 20. */
  webhooks: number;
  /** How often the process is killed. */
  kills: number;
  /** Where the data is, if at each kill the power fails, too. */
  disk?: {
    dataDir: string;
    /** Drops what was not synced. Called when the process is dead. */
    losePower: () => Promise<void>;
  };
}

/** What came of a run without a failure. */
export interface CrashResult {
  kills: number;
  webhooks: number;
  /** Changes that happened. */
  events: number;
  /** Calls that a kill cut off, so that their client had to look whether they happened. */
  cutOff: number;
  /** Messages that arrived, each counted once. */
  messages: number;
  /** Requests that targets got. */
  requests: number;
  /** Messages that arrived again though their target had accepted them: they were in flight at a kill. */
  repeats: number;
  /** With a loss of power: messages of which the outcomes were lost, so that they arrived again. */
  undone?: number;
}

const TARGETS = 5;

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

/** Resolves when so many things more have come about, at that very moment. */
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
  using folder = disk === undefined ? temporaryFolder() : null;
  await using targets = new AsyncDisposableStack();
  await using program = await MortalProgram.start({
    data_dir: folder?.path ?? disk!.dataDir,
    retry_initial_delay: 0.002,
    retry_max_delay: 0.01,
  });
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
  serve(sentBy, { listeners, random, lifeOf: () => program.life, onArrival: () => arrived.advance() });

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
    await Promise.race([moment, changes]);
    // A process that is dead has closed its connections, and what it had sent has arrived.
    await program.killAndRestart(async () => {
      await disk?.losePower();
      await until(
        () => sentBy.every(({ openConnections }) => openConnections === 0),
        'all it sent has arrived',
      );
    });
  }
  await changes;
  for (const { id } of listeners)
    await until(
      async () => (await program.read(`/webhooks/${id}/line`)).body.state === 'EMPTY',
      `the line of webhook ${id} empties`,
    );

  const order = firstArrivals(listeners[0]!);
  let undone = 0;
  for (const listener of listeners) {
    const about = `webhook ${listener.id} ${JSON.stringify(listener.plan)}`;
    if (disk === undefined) assertRepeatsAreExplained(listener, about);
    else undone += assertRepeatsFollowPowerLoss(listener, about);
    assertEveryEventOnceInOrder(listener, changers, about);
    assertOrderOf(order, listener, about);
    // The outcomes of a moment are lost together with the power.
    const mostUntold = disk === undefined ? program.deaths : listener.arrivals.length;
    await assertHistoryAgrees(listener, program, about, { mostUntold });
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
  };
}

/** Accounts that webhooks focus on: each of the first changers changes one of them, and never deletes it. */
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

/** Webhooks by the plans in turn. */
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

/** Answers requests by the plan of their webhook, which the path names, and notes them. */
function serve(
  targets: readonly Target[],
  {
    listeners,
    random,
    lifeOf,
    onArrival,
  }: { listeners: readonly Listener[]; random: SeededRandom; lifeOf: () => number; onArrival: () => void },
): void {
  const behaviour: Behaviour = (exchange) => {
    const { postback } = exchange;
    const listener = listeners[Number(postback.path.slice(1))]!;
    const taken = !random.chance(listener.plan.failing);
    const messageId = String(postback.headers['webhook-id']);
    listener.arrivals.push({ messageId, text: postback.text, life: lifeOf(), taken });
    if (taken) answer(204)(exchange);
    // Not cut off before an answer: on a connection used before, that is not a failed attempt, and it is sent once more.
    else random.pick([answer(500), answer(404), resetInBody(500)])(exchange);
    onArrival();
  };
  for (const target of targets) target.respondWith(behaviour);
}

/** Requests with a message that its target had accepted already. */
function repeatsOf({ arrivals }: Listener): number {
  const accepted = new Set<string>();
  let repeats = 0;
  for (const { messageId, taken } of arrivals) {
    if (accepted.has(messageId)) repeats += 1;
    if (taken) accepted.add(messageId);
  }
  return repeats;
}
