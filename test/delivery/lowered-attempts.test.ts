import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchWaits } from '../../src/delivery/wait-watch.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/time/units.ts';
import { openDatabaseQueue } from '../queue/database-engine.ts';
import { QueueUser } from '../queue/queue-engine.ts';
import { createTestQueues, settingsOf, startSqsServer } from '../queue/sqs-server.ts';
import { RunningClock } from '../support/clock.ts';
import { openDatabaseOf } from '../support/database.ts';
import { borrowTestService } from '../support/lent-service.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { type Api, startTestService, temporaryFolder, until } from '../support/service.ts';
import { openSharedInstallation } from '../support/shared-installation.ts';
import { startTarget } from '../support/target.ts';
import { answer, when } from '../support/target-behaviours.ts';
import {
  accountsOf,
  createAccounts,
  createWebhook,
  deliveriesOf,
  inFlight,
  LONG_RETRIES,
  lineOf,
  listDeliveries,
  retryHead,
  settledDeliveries,
  statisticsOf,
  untilFailed,
  updateWebhook,
} from './webhook-helpers.ts';

/** Less than the lifetime of an access token. */
const FAST_MS = 10 * MINUTE_MS;
const FAILS_FOR_A = when((postback) => accountsOf([postback])[0] === 'a', answer(500));

/** Makes the head of a line fail until it has had this many attempts. */
async function failUntil(api: Api, id: number, attempts: number): Promise<void> {
  await until(async () => (await lineOf(api, id)).head?.attempts > 0, 'the head was sent');
  for (let made = (await lineOf(api, id)).head.attempts; made < attempts; made += 1) {
    await untilFailed(api, id, made);
    await retryHead(api, id);
  }
  await untilFailed(api, id, attempts);
}

async function outcomesOf(api: Api, id: number, count: number) {
  const deliveries = await settledDeliveries(api, id, count);
  return deliveries.map(({ status, status_reason, attempts }) => [status, status_reason, attempts]);
}

/** The outcomes of messages `a` and `b` after this many failures of `a`. */
const onlyAIsDead = (attempts: number) => [
  ['DEAD_LETTERED', 'ATTEMPTS_EXHAUSTED', attempts],
  ['DELIVERED', null, 1],
];

