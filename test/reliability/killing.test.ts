import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { temporaryFolder, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer, type Behaviour, hang, resetInBody } from '../support/target-behaviours.ts';
import { AccountChanger } from './account-events.ts';
import {
  assertEveryEventOnceInOrder,
  assertHistoryAgrees,
  assertOrderOf,
  assertRepeatsAreExplained,
  firstArrivals,
  type Listener,
  type Plan,
} from './listener.ts';
import { MortalProgram } from './mortal-program.ts';
import { SeededRandom, seedOfRun } from './seeded-random.ts';

const TARGETS = 5;
const CHANGERS = 6;
const CHANGES_EACH = 50;
const KILLS = 6;

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

describe('the program, killed again and again', () => {
  test('loses no message, invents none, and keeps the order of every webhook', {
    timeout: TEST_TIMEOUT_MS,
  }, async (t) => {
    const seed = seedOfRun();
    const random = new SeededRandom(seed);
    using folder = temporaryFolder();
    await using targets = new AsyncDisposableStack();
    await using program = await MortalProgram.start({
      data_dir: folder.path,
      retry_initial_delay: 0.002,
      retry_max_delay: 0.01,
    });
    try {
      const { listeners, changers, sentBy } = await prepare();
      const arrived = new Progress();
      const answered = new Progress();
      serve(sentBy, listeners, arrived);

      let changing = true;
      const changes = Promise.all(
        changers.map(async (changer) => {
          for (let n = 0; n < CHANGES_EACH; n++) {
            await changer.change();
            answered.advance();
          }
        }),
      ).finally(() => {
        changing = false;
      });
      while (changing && program.deaths < KILLS) {
        const moment = random.chance(0.5)
          ? answered.after(random.between(10, 40))
          : arrived.after(random.between(30, 250));
        await Promise.race([moment, changes]);
        // A process that is dead has closed its connections, and what it had sent has arrived.
        await program.killAndRestart(() =>
          until(
            () => sentBy.every(({ openConnections }) => openConnections === 0),
            'all it sent has arrived',
          ),
        );
      }
      await changes;
      for (const { id } of listeners) {
        await until(
          async () => (await program.read(`/webhooks/${id}/line`)).body.state === 'EMPTY',
          `the line of webhook ${id} empties`,
        );
      }

      const events = changers.flatMap((changer) => changer.events);
      const cutOff = changers.reduce((sum, changer) => sum + changer.cutOff, 0);
      const requests = listeners.reduce((sum, { arrivals }) => sum + arrivals.length, 0);
      t.diagnostic(
        `seed ${seed}: ${program.deaths} kills, ${events.length} events, ${cutOff} calls cut off, ${requests} requests`,
      );
      assert.ok(program.deaths >= 3 && events.length > 200, 'too little happened for a test');

      const order = firstArrivals(listeners[0]!);
      for (const listener of listeners) {
        const about = `webhook ${listener.id} ${JSON.stringify(listener.plan)}`;
        assertRepeatsAreExplained(listener, about);
        assertEveryEventOnceInOrder(listener, changers, about);
        assertOrderOf(order, listener, about);
        await assertHistoryAgrees(listener, program, about);
      }
    } catch (error) {
      throw new Error(`failed with TEST_SEED=${seed}`, { cause: error });
    }

    async function prepare() {
      const focused: { id: number; name: string; enabled: boolean }[] = [];
      for (const name of ['first', 'second', 'third']) {
        focused.push(await program.api.create('/accounts', { name }));
      }
      const sentBy: Target[] = [];
      for (let n = 0; n < TARGETS; n++) sentBy.push(targets.use(await startTarget()));
      const listeners: Listener[] = [];
      for (const [n, plan] of PLANS.entries()) {
        const focusIds = plan.focus?.map((place) => focused[place]!.id) ?? null;
        const webhook = await program.api.create('/webhooks', {
          name: `listener ${n}`,
          topic: 'ACCOUNT',
          target_url: `${sentBy[n % TARGETS]!.url}/${n}`,
          max_attempts: plan.maxAttempts,
          logging_mode: 'NONE',
          ...(plan.subtopics === undefined ? {} : { subtopics: plan.subtopics }),
          ...(focusIds === null
            ? {}
            : {
                focus: focusIds.map((id) => ({ webhook_focus_type: 'ACCOUNT', webhook_focus_id: id })),
              }),
        });
        listeners.push({ id: webhook.id, plan, focusIds, arrivals: [] });
      }
      const changers = Array.from(
        { length: CHANGERS },
        (_, n) => new AccountChanger(program, new SeededRandom(seed + n + 1), `account-${n}`),
      );
      for (const [n, { id, name, enabled }] of focused.entries()) changers[n]!.keep({ id, name, enabled });

      return { listeners, changers, sentBy };
    }

    /** Each request is told by its path which webhook it is of. */
    function serve(sentBy: readonly Target[], listeners: readonly Listener[], arrived: Progress): void {
      const behaviour: Behaviour = (exchange) => {
        const { postback } = exchange;
        const listener = listeners[Number(postback.path.slice(1))]!;
        const taken = !random.chance(listener.plan.failing);
        const messageId = String(postback.headers['webhook-id']);
        listener.arrivals.push({ messageId, text: postback.text, life: program.life, taken });
        if (taken) answer(204)(exchange);
        // Not cut off before an answer: on a connection used before, that is not a failed attempt, and it is sent once more.
        else random.pick([answer(500), answer(404), resetInBody(500)])(exchange);
        arrived.advance();
      };
      for (const target of sentBy) target.respondWith(behaviour);
    }
  });

  test('the failures of the head of a line, kills among them, cost the messages behind it no attempt', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget({ respondWith: hang() });
    await using program = await MortalProgram.start({ data_dir: folder.path });
    const { id } = await program.api.create('/webhooks', {
      name: 'three attempts',
      topic: 'ACCOUNT',
      target_url: target.url,
      max_attempts: 3,
    });
    const names = ['head', 'second', 'third', 'fourth'];
    for (const name of names) await program.api.create('/accounts', { name });
    await target.waitFor(1);
    await program.killAndRestart();
    await target.waitFor(2);

    const failures = new Map<string, number>();
    target.respondWith((exchange) => {
      const messageId = String(exchange.postback.headers['webhook-id']);
      const before = failures.get(messageId) ?? 0;
      failures.set(messageId, before + 1);
      const isHead = messageId === target.requests[0]?.headers['webhook-id'];
      answer(isHead || before < 2 ? 500 : 200)(exchange);
    });
    await program.killAndRestart();
    const deliveries = await until(async () => {
      const records = await program.readAll(`/webhooks/${id}/deliveries`);
      return (
        records.filter(({ status }) => status !== 'RETRYING').length === names.length && records.reverse()
      );
    }, 'all are delivered or dead-lettered');
    assert.deepEqual(
      deliveries.map(({ status, attempts }) => [status, attempts]),
      [
        // Two of its three attempts were cut off by kills: nobody knows how they went.
        ['DEAD_LETTERED', 1],
        ['DELIVERED', 3],
        ['DELIVERED', 3],
        ['DELIVERED', 3],
      ],
    );
    assert.equal(target.requests.length, 3 * names.length);
  });
});
