import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scormPackage, uploadForm } from '../content/packages.ts';
import { createTestQueues, settingsOf, startSqsServer, type TestQueues } from '../queue/sqs-server.ts';
import { DEADLINE_MS, TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer, type Behaviour, resetInBody } from '../support/target-behaviours.ts';
import { AccountChanger } from './account-events.ts';
import { Instances } from './instances.ts';
import {
  assertEveryEventOnceInOrder,
  assertHistoryAgrees,
  assertOrderOf,
  assertRepeatsAreExplained,
  firstArrivals,
  type Listener,
} from './listener.ts';
import { SeededRandom, seedOfRun } from './seeded-random.ts';

const INSTANCES = 3;
const CHANGERS = 6;
/**
 * Amazon SQS hides in whole seconds, so that each failure costs one: fewer messages, of which fewer fail. What a killed
 * process was just sending there follows after 40 s, and a second instance's kill may have it wait once more.
 */
const DRIVERS = [
  { queue_driver: 'database', changesEach: 60, failingPart: 1, drainMs: 4 * DEADLINE_MS },
  { queue_driver: 'sqs', changesEach: 30, failingPart: 0.2, drainMs: 4 * DEADLINE_MS },
] as const;
/** Every one of them once, and some twice. */
const KILLS = 5;
/** How likely the target of a webhook fails a request. */
const FAILING = [0, 0, 0.1, 0.3, 0, 0.2, 0, 0.05];
const MAX_ATTEMPTS = 1_000;
/**
 * What a killed process had sent may be read by the target some time after its death, on a busy machine. Others send it
 * again after 30 s at the soonest.
 */
const LATE_MS = 15_000;

