import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, TransactionOptions } from '../../src/database/database.ts';
import { makeDelivery, type TestDelivery } from '../support/delivery.ts';
import { acceptOutcomes, refuseOutcomes } from '../support/refused-outcomes.ts';
import { until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { succeeds } from '../support/until.ts';
import { messageIdsOf } from './webhook-helpers.ts';

/** As if the time of the leases had passed. */
async function endLeases(database: Database): Promise<void> {
  await database.transaction((tx) =>
    tx.run('update queue_lines set available_at = 1 where lease_token is not null'),
  );
}

async function areSettled({ queue }: TestDelivery): Promise<boolean> {
  const { waiting, inFlight } = await queue.lines.totals();
  return waiting + inFlight === 0;
}

/** Calls `before` before each transaction that stores an outcome alone, or that puts its line back. */
function beforeAlone(database: Database, before: (run: () => Promise<unknown>) => Promise<void>): void {
  const transaction = database.transaction.bind(database);
  database.transaction = async (work, options: TransactionOptions = {}) => {
    if (options.expectsRefusal === true) await before(() => transaction(work, options));
    return await transaction(work, options);
  };
}

async function isRefused(delivery: TestDelivery): Promise<void> {
  const says = () => delivery.logged.some((line) => line.includes('refuses the outcome of a message'));
  await until(says, 'the log says that the outcome is refused');
}

/** More lines than may wait for their outcomes to be stored. */
const MORE_THAN_WAIT = 103;

/** The outcomes cannot be stored, and the leases cannot be returned. */
const RETURNS = 'new.lease_token is null and old.lease_token is not null';

describe('a message whose outcome is known', () => {
  it('is not sent again if its lease ended during an outage, and the outcome fails once more', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using target = await startTarget({
      respondWith: ({ response }) => void released.then(() => response.writeHead(500).end()),
    });
    await using delivery = await makeDelivery();
    const { database, queue, worker, counted } = delivery;
    for (let n = 1; n <= 5; n++)
      await delivery.put(await delivery.addWebhook(target.url, { maxAttempts: 1 }), `message ${n}`);
    worker.start();
    await target.waitFor(5);
    queue.failing = true;
    release();
    await until(() => counted.attempts.length === 5 && counted.queueFailures > 1, 'they cannot be settled');
    await endLeases(database);
    const settle = queue.settle.bind(queue);
    let isFailing = true;
    queue.settle = async (tx, settlements, next) => {
      if (settlements.length === 0 || !isFailing) return await settle(tx, settlements, next);
      isFailing = false;
      throw new Error('the connection was lost');
    };
    queue.failing = false;
    await until(() => areSettled(delivery), 'all are settled');
    assert.equal(target.requests.length, 5);
  });

  it('is not sent again if outcomes are stored for longer than its lease', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: unlocked, resolve: unlock } = Promise.withResolvers<void>();
    await using target = await startTarget({
      respondWith: ({ response }) => void released.then(() => response.end()),
    });
    await using delivery = await makeDelivery();
    const { database, queue, worker } = delivery;
    const names = ['refused 1', 'refused 2', 'healthy'];
    const ids = [];
    for (const name of names) {
      ids.push(await delivery.addWebhook(target.url));
      await delivery.put(ids.at(-1)!, name);
    }
    await refuseOutcomes(database, 'deliveries');
    let begun = 0;
    beforeAlone(database, async () => {
      begun += 1;
      await unlocked;
    });
    worker.start();
    await target.waitFor(3);
    release();
    await until(() => begun > 0, 'an outcome waits for a lock');
    await endLeases(database);
    await delivery.put(ids[2]!, 'next');
    for (let n = 1; n <= 5; n++) await queue.lines.totals();
    unlock();
    await target.waitFor(4);
    await acceptOutcomes(database, 'deliveries');
    await until(() => areSettled(delivery), 'all are settled');
    assert.deepEqual(messageIdsOf(target.requests).sort(), ['healthy', 'next', 'refused 1', 'refused 2']);
  });

  it('is stored again by the same instance after its line could not even be put back', async () => {
    await using target = await startTarget();
    await using others = await startTarget();
    await using delivery = await makeDelivery();
    const { database, worker, counted } = delivery;
    const waiting = await delivery.addWebhook(target.url);
    const healthy = await delivery.addWebhook(others.url);
    await refuseOutcomes(database, 'queue_lines', `new.line_id = ${waiting} and ${RETURNS}`);
    await delivery.put(waiting, 'refused');
    worker.start();
    await isRefused(delivery);
    await delivery.put(healthy, 'healthy');
    await others.waitFor(1);
    assert.ok(!delivery.logged.some((line) => line.includes('delivery pauses')));
    const before = counted.queueFailures;
    await endLeases(database);
    await delivery.put(healthy, 'wakes');
    await until(() => counted.queueFailures > before, 'storing it was tried again');
    await acceptOutcomes(database, 'queue_lines');
    await endLeases(database);
    await delivery.put(healthy, 'wakes again');
    await until(() => areSettled(delivery), 'it is stored');
    assert.deepEqual(messageIdsOf(target.requests), ['refused']);
    const rows = await database.reader.all<{ attempts: number }>(
      "select attempts from deliveries where message_id = 'refused'",
    );
    assert.deepEqual(
      rows.map(({ attempts }) => attempts),
      [1],
    );
  });

  it('is attempted again if the outcome was stored although the response of the commit was lost', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using delivery = await makeDelivery({ retryInitialMs: 300, retryMaxMs: 400 });
    const { database, worker } = delivery;
    await delivery.put(await delivery.addWebhook(target.url, { maxAttempts: 3 }), 'refused');
    await refuseOutcomes(database, 'deliveries');
    let isLost = false;
    beforeAlone(database, async (run) => {
      if (isLost) return;
      isLost = true;
      await acceptOutcomes(database, 'deliveries');
      await run();
      throw new Error('the connection was lost during the commit');
    });
    worker.start();
    await until(() => areSettled(delivery), 'it is a dead letter');
    assert.equal(target.requests.length, 3);
    const [row] = await database.reader.all<{ attempts: number }>('select attempts from deliveries');
    assert.equal(row?.attempts, 3);
  });

  it('is not sent again after an outage of the whole database, however long', async () => {
    let later = 0;
    await using target = await startTarget();
    await using delivery = await makeDelivery({ elapsed: () => performance.now() + later });
    const { database, worker, queue, counted } = delivery;
    await delivery.put(await delivery.addWebhook(target.url), 'refused');
    await refuseOutcomes(database, 'deliveries');
    worker.start();
    await isRefused(delivery);
    queue.failing = true;
    const before = counted.queueFailures;
    await until(() => counted.queueFailures > before + 1, 'polls fail');
    later = 301_000;
    await worker.checkOutcomes().catch(() => {});
    await acceptOutcomes(database, 'deliveries');
    queue.failing = false;
    await until(() => areSettled(delivery), 'it is stored');
    assert.equal(target.requests.length, 1);
  });

  it('is no trouble any more once it was skipped', async () => {
    await using target = await startTarget();
    await using delivery = await makeDelivery();
    const { database, worker, queue } = delivery;
    const webhook = await delivery.addWebhook(target.url);
    await refuseOutcomes(database, 'deliveries');
    await delivery.put(webhook, 'refused');
    worker.start();
    await until(async () => !(await succeeds(worker.checkOutcomes())), 'the check fails');
    await until(async () => {
      const { outcome } = await database.transaction((tx) =>
        queue.lines.actOnHead(tx, webhook, 'dead-letter', 'refused'),
      );
      return outcome === 'done';
    }, 'it is skipped while it is not being stored');
    await worker.checkOutcomes();
  });

  it('is stored together with the others if only one poll failed, for example because its connection was lost', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using target = await startTarget({
      respondWith: ({ response }) => void released.then(() => response.writeHead(500).end()),
    });
    await using delivery = await makeDelivery();
    const { database, queue, worker } = delivery;
    for (let n = 1; n <= 5; n++)
      await delivery.put(await delivery.addWebhook(target.url, { maxAttempts: 1 }), `message ${n}`);
    worker.start();
    await target.waitFor(5);
    const settle = queue.settle.bind(queue);
    let failures = 1;
    queue.settle = async (tx, settlements, next) => {
      if (settlements.length === 0 || failures === 0) return await settle(tx, settlements, next);
      failures -= 1;
      throw new Error('the connection was lost');
    };
    let alone = 0;
    beforeAlone(database, async () => {
      alone += 1;
    });
    release();
    await until(() => areSettled(delivery), 'all are settled');
    assert.deepEqual(
      { alone, failures, requests: target.requests.length },
      { alone: 0, failures: 0, requests: 5 },
    );
  });

  it('is stored although so many others are refused that delivery pauses', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using bad = await startTarget();
    await using good = await startTarget({
      respondWith: ({ response }) => void released.then(() => response.end()),
    });
    await using delivery = await makeDelivery({ concurrency: 200 });
    const { database, worker } = delivery;
    await delivery.put(await delivery.addWebhook(good.url), 'healthy');
    for (let n = 0; n < MORE_THAN_WAIT; n++)
      await delivery.put(await delivery.addWebhook(bad.url), `refused ${n}`);
    await refuseOutcomes(database, 'deliveries');
    worker.start();
    await Promise.all([good.waitFor(1), bad.waitFor(MORE_THAN_WAIT)]);
    await until(() => delivery.logged.some((line) => line.includes('delivery pauses')), 'delivery pauses');
    release();
    await until(async () => {
      const rows = await database.reader.all("select id from deliveries where message_id = 'healthy'");
      return rows.length === 1;
    }, 'it is stored');
    await acceptOutcomes(database, 'deliveries');
  });
});

