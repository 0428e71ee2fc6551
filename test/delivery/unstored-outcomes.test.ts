import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabaseAt } from '../support/database.ts';
import { makeDelivery, type TestDelivery } from '../support/delivery.ts';
import { createPostgresDatabase, ON_POSTGRES } from '../support/postgres.ts';
import { acceptOutcomes, refuseOutcomes } from '../support/refused-outcomes.ts';
import { startTestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { succeeds } from '../support/until.ts';
import { messageIdsOf } from './webhook-helpers.ts';

function linesAbout({ logged }: TestDelivery, text: string) {
  return logged.filter((line) => line.includes(text)).map((line) => JSON.parse(line));
}

const REFUSES = 'refuses the outcome of a message';

describe('a message whose outcome the database refuses', () => {
  for (const { what, table, status, outcome } of [
    { what: 'is delivered', table: 'deliveries', status: 200, outcome: 'success' },
    { what: 'becomes a dead letter', table: 'queue_dead_letters', status: 500, outcome: 'dead_letter' },
  ] as const)
    it(`lets only its own webhook wait, and is not sent again (it ${what})`, async () => {
      await using target = await startTarget({ respondWith: answer(status) });
      await using others = await startTarget();
      await using delivery = await makeDelivery();
      const { database, worker, queue } = delivery;
      const waiting = await delivery.addWebhook(target.url, { maxAttempts: 1 });
      const healthy = await delivery.addWebhook(others.url);
      await refuseOutcomes(database, table);
      await delivery.put(waiting, 'refused', 'behind');
      worker.start();
      await until(() => delivery.counted.queueFailures > 0, 'the outcome is refused');
      for (let n = 1; n <= 20; n++) {
        await delivery.put(healthy, `healthy ${n}`);
        await others.waitFor(n);
      }
      await until(() => linesAbout(delivery, REFUSES).length > 0, 'the log says so');
      const failures = () => delivery.counted.queueFailures;
      const before = failures();
      await until(() => failures() > before, 'storing it is repeated');
      await delivery.put(healthy, 'healthy meanwhile');
      await others.waitFor(21);
      assert.deepEqual(messageIdsOf(target.requests), ['refused']);
      assert.equal((await queue.lines.line(waiting)).depth, 2);
      const [line] = linesAbout(delivery, REFUSES);
      assert.deepEqual([line.webhook_id, line.message_id], [waiting, 'refused']);
      assert.match(JSON.stringify(line.error), /no room/);
      assert.deepEqual(linesAbout(delivery, 'delivery pauses'), []);

      await acceptOutcomes(database, table);
      await until(async () => (await queue.lines.totals()).waiting === 0, 'all messages are settled');
      assert.deepEqual(messageIdsOf(target.requests), ['refused', 'behind']);
      assert.deepEqual(
        delivery.counted.attempts.filter((each) => each === outcome).length,
        outcome === 'success' ? 23 : 2,
      );
      const rows = await database.reader.all<{ attempts: number }>(
        "select attempts from deliveries where message_id = 'refused'",
      );
      assert.deepEqual(
        rows.map(({ attempts }) => attempts),
        [1],
      );
      assert.equal(linesAbout(delivery, REFUSES).length, 1);
    });

  it('does not keep the outcomes of the same poll from being stored', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using target = await startTarget({
      respondWith: ({ response }) => void released.then(() => response.end()),
    });
    await using delivery = await makeDelivery();
    const { database, worker } = delivery;
    const names = ['a', 'b', 'refused 1', 'c', 'refused 2', 'd'];
    for (const name of names) await delivery.put(await delivery.addWebhook(target.url), name);
    await refuseOutcomes(database, 'deliveries');
    worker.start();
    await target.waitFor(names.length);
    release();
    const stored = async () =>
      (
        await database.reader.all<{ message_id: string }>(
          'select message_id from deliveries order by message_id',
        )
      ).map((row) => row.message_id);
    await until(async () => (await stored()).length === 4, 'four outcomes are stored');
    assert.deepEqual(await stored(), ['a', 'b', 'c', 'd']);
    await until(() => linesAbout(delivery, REFUSES).length === 2, 'the log names both others');
    await acceptOutcomes(database, 'deliveries');
    await until(async () => (await stored()).length === names.length, 'all outcomes are stored');
    assert.equal(target.requests.length, names.length);
  });

  it('does not stop other webhooks if not even its line can be changed', async () => {
    await using target = await startTarget();
    await using others = await startTarget();
    await using delivery = await makeDelivery();
    const { database, worker, queue } = delivery;
    const waiting = await delivery.addWebhook(target.url);
    const healthy = await delivery.addWebhook(others.url);
    const returns = `new.line_id = ${waiting} and new.lease_token is null and old.lease_token is not null`;
    await delivery.put(waiting, 'refused');
    await refuseOutcomes(database, 'queue_lines', returns);
    worker.start();
    await until(() => delivery.counted.queueFailures > 0, 'the outcome is refused');
    for (let n = 1; n <= 4; n++) {
      await delivery.put(healthy, `healthy ${n}`);
      await others.waitFor(n);
    }
    await until(async () => (await queue.lines.line(healthy)).depth === 0, 'their outcomes are stored');
    assert.equal(target.requests.length, 1);
    await acceptOutcomes(database, 'queue_lines');
  });

  it('is stored again after growing pauses', async () => {
    await using target = await startTarget();
    await using delivery = await makeDelivery();
    const webhook = await delivery.addWebhook(target.url);
    await refuseOutcomes(delivery.database, 'deliveries');
    await delivery.put(webhook, 'refused');
    const begun = performance.now();
    delivery.worker.start();
    // The first three times are together and alone. The pauses are one and two seconds.
    await until(() => delivery.counted.queueFailures >= 5, 'after one pause, and after another');
    assert.ok(performance.now() - begun > 2_500);
    assert.equal(target.requests.length, 1);
  });

  it('can be skipped by an administrator, so that the messages behind it are delivered', async () => {
    await using target = await startTarget();
    await using delivery = await makeDelivery();
    const { database, queue } = delivery;
    const webhook = await delivery.addWebhook(target.url);
    await refuseOutcomes(database, 'deliveries');
    await delivery.put(webhook, 'refused', 'behind');
    delivery.worker.start();
    await until(() => linesAbout(delivery, REFUSES).length > 0, 'it waits');
    await until(async () => {
      const { outcome } = await database.transaction((tx) =>
        queue.lines.actOnHead(tx, webhook, 'dead-letter', 'refused'),
      );
      return outcome === 'done';
    }, 'it is skipped while it is not being stored');
    await target.waitFor(2);
    assert.deepEqual(messageIdsOf(target.requests), ['refused', 'behind']);
  });

  it('fails the check of outcomes until it is stored, but not that of polls', async () => {
    await using target = await startTarget();
    await using delivery = await makeDelivery();
    const { worker, database, queue } = delivery;
    const webhook = await delivery.addWebhook(target.url);
    await refuseOutcomes(database, 'deliveries');
    await delivery.put(webhook, 'refused');
    worker.start();
    await until(async () => !(await succeeds(worker.checkOutcomes())), 'the check fails');
    await assert.rejects(
      worker.checkOutcomes(),
      new RegExp(`refuses the outcome of message refused of webhook ${webhook}: .*no room`),
    );
    await worker.check();
    await acceptOutcomes(database, 'deliveries');
    await until(async () => (await queue.lines.totals()).waiting === 0, 'it is stored');
    await until(() => succeeds(worker.checkOutcomes()), 'the check succeeds');
  });
});

