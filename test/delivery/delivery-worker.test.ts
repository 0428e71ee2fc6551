import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/time/units.ts';
import { makeDelivery, type TestDelivery } from '../support/delivery.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer, hang, type TargetExchange } from '../support/target-behaviours.ts';
import { messageIdsOf } from './webhook-helpers.ts';

async function untilEmpty({ queue }: TestDelivery): Promise<void> {
  await until(async () => (await queue.lines.totals()).waiting === 0, 'all messages are settled');
}

/** Messages of one webhook, the first of which is in flight: the target answers once it is released. */
async function firstInFlight(...messages: string[]) {
  await using stack = new AsyncDisposableStack();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const target = stack.use(
    await startTarget({ respondWith: ({ response }) => void released.then(() => response.end()) }),
  );
  const delivery = stack.use(await makeDelivery());
  const webhook = await delivery.addWebhook(target.url);
  await delivery.put(webhook, ...messages);
  delivery.worker.start();
  await target.waitFor(1);
  const opened = stack.move();
  return { target, delivery, webhook, release, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

describe('a webhook that is resumed', () => {
  it('gets its message even if that was received during the pause and is not yet back in the queue', async () => {
    await using target = await startTarget();
    await using delivery = await makeDelivery();
    const { database, queue, reads } = delivery;
    const webhook = await delivery.addWebhook(target.url, { paused: true });
    await delivery.put(webhook, 'held');
    const outcomes: string[] = [];
    reads.done = async ([row]) => {
      if (outcomes.length > 0 || row?.paused_at == null) return;
      await database.transaction(async (tx) => {
        await queue.lines.lockLines(tx, [webhook]);
        await tx.run('update webhooks set paused_at = null, revision = revision + 1 where id = ?', webhook);
        outcomes.push((await queue.lines.actOnHead(tx, webhook, 'retry')).outcome);
      });
    };
    delivery.worker.start();
    await target.waitFor(1);
    assert.deepEqual(outcomes, ['in-flight']);
    assert.deepEqual(messageIdsOf(target.requests), ['held']);
    assert.equal(target.requests.length, 1);
  });
});

describe('a webhook that is changed after its head was received and before the head is discarded', () => {
  for (const { what, before, change } of [
    { what: 'is activated', before: { enabled: false }, change: () => 'enabled = 1' },
    {
      what: 'gets no ignore_before_dt any more',
      before: { ignoreBefore: Date.now() + 60 * MINUTE_MS },
      change: () => 'ignore_before = null',
    },
    {
      what: 'gets an earlier ignore_before_dt that still ignores the head',
      before: { ignoreBefore: Date.now() + 60 * MINUTE_MS },
      change: () => `ignore_before = ${Date.now()}`,
    },
  ])
    it(`gets the messages that were queued after it ${what}`, async () => {
      await using target = await startTarget();
      await using delivery = await makeDelivery();
      const { database, queue, reads } = delivery;
      const webhook = await delivery.addWebhook(target.url, before);
      await delivery.put(webhook, 'head');
      const passTime = async () => {
        const start = Date.now();
        await until(() => Date.now() > start, 'time passes');
      };
      let isChanged = false;
      reads.done = async ([row]) => {
        if (isChanged || row?.revision === undefined || row.target_url === undefined) return;
        isChanged = true;
        await passTime();
        await database.transaction(async (tx) => {
          await queue.lines.lockLines(tx, [webhook]);
          await tx.run(`update webhooks set ${change()}, revision = revision + 1 where id = ?`, webhook);
        });
        await delivery.put(webhook, 'new');
        // Messages that are discarded with the head were queued before the head was settled.
        await passTime();
      };
      delivery.worker.start();
      await until(() => queue.settled.includes('head'), 'the head is settled');
      await untilEmpty(delivery);
      assert.deepEqual(messageIdsOf(target.requests), ['new']);
      assert.equal(delivery.counted.discarded, 1, 'the head');
    });
});

describe('an instance that stops', { skip: !ON_POSTGRES && 'one process has SQLite for itself' }, () => {
  it('lets another one continue its lines at once', async () => {
    await using test = await firstInFlight('in flight', 'behind it');
    const { target, delivery, release } = test;
    await using other = await makeDelivery({ beside: delivery, pollIntervalMs: 60 * MINUTE_MS });
    other.worker.start();
    // The second poll follows once it receives signals.
    await until(() => other.queue.polls > 1, 'the other one knows when the lease ends');
    const stopped = delivery.worker[Symbol.asyncDispose]();
    release();
    await stopped;
    await until(() => other.counted.attempts.length === 1, 'the other one has sent the next message');
    assert.deepEqual(messageIdsOf(target.requests), ['in flight', 'behind it']);
  });

  it('lets another one send at once what it has aborted', async () => {
    await using target = await startTarget({ respondWith: hang() });
    await using delivery = await makeDelivery({ shutdownTimeoutMs: 1 });
    await delivery.put(await delivery.addWebhook(target.url), 'aborted');
    delivery.worker.start();
    await target.waitFor(1);
    await using other = await makeDelivery({ beside: delivery, pollIntervalMs: 60 * MINUTE_MS });
    other.worker.start();
    // The second poll follows once it receives signals.
    await until(() => other.queue.polls > 1, 'the other one knows when the lease ends');
    target.respondWith(answer(200));
    await delivery.worker[Symbol.asyncDispose]();
    await until(() => other.counted.attempts.length === 1, 'the other one has sent it');
    assert.deepEqual(messageIdsOf(target.requests), ['aborted', 'aborted']);
  });

  it('lets another one look at once for what waits, even if it has nothing to settle', async () => {
    const { promise: held, resolve: hold } = Promise.withResolvers<TargetExchange>();
    await using target = await startTarget({ respondWith: hold });
    await using delivery = await makeDelivery({ retryInitialMs: HOUR_MS, retryMaxMs: HOUR_MS });
    const webhook = await delivery.addWebhook(target.url);
    await delivery.put(webhook, 'failed');
    delivery.worker.start();
    const request = await held;
    await using other = await makeDelivery({ beside: delivery, pollIntervalMs: HOUR_MS });
    other.worker.start();
    await until(() => other.queue.polls > 1, 'the other one knows when the lease ends');
    answer(500)(request);
    const isWaiting = async () => (await delivery.queue.lines.line(webhook)).head?.inFlight === false;
    await until(isWaiting, 'the failed message waits for another attempt');
    const { polls } = other.queue;
    await delivery.worker[Symbol.asyncDispose]();
    await until(() => other.queue.polls > polls, 'the other one has looked when it is due');
  });
});

describe('an instance that is frozen after it has received a message', () => {
  /** A worker that is frozen for this long once it has read the webhook. */
  async function frozenFor(ms: number) {
    await using stack = new AsyncDisposableStack();
    const target = stack.use(await startTarget());
    let frozenMs = 0;
    const elapsed = () => performance.now() + frozenMs;
    const delivery = stack.use(await makeDelivery({ elapsed }));
    const webhook = await delivery.addWebhook(target.url, { maxAttempts: 1 });
    await delivery.put(webhook, 'm1', 'm2', 'm3');
    const onFreeze = (meanwhile: () => Promise<void>) => {
      delivery.reads.done = async () => {
        if (frozenMs > 0) return;
        frozenMs = ms;
        await meanwhile();
      };
    };
    const opened = stack.move();
    return { target, delivery, onFreeze, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }

  it('does not send it if another instance has sent it and later messages', async () => {
    await using test = await frozenFor(10 * MINUTE_MS);
    const { target, delivery } = test;
    const { database, queue, worker } = delivery;
    const now = () => Date.now() + 10 * MINUTE_MS;
    const other = new DatabaseQueue({ database, maxReceives: 1_000, now });
    const sentByOther: string[] = [];
    test.onFreeze(async () => {
      for (let n = 1; n <= 3; n++)
        await database.transaction(async (tx) => {
          const { received } = await other.receive(tx, { capacity: 1, visibilityMs: MINUTE_MS });
          sentByOther.push(...received.map(({ messageId }) => messageId));
          await other.settle(
            tx,
            received.map((message) => ({ message, action: 'delete' })),
          );
        });
    });
    worker.start();
    await until(() => queue.settled.includes('m1'), 'the message is put back');
    await untilEmpty(delivery);
    await worker[Symbol.asyncDispose]();
    assert.deepEqual(sentByOther, ['m1', 'm2', 'm3']);
    assert.deepEqual(messageIdsOf(target.requests), []);
  });

  it('receives it again if no other instance has, and counts one attempt', async () => {
    await using test = await frozenFor(MINUTE_MS);
    const { target, delivery } = test;
    test.onFreeze(async () => {});
    delivery.worker.start();
    await target.waitFor(3);
    await untilEmpty(delivery);
    assert.deepEqual(messageIdsOf(target.requests), ['m1', 'm2', 'm3']);
    assert.deepEqual(delivery.queue.settled, ['m1', 'm1', 'm2', 'm3']);
    assert.deepEqual(delivery.counted.attempts, ['success', 'success', 'success']);
    assert.equal(delivery.logged.filter((line) => line.includes('released unsent messages')).length, 1);
  });
});

describe('the polls with the queue', () => {
  it('are one for each delivery to one webhook, even after a response arrived during an empty one', async () => {
    const messages = Array.from({ length: 20 }, (_, n) => `message ${n}`);
    await using test = await firstInFlight(...messages);
    const { target, delivery, webhook, release } = test;
    const { queue, worker } = delivery;
    const begun = queue.polls;
    queue.beforeEmptyPoll = async () => {
      release();
      await until(() => worker.inFlight === 0, 'the response to the request in flight has arrived');
    };
    await delivery.put(webhook, 'wakes the worker');
    await target.waitFor(messages.length + 1);
    await untilEmpty(delivery);
    const polls = queue.polls - begun;
    assert.ok(polls < messages.length + 5, `${polls} polls for ${messages.length + 1} deliveries`);
  });
});

describe('a stop of delivery', () => {
  it('lets requests in flight finish and settles them', async () => {
    await using test = await firstInFlight('in flight', 'not begun');
    const { target, delivery, webhook, release } = test;
    const stopped = delivery.worker[Symbol.asyncDispose]();
    release();
    await stopped;
    assert.deepEqual(delivery.counted.attempts, ['success']);
    const line = await delivery.queue.lines.line(webhook);
    assert.deepEqual([line.depth, line.head?.messageId], [1, 'not begun']);
    assert.equal(target.requests.length, 1);
  });

  it('aborts hanging requests at the timeout: their messages wait as if they had not been tried', async () => {
    await using target = await startTarget({ respondWith: hang() });
    await using delivery = await makeDelivery({ shutdownTimeoutMs: 50 });
    const webhook = await delivery.addWebhook(target.url, { maxAttempts: 1 });
    await delivery.put(webhook, 'hanging');
    delivery.worker.start();
    await target.waitFor(1);
    await delivery.worker[Symbol.asyncDispose]();
    assert.deepEqual(delivery.counted.attempts, []);
    const { head } = await delivery.queue.lines.line(webhook);
    assert.deepEqual([head?.messageId, head?.inFlight, head?.receiveCount], ['hanging', false, 0]);
    assert.deepEqual(await delivery.database.reader.all('select * from deliveries'), []);
  });

  it('receives nothing from the queue, however many messages are due', async () => {
    await using target = await startTarget({ respondWith: hang() });
    await using delivery = await makeDelivery({ shutdownTimeoutMs: 300 });
    const [hanging, waiting] = [await delivery.addWebhook(target.url), await delivery.addWebhook(target.url)];
    await delivery.put(hanging, 'hanging');
    delivery.worker.start();
    await target.waitFor(1);
    const before = delivery.queue.polls;
    const stopped = delivery.worker[Symbol.asyncDispose]();
    await delivery.put(waiting, 'due');
    await stopped;
    const polls = delivery.queue.polls - before;
    assert.ok(polls < 20, `${polls} polls`);
    assert.equal(target.requests.length, 1);
  });

  it('does not wait for the end of a pause', async () => {
    await using delivery = await makeDelivery();
    delivery.queue.failing = true;
    delivery.worker.start();
    await until(() => delivery.queue.failures >= 4, 'the pauses have become long');
    const begun = performance.now();
    await delivery.worker[Symbol.asyncDispose]();
    assert.ok(performance.now() - begun < 3_500, 'the fourth pause is one of four seconds');
  });
});

describe('delivery while the queue fails', () => {
  it('pauses, then resumes, and does not repeat what was delivered in the meantime', async () => {
    await using test = await firstInFlight('first', 'second');
    const { target, delivery, release } = test;
    delivery.queue.failing = true;
    release();
    await until(() => delivery.queue.failures >= 2, 'settling fails');
    delivery.queue.failing = false;
    await untilEmpty(delivery);
    assert.deepEqual(messageIdsOf(target.requests), ['first', 'second']);
    assert.equal(delivery.counted.queueFailures, delivery.queue.failures);
    const [statistics] = await delivery.database.reader.all<{ success_count: number }>(
      'select success_count from webhook_statistics',
    );
    assert.equal(statistics?.success_count, 2);
  });

  it('settles a message once, even if the webhook of the next one cannot be read', async () => {
    await using test = await firstInFlight('first', 'second');
    const { target, delivery, release } = test;
    delivery.reads.failing = true;
    release();
    await until(() => delivery.reads.failures >= 2, 'reading webhooks fails');
    delivery.reads.failing = false;
    await untilEmpty(delivery);
    assert.deepEqual(messageIdsOf(target.requests), ['first', 'second']);
    assert.equal(delivery.queue.settled.filter((id) => id === 'first').length, 1);
  });

  it('sends a message at once, as its first attempt, whose receive was committed although the response was lost', async () => {
    await using target = await startTarget();
    await using delivery = await makeDelivery();
    const { database } = delivery;
    let isLost = false;
    const losing = async <T>(response: Promise<T>): Promise<T> => {
      const given = await response;
      const leased = await database.reader.all('select 1 from queue_lines where lease_token is not null');
      if (isLost || leased.length === 0) return given;
      isLost = true;
      throw new Error('the connection was lost during the commit');
    };
    const [transaction, runAlone] = [database.transaction.bind(database), database.runAlone.bind(database)];
    database.transaction = (work, options) => losing(transaction(work, options));
    database.runAlone = (sql, ...params) => losing(runAlone(sql, ...params));
    await delivery.put(await delivery.addWebhook(target.url), 'message');
    delivery.worker.start();
    await target.waitFor(1);
    await untilEmpty(delivery);
    assert.equal(isLost, true);
    assert.deepEqual(messageIdsOf(target.requests), ['message']);
    const rows = await database.reader.all<{ attempts: number }>('select attempts from deliveries');
    assert.deepEqual(
      rows.map(({ attempts }) => attempts),
      [1],
    );
  });

  it('does not count an attempt if the webhook of a message cannot be read', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using delivery = await makeDelivery();
    const webhook = await delivery.addWebhook(target.url, { maxAttempts: 2 });
    delivery.reads.failing = true;
    delivery.worker.start();
    await delivery.put(webhook, 'message');
    await until(() => delivery.reads.failures >= 2, 'reading webhooks fails');
    assert.equal(target.requests.length, 0);
    delivery.reads.failing = false;
    await untilEmpty(delivery);
    assert.equal(target.requests.length, 2);
    assert.deepEqual(delivery.counted.attempts, ['retry', 'dead_letter']);
  });
});

describe('discarded messages in the metrics', () => {
  it('are counted one by one, including those discarded in bulk', async () => {
    await using target = await startTarget();
    await using delivery = await makeDelivery();
    const webhook = await delivery.addWebhook(target.url, { enabled: false });
    await delivery.put(webhook, 'a', 'b', 'c');
    // Followers that were queued before their head was checked are discarded with it.
    const queuedAt = Date.now();
    await until(() => Date.now() > queuedAt, 'time passes');
    delivery.worker.start();
    await until(() => delivery.counted.discarded === 3, 'all three are counted');
    assert.equal((await delivery.queue.lines.line(webhook)).depth, 0);
    assert.equal(target.requests.length, 0);
  });
});
