import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Cleaner } from '../../src/housekeeping/cleaner.ts';
import { DAY_MS } from '../../src/time/units.ts';
import { markDeleted } from '../../src/webhooks/configuration/webhook-store.ts';
import { deleteDeadLetteredHistoryBefore } from '../../src/webhooks/history/delivery-store.ts';
import { historyCleaner } from '../support/cleaner.ts';
import { countRows, openTestDatabase } from '../support/database.ts';
import { makeDelivery, type TestDelivery } from '../support/delivery.ts';
import { until } from '../support/service.ts';
import { settleAndReceive } from '../support/settle-and-receive.ts';
import { startTarget } from '../support/target.ts';
import { answer, when } from '../support/target-behaviours.ts';

const HISTORY_DAYS = 30;
const DEAD_LETTER_DAYS = 90;

/** A cleaner whose clock is this many days ahead. */
function cleanerIn(days: number, { database, queue }: TestDelivery): Cleaner {
  return historyCleaner(database, {
    lines: queue.lines,
    historyDays: HISTORY_DAYS,
    deadLetterDays: DEAD_LETTER_DAYS,
    now: () => Date.now() + days * DAY_MS,
  });
}

async function clean(days: number, delivery: TestDelivery): Promise<number> {
  await using cleaner = cleanerIn(days, delivery);
  return await cleaner.cleanOnce();
}

async function kept({ database }: TestDelivery): Promise<{ message_id: string; status: string }[]> {
  const rows = await database.reader.all<{ message_id: string; status: string }>(
    'select message_id, status from deliveries order by id',
  );
  return rows.map((row) => ({ ...row }));
}

async function untilStatuses(delivery: TestDelivery, ...statuses: string[]): Promise<void> {
  await until(async () => {
    const rows = await kept(delivery);
    return rows.map((each) => each.status).join() === statuses.join();
  }, `deliveries are ${statuses.join()}`);
}

const isDead = when((postback) => postback.text.includes('dead'), answer(500));