describe('a message whose outcome the database refuses to several instances', { skip: !ON_POSTGRES }, () => {
  it('is sent at most once by each of them, and always before the messages behind it', async () => {
    await using target = await startTarget();
    await using server = await createPostgresDatabase();
    const settings = { database_url: server.url, webhooks_auth_secret: 's'.repeat(64) };
    await using one = await startTestService({ settings });
    await using two = await startTestService({ settings });
    await using database = openDatabaseAt({ ...one.settings, ...settings });
    await refuseOutcomes(database, 'deliveries', 'new.webhook_id = 1');
    await one.api.create('/webhooks', { name: 'all', topic: 'ACCOUNT', target_url: target.url });
    for (const name of ['First', 'Second']) await one.api.create('/accounts', { name });
    const failures = async () => {
      const texts = await Promise.all([one, two].map(({ api }) => api.get('/metrics')));
      return texts.reduce(
        (sum, { body }) => sum + Number(/queue_errors_total\{.*\} (\d+)/.exec(body)?.[1]),
        0,
      );
    };
    await until(async () => (await failures()) >= 5, 'storing it was repeated a few times');
    await acceptOutcomes(database, 'deliveries');
    const isEmpty = async () => (await one.api.get('/webhooks/1/line')).body.state === 'EMPTY';
    await until(isEmpty, 'both are delivered');
    const names = target.requests.map(({ text }) => JSON.parse(text).resource.account.name);
    assert.deepEqual(new Set(names), new Set(['First', 'Second']));
    assert.ok(names.lastIndexOf('First') < names.indexOf('Second'), names.join());
    assert.ok(names.indexOf('Second') <= 2, names.join());
  });
});

describe('a queue whose polls fail', () => {
  it('fails the check of polls after half a minute, until a poll succeeds', async () => {
    let later = 0;
    await using delivery = await makeDelivery({ elapsed: () => performance.now() + later });
    const { worker, queue } = delivery;
    queue.failing = true;
    worker.start();
    await until(() => delivery.counted.queueFailures > 0, 'a poll has failed');
    await worker.check();
    later = 31_000;
    await assert.rejects(worker.check(), /no messages can be received from the queue: .*out of order/);
    queue.failing = false;
    await until(() => succeeds(worker.check()), 'a poll has succeeded');
  });
});