describe('many outcomes of which none can be stored', () => {
  it('are an outage: delivery pauses, and each is stored without a second request afterwards', async () => {
    const COUNT = 120;
    let later = 0;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using target = await startTarget({
      respondWith: ({ response }) => void released.then(() => response.end()),
    });
    await using delivery = await makeDelivery({
      concurrency: 200,
      elapsed: () => performance.now() + later,
    });
    const { database, worker, counted } = delivery;
    for (let n = 1; n <= COUNT; n++)
      await delivery.put(await delivery.addWebhook(target.url), `refused ${n}`);
    worker.start();
    await target.waitFor(COUNT);
    await refuseOutcomes(database, 'queue_lines', RETURNS);
    // As over a network.
    beforeAlone(database, () => delay(6));
    release();
    const pauses = () => delivery.logged.some((line) => line.includes('delivery pauses'));
    await until(pauses, 'delivery pauses');
    later = 31_000;
    await assert.rejects(worker.check(), /no messages can be received from the queue: .*no room/);
    const before = counted.queueFailures;
    await until(() => counted.queueFailures > before, 'another poll fails');
    await assert.rejects(worker.check());
    await acceptOutcomes(database, 'queue_lines');
    await endLeases(database);
    await until(() => areSettled(delivery), 'all are stored');
    assert.equal(target.requests.length, COUNT);
  });
});