describe('max_attempts that is lowered below the attempts of the head', () => {
  it('moves it to the dead-letter queue at once, without another attempt, and the next message is sent', async () => {
    await using target = await startTarget({ respondWith: FAILS_FOR_A });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api, logLines } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a', 'b');
    await failUntil(api, id, 3);
    const [before] = await deliveriesOf(api, id);
    const statistics = await statisticsOf(api, id);
    await updateWebhook(api, id, target.url, { max_attempts: 2 });
    assert.deepEqual(await outcomesOf(api, id, 2), onlyAIsDead(3));
    assert.deepEqual(accountsOf(target.requests), ['a', 'a', 'a', 'b']);

    const [dead] = await deliveriesOf(api, id);
    assert.ok(Date.parse(dead!.updated_dt) >= Date.parse(before!.updated_dt));
    const { status: _, status_reason: __, updated_dt: ___, ...lastAttempt } = dead!;
    const { status, status_reason, updated_dt, ...lastAttemptBefore } = before!;
    assert.deepEqual(lastAttempt, lastAttemptBefore, 'the history has no attempt that was not made');
    const { error_count, last_error_dt } = await statisticsOf(api, id);
    assert.deepEqual([error_count, last_error_dt], [statistics.error_count, statistics.last_error_dt]);
    const line = logLines.find((each) => each.message_id === dead!.message_id && each.reason !== undefined);
    assert.match(line!.msg, /moved to the dead-letter queue: all attempts failed$/);
    assert.deepEqual(line!.message, dead!.message, 'FULLONERROR logs the message');
  });

  it('dead-letters a head that is in flight when its request fails', async () => {
    await using test = await inFlight();
    await updateWebhook(test.api, test.id, test.target.url, { max_attempts: 1 });
    test.target.respondWith(answer(200));
    test.fail();
    assert.deepEqual(await outcomesOf(test.api, test.id, 2), onlyAIsDead(1));
    assert.deepEqual(accountsOf(test.target.requests), ['a', 'b']);
  });

  it('leaves the head of a paused webhook in place until it is resumed', async () => {
    await using target = await startTarget({ respondWith: FAILS_FOR_A });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a', 'b');
    await failUntil(api, id, 2);
    await updateWebhook(api, id, target.url, { max_attempts: 1, paused: true });
    const { state, depth, head } = await lineOf(api, id);
    assert.deepEqual([state, depth, head.attempts, head.max_attempts], ['PAUSED', 2, 2, 1]);
    await updateWebhook(api, id, target.url, { max_attempts: 1 });
    assert.deepEqual(await outcomesOf(api, id, 2), onlyAIsDead(2));
    assert.deepEqual(accountsOf(target.requests), ['a', 'a', 'b']);
  });

  it('discards the head of a webhook that is deactivated by the same call', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a');
    await failUntil(api, id, 2);
    await updateWebhook(api, id, target.url, { max_attempts: 1, enabled: false });
    assert.deepEqual(await outcomesOf(api, id, 1), [['DISCARDED', 'WEBHOOK_INACTIVE', 2]]);
  });

  for (const [when, fastMs] of [
    ['', 0],
    [', also if the clock was fast before', FAST_MS],
  ] as const)
    it(`counts the attempts of a redelivered message since its redelivery${when}`, async () => {
      const clock = new RunningClock();
      clock.aheadMs = fastMs;
      await using target = await startTarget({ respondWith: answer(500) });
      await using service = await startTestService({
        now: clock.now,
        settings: LONG_RETRIES,
      });
      const { api } = service;
      const id = await createWebhook(api, target.url, { max_attempts: 1 });
      await createAccounts(api, 'a');
      const [dead] = await settledDeliveries(api, id, 1);
      clock.aheadMs = 0;
      await updateWebhook(api, id, target.url, { max_attempts: 5 });
      await api.post(`/webhooks/${id}/deliveries/${dead!.id}/redeliver`);
      await failUntil(api, id, 2);
      const { head } = await lineOf(api, id);
      await updateWebhook(api, id, target.url, { max_attempts: 3 });
      assert.equal((await lineOf(api, id)).head.next_attempt_dt, head.next_attempt_dt, 'it has one more');
      await updateWebhook(api, id, target.url, { max_attempts: 2 });
      assert.deepEqual(await outcomesOf(api, id, 1), [['DEAD_LETTERED', 'ATTEMPTS_EXHAUSTED', 3]]);
      assert.equal(target.requests.length, 3);
    });

  it('does not dead-letter a message whose attempts were lost: it is sent once more', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget({ respondWith: answer(500) });
    const dataDir = folder.path;
    let id: number;
    {
      await using service = await startTestService({ dataDir, settings: { enable_queue_polling: false } });
      id = await createWebhook(service.api, target.url, { max_attempts: 2 });
      await createAccounts(service.api, 'a');
    }
    {
      await using database = await openDatabaseOf(dataDir);
      const receives = 'update queue_lines set receive_count = 5 where line_id = ?';
      await database.transaction((tx) => tx.run(receives, id));
    }
    await using service = await startTestService({ dataDir, settings: LONG_RETRIES });
    assert.deepEqual(await outcomesOf(service.api, id, 1), [['DEAD_LETTERED', 'ATTEMPTS_EXHAUSTED', 1]]);
    assert.equal(target.requests.length, 1);
  });

  it('does not dead-letter a redelivered message whose last attempt was lost, although it failed before', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget({ respondWith: answer(500) });
    const dataDir = folder.path;
    let id: number;
    {
      await using service = await startTestService({ dataDir, settings: LONG_RETRIES });
      const { api } = service;
      id = await createWebhook(api, target.url, { max_attempts: 1 });
      await createAccounts(api, 'a');
      const [dead] = await settledDeliveries(api, id, 1);
      await updateWebhook(api, id, target.url, { max_attempts: 2 });
      await api.post(`/webhooks/${id}/deliveries/${dead!.id}/redeliver`);
      await failUntil(api, id, 1);
    }
    {
      await using database = await openDatabaseOf(dataDir);
      // As if the service had been killed during the second attempt.
      const received = 'update queue_lines set receive_count = 2, available_at = 0 where line_id = ?';
      await database.transaction((tx) => tx.run(received, id));
    }
    await using service = await startTestService({ dataDir, settings: LONG_RETRIES });
    assert.deepEqual(await outcomesOf(service.api, id, 1), [['DEAD_LETTERED', 'ATTEMPTS_EXHAUSTED', 3]]);
    assert.equal(target.requests.length, 3);
  });

  it('takes effect on the instance that delivers, whichever instance was called', {
    skip: ON_POSTGRES ? false : 'the embedded database has one instance',
  }, async () => {
    await using target = await startTarget({ respondWith: FAILS_FOR_A });
    await using shared = await openSharedInstallation();
    await using one = await startTestService(shared.instance({ ...LONG_RETRIES }));
    await using other = await startTestService(shared.instance({ enable_queue_polling: false }));
    const id = await createWebhook(other.api, target.url);
    await createAccounts(other.api, 'a', 'b');
    await failUntil(one.api, id, 2);
    await updateWebhook(other.api, id, target.url, { max_attempts: 1 });
    assert.deepEqual(await outcomesOf(other.api, id, 2), onlyAIsDead(2));
    assert.deepEqual(accountsOf(target.requests), ['a', 'a', 'b']);
  });

  it('applies on Amazon SQS, too, whose dead-letter queue gets a copy', async () => {
    await using server = await startSqsServer();
    await using queues = await createTestQueues(server);
    await using target = await startTarget({ respondWith: FAILS_FOR_A });
    await using service = await borrowTestService({
      settings: { ...settingsOf(queues.place), ...LONG_RETRIES },
    });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a', 'b');
    await failUntil(api, id, 2);
    await updateWebhook(api, id, target.url, { max_attempts: 1 });
    assert.deepEqual(await outcomesOf(api, id, 2), onlyAIsDead(2));
    assert.deepEqual(accountsOf(target.requests), ['a', 'a', 'b']);
    await until(async () => {
      const { ApproximateNumberOfMessages } = await queues.attributes('dead letters');
      return ApproximateNumberOfMessages === '1';
    }, 'the dead-letter queue has a copy');
  });
});