/** Two queues on a server of their own. */
async function startTestQueues(): Promise<TestQueues> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startSqsServer());
  const queues = stack.use(await createTestQueues(server));
  const started = stack.move();
  return { ...queues, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

describe('three instances on one database', { skip: !ON_POSTGRES && 'needs PostgreSQL' }, () => {
  for (const { queue_driver, changesEach, failingPart, drainMs } of DRIVERS)
    test(`killed one after another lose no message, and keep the order of every webhook (${queue_driver})`, {
      timeout: TEST_TIMEOUT_MS,
    }, async (t) => {
      const seed = seedOfRun();
      const random = new SeededRandom(seed);
      await using targets = new AsyncDisposableStack();
      await using queues = queue_driver === 'sqs' ? await startTestQueues() : null;
      // A killed instance's messages are taken over 30 s after the longest that its requests may take. On a busy machine an
      // answer may take seconds to be read; a request that was given up before would be repeated, though it was answered.
      await using instances = await Instances.start(t, INSTANCES, {
        ...(queues === null ? {} : settingsOf(queues.place)),
        delivery_timeout: 10,
        retry_initial_delay: 0.01,
        retry_max_delay: 0.05,
        log_level: 'warn',
        custom_log_levels: 'Service=info',
      });
      try {
        const target: Target = targets.use(await startTarget());
        const listeners: Listener[] = [];
        for (const [n, failing] of FAILING.entries()) {
          const { id } = await instances.apiOf(n % INSTANCES).create('/webhooks', {
            name: `listener ${n}`,
            topic: 'ACCOUNT',
            target_url: `${target.url}/${n}`,
            max_attempts: MAX_ATTEMPTS,
            logging_mode: 'NONE',
          });
          listeners.push({
            id,
            plan: { failing: failing * failingPart, maxAttempts: MAX_ATTEMPTS },
            focusIds: null,
            arrivals: [],
          });
        }
        const deaths: number[] = [];
        const behaviour: Behaviour = (exchange) => {
          const { postback } = exchange;
          const listener = listeners[Number(postback.path.slice(1))]!;
          const taken = !random.chance(listener.plan.failing);
          listener.arrivals.push({
            messageId: String(postback.headers['webhook-id']),
            text: postback.text,
            life: deaths.filter((at) => at < performance.now() - LATE_MS).length,
            taken,
          });
          if (taken) answer(204)(exchange);
          else random.pick([answer(500), answer(404), resetInBody(500)])(exchange);
        };
        target.respondWith(behaviour);

        const changers = Array.from(
          { length: CHANGERS },
          (_, n) => new AccountChanger(instances, new SeededRandom(seed + n + 1), `account-${n}`),
        );
        let changed = 0;
        const changes = Promise.all(
          changers.map(async (changer) => {
            for (let n = 0; n < changesEach; n++) {
              await changer.change();
              changed += 1;
            }
          }),
        );
        let isBroken = false;
        changes.catch(() => {
          isBroken = true;
        });
        for (let kill = 1; kill <= KILLS; kill++) {
          // Spread over all changes, at a moment of its own each time.
          const moment = (kill / (KILLS + 1)) * CHANGERS * changesEach + random.between(-20, 20);
          await until(() => isBroken || changed >= moment, 'changes go on', drainMs);
          if (isBroken) break;
          const victim = kill % INSTANCES;
          await instances.kill(victim);
          deaths.push(performance.now());
          await instances.startAgain(victim);
        }
        await changes;
        for (const { id } of listeners) {
          await until(
            async () => (await instances.read(`/webhooks/${id}/line`)).body.state === 'EMPTY',
            `the line of webhook ${id} empties`,
            drainMs,
          );
        }

        const events = changers.flatMap((changer) => changer.events);
        const requests = listeners.reduce((sum, { arrivals }) => sum + arrivals.length, 0);
        t.diagnostic(`seed ${seed}: ${deaths.length} kills, ${events.length} events, ${requests} requests`);
        assert.equal(deaths.length, KILLS);
        const order = firstArrivals(listeners[0]!);
        for (const listener of listeners) {
          const about = `webhook ${listener.id}`;
          assertRepeatsAreExplained(listener, about);
          assertEveryEventOnceInOrder(listener, changers, about);
          assertOrderOf(order, listener, about);
          await assertHistoryAgrees(listener, instances, about);
        }
      } catch (error) {
        throw new Error(`failed with TEST_SEED=${seed}`, { cause: error });
      }
    });

  test('take what one of them gave out: tokens, launch links, the files of courses', {
    timeout: TEST_TIMEOUT_MS,
  }, async (t) => {
    await using instances = await Instances.start(t, INSTANCES);
    const [first, second, third] = [instances.apiOf(0), instances.apiOf(1), instances.apiOf(2)];
    const course = await first.create('/courses', uploadForm(await scormPackage()));
    const account = await second.create('/accounts', { name: 'Acme' });
    const given = await third.post(`/accounts/${account.id}/content`, {
      contents: [{ type: 'COURSE', id: course.id }],
    });
    assert.equal(given.status, 200, JSON.stringify(given.body));
    const registration = await first.create('/registrations', {
      account_id: account.id,
      course_id: course.id,
      learner_id: 'learner',
    });
    const launched = await second.post(`/registrations/${registration.registration_id}/launch`);
    const link = new URL(launched.body.launch_url);
    for (let n = 0; n < INSTANCES; n++) {
      const page = await fetch(instances.urlOf(n) + link.pathname + link.search);
      assert.equal(page.status, 200, `instance ${n}`);
      await page.body?.cancel();
    }
  });

  test('deliver at once what any of them publishes, without waiting for the next poll', {
    timeout: TEST_TIMEOUT_MS,
  }, async (t) => {
    await using target = await startTarget();
    // Polling alone would take longer than this test waits.
    await using instances = await Instances.start(t, 2, { queue_polling_interval: 600 });
    await instances.apiOf(0).create('/webhooks', { name: 'w', topic: 'ACCOUNT', target_url: target.url });
    for (let n = 1; n <= 5; n++) {
      await instances.apiOf(n % 2).create('/accounts', { name: `a${n}` });
      await target.waitFor(n);
    }
  });

  test('one that is frozen for longer than its lease resumes without damage', {
    timeout: TEST_TIMEOUT_MS,
  }, async (t) => {
    await using target = await startTarget();
    await using instances = await Instances.start(t, 2, {
      delivery_timeout: 60,
      queue_polling_interval: 0.5,
    });
    const api = instances.apiOf(1);
    // Who takes the first message up is made sure of: the other is stopped meanwhile.
    const stopped = instances.processOf(1).pid;
    const { id } = await api.create('/webhooks', { name: 'w', topic: 'ACCOUNT', target_url: target.url });
    const { promise: held, resolve: hold } = Promise.withResolvers<Parameters<Behaviour>[0]>();
    target.respondWith(hold);
    process.kill(stopped, 'SIGSTOP');
    await instances.apiOf(0).create('/accounts', { name: 'first' });
    const first = await held;
    target.respondWith(answer(200));
    process.kill(instances.processOf(0).pid, 'SIGSTOP');
    process.kill(stopped, 'SIGCONT');
    await instances.endLeases();
    await api.create('/accounts', { name: 'second' });
    await target.waitFor(3);
    process.kill(instances.processOf(0).pid, 'SIGCONT');
    // What the first one learns now is of a message that others have settled.
    answer(500)(first);
    await instances.apiOf(0).create('/accounts', { name: 'third' });
    await target.waitFor(4);
    await until(async () => (await api.get(`/webhooks/${id}/line`)).body.state === 'EMPTY', 'all is settled');
    const names = target.requests.map(({ text }) => JSON.parse(text).resource.account.name);
    assert.deepEqual(names, ['first', 'first', 'second', 'third']);
    const { body: statistics } = await api.get(`/webhooks/${id}/statistics`);
    assert.deepEqual([statistics.success_count, statistics.error_count], [3, 0]);
  });

  test('go on while the migration of a later release is in place that takes nothing away', {
    timeout: TEST_TIMEOUT_MS,
  }, async (t) => {
    await using target = await startTarget();
    await using instances = await Instances.start(t, 2);
    const change = async (n: number) => {
      for (const instance of [0, 1]) await instances.apiOf(instance).create('/accounts', { name: `a${n}` });
    };
    const { id } = await instances
      .apiOf(0)
      .create('/webhooks', { name: 'w', topic: 'ACCOUNT', target_url: target.url });
    await change(1);
    await target.waitFor(2);
    await instances.runSql('alter table webhooks add column later text');
    await instances.runSql('alter table accounts add column later bigint not null default 7');
    await instances.runSql('alter table deliveries add column later text');
    await instances.runSql(
      "insert into migrations (number, name, breaking, applied_at) values (9999, 'later', 0, 0)",
    );
    for (let n = 2; n <= 4; n++) await change(n);
    await target.waitFor(8);
    assert.equal((await instances.apiOf(1).get(`/webhooks/${id}`)).status, 200);
    await instances.kill(0);
    await instances.startAgain(0);
    await change(5);
    await target.waitFor(10);
  });
});