describe('cleaning the history', () => {
  it('removes delivered and discarded messages, and dead letters, with their attempts, each after the set days', async () => {
    await using target = await startTarget({ respondWith: isDead });
    await using delivery = await makeDelivery();
    const webhook = await delivery.addWebhook(target.url, { maxAttempts: 3 });
    const inactive = await delivery.addWebhook(target.url, { enabled: false });
    await delivery.put(webhook, 'delivered', 'dead');
    delivery.worker.start();
    await untilStatuses(delivery, 'DELIVERED', 'DEAD_LETTERED');
    await delivery.put(inactive, 'discarded');
    await untilStatuses(delivery, 'DELIVERED', 'DEAD_LETTERED', 'DISCARDED');
    assert.equal(await countRows(delivery.database, 'delivery_attempts'), 2, 'those before the latest');

    assert.equal(await clean(HISTORY_DAYS - 1, delivery), 0);
    assert.equal(await clean(HISTORY_DAYS + 1, delivery), 2);
    assert.deepEqual(await kept(delivery), [{ message_id: 'dead', status: 'DEAD_LETTERED' }]);
    assert.equal(await clean(DEAD_LETTER_DAYS - 1, delivery), 0);
    assert.equal((await delivery.queue.lines.totals()).deadLetters, 1);
    assert.equal(await clean(DEAD_LETTER_DAYS + 1, delivery), 2, 'the history of it and the dead letter');
    assert.deepEqual(await kept(delivery), []);
    assert.equal((await delivery.queue.lines.totals()).deadLetters, 0);
    assert.equal(await countRows(delivery.database, 'delivery_attempts'), 0);
    assert.equal(await countRows(delivery.database, 'webhooks'), 2);
    assert.equal(await countRows(delivery.database, 'webhook_statistics'), 2, 'statistics are no history');
  });

  it('keeps waiting messages, however old they are', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using delivery = await makeDelivery();
    const webhook = await delivery.addWebhook(target.url, { maxAttempts: 1_000 });
    await delivery.put(webhook, 'retried', 'behind');
    delivery.worker.start();
    await untilStatuses(delivery, 'RETRYING');
    await target.waitFor(3);
    await delivery.worker[Symbol.asyncDispose]();
    assert.equal(await clean(10_000, delivery), 0);
    assert.deepEqual(await kept(delivery), [{ message_id: 'retried', status: 'RETRYING' }]);
    assert.ok((await countRows(delivery.database, 'delivery_attempts')) > 0);
    assert.equal((await delivery.queue.lines.line(webhook)).depth, 2);
  });

  it('continues in steps until nothing is left', async () => {
    await using target = await startTarget();
    await using delivery = await makeDelivery();
    const webhook = await delivery.addWebhook(target.url, { enabled: false });
    const messages = 1_201;
    await delivery.put(webhook, ...Array.from({ length: messages }, (_, index) => `m-${index}`));
    const queuedAt = Date.now();
    await until(() => Date.now() > queuedAt, 'followers were queued before their head is looked at');
    delivery.worker.start();
    await until(async () => (await delivery.queue.lines.totals()).waiting === 0, 'all are discarded');
    assert.equal(await countRows(delivery.database, 'deliveries'), messages);
    assert.equal(await clean(HISTORY_DAYS + 1, delivery), messages);
    assert.equal(await countRows(delivery.database, 'deliveries'), 0);
  });

  it('removes few messages at a time if they had many attempts, and all of them in a round', async () => {
    await using test = await openTestDatabase();
    const { database } = test;
    const attempts = [1, 1_000, 900, 1_000, 5_000, 1, 1];
    await database.transaction(async (tx) => {
      await tx.insertMany(
        'deliveries',
        [
          'id',
          'webhook_id',
          'message_id',
          'subtopic',
          'status',
          'body',
          'enqueued_at',
          'updated_at',
          'attempts',
        ],
        attempts.map((count, place) => [
          place + 1,
          1,
          `m-${place}`,
          'ACCOUNT_CREATED',
          'DEAD_LETTERED',
          '{}',
          place,
          place,
          count,
        ]),
      );
      await tx.insertMany(
        'delivery_attempts',
        ['delivery_id', 'attempt', 'attempted_at', 'duration_ms', 'resent'],
        attempts.flatMap((_, place) => [1, 2].map((attempt) => [place + 1, attempt, 1, 1, 0])),
      );
    });
    const remove = (limit: number) =>
      database.transaction((tx) => deleteDeadLetteredHistoryBefore(tx, 100, limit));
    assert.deepEqual(await remove(500), { rows: 3, mayBeMore: true });
    assert.deepEqual(
      await database.reader.all('select delivery_id from delivery_attempts where attempt = 1 order by 1'),
      [4, 5, 6, 7].map((delivery_id) => ({ delivery_id })),
    );
    assert.deepEqual(await remove(1), { rows: 1, mayBeMore: true });
    assert.deepEqual(await remove(500), { rows: 1, mayBeMore: true }, 'at least one');
    await using cleaner = historyCleaner(database);
    assert.equal(await cleaner.cleanOnce(), 2);
    assert.deepEqual(await remove(500), { rows: 0, mayBeMore: false });
  });

  it('forgets a deleted webhook once its history is gone, and not while a message of it waits', async () => {
    await using target = await startTarget();
    await using delivery = await makeDelivery();
    const webhook = await delivery.addWebhook(target.url);
    await delivery.put(webhook, 'delivered');
    delivery.worker.start();
    await untilStatuses(delivery, 'DELIVERED');
    await delivery.worker[Symbol.asyncDispose]();
    await delivery.put(webhook, 'waits');
    const idle = await delivery.addWebhook(target.url);
    for (const deleted of [webhook, idle])
      await delivery.database.transaction((tx) => markDeleted(tx, deleted, Date.now()));

    assert.equal(await clean(HISTORY_DAYS - 1, delivery), 0);
    assert.equal(await clean(HISTORY_DAYS + 1, delivery), 2, 'its history goes, and the other one');
    const left = await delivery.database.reader.all<{ id: number }>('select id from webhooks');
    assert.deepEqual(
      left.map(({ id }) => id),
      [webhook],
      'it waits for its message',
    );
    assert.equal((await delivery.queue.lines.line(webhook)).depth, 1);

    const { received } = await settleAndReceive(delivery, { capacity: 1 });
    const settlements = received.map((message) => ({ message, action: 'delete' as const }));
    await settleAndReceive(delivery, { settlements });
    assert.equal(await clean(HISTORY_DAYS + 1, delivery), 1);
    for (const table of ['webhooks', 'webhook_statistics', 'webhook_subtopics', 'queue_lines'])
      assert.equal(await countRows(delivery.database, table), 0, table);
  });

  it('ends immediately when it is stopped, even between rounds', async () => {
    await using delivery = await makeDelivery();
    const cleaner = cleanerIn(HISTORY_DAYS + 1, delivery);
    cleaner.start();
    const begun = performance.now();
    await cleaner[Symbol.asyncDispose]();
    assert.ok(performance.now() - begun < 30_000, 'the next round is in a minute');
  });
});