describe('message_queue_max_receives that is lowered below the attempts of the head', () => {
  it('moves it to the dead-letter queue at the next start, without another attempt', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget({ respondWith: FAILS_FOR_A });
    const dataDir = folder.path;
    let id: number;
    {
      await using service = await startTestService({ dataDir, settings: LONG_RETRIES });
      id = await createWebhook(service.api, target.url);
      await createAccounts(service.api, 'a', 'b');
      await failUntil(service.api, id, 3);
    }
    const settings = { ...LONG_RETRIES, message_queue_max_receives: 3 };
    await using service = await startTestService({ dataDir, settings });
    assert.deepEqual(await outcomesOf(service.api, id, 2), onlyAIsDead(3));
    assert.deepEqual(accountsOf(target.requests), ['a', 'a', 'a', 'b']);
  });

  it('leaves a head that has attempts left waiting', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget({ respondWith: answer(500) });
    const dataDir = folder.path;
    let id: number;
    {
      await using service = await startTestService({ dataDir, settings: LONG_RETRIES });
      id = await createWebhook(service.api, target.url);
      await createAccounts(service.api, 'a');
      await failUntil(service.api, id, 2);
    }
    const settings = { ...LONG_RETRIES, message_queue_max_receives: 3 };
    await using service = await startTestService({ dataDir, settings });
    const other = await createWebhook(service.api, target.url, { max_attempts: 1 });
    await createAccounts(service.api, 'b');
    await settledDeliveries(service.api, other, 1);
    const [delivery] = await listDeliveries(service.api, id);
    assert.deepEqual([delivery?.status, delivery?.attempts], ['RETRYING', 2]);
  });
});

describe('a redrive maximum of Amazon SQS that is lowered while the service runs', () => {
  it('makes heads due that have reached it, once', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(1, 'a');
    const { lines } = engine.queue;
    const queue = { lines, maxReceives: 2 };
    let rounds = 0;
    const shorten = lines.endOverlongWaits.bind(lines);
    lines.endOverlongWaits = async (longest) => {
      rounds += 1;
      return await shorten(longest);
    };
    const logged: object[] = [];
    const log = { warn: () => {}, info: (_text: string, fields?: object) => void logged.push(fields ?? {}) };
    const fail = async () => {
      const message = await user.receiveOne();
      await user.settle({ message, action: 'retry', availableAt: engine.now() + HOUR_MS });
    };
    await fail();
    await using task = watchWaits({ queue, log, everyMs: 1 });
    task.start();
    queue.maxReceives = 1;
    await until(() => logged.length > 0, 'the head is due');
    await fail();
    const begun = rounds;
    await until(() => rounds > begun + 1, 'a round began after the failure and ended');
    assert.deepEqual(await user.receiveNames(), []);
    assert.deepEqual(logged, [{ lines: 1, max_receives: 1 }]);
  });
});
