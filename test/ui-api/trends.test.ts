import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../src/time/units.ts';
import { emptyCounters } from '../../src/webhooks/trends/trend.ts';
import { TrendRecorder } from '../../src/webhooks/trends/trend-recorder.ts';
import {
  ALL_WEBHOOKS,
  addTrends,
  readEventCounts,
  readTrend,
} from '../../src/webhooks/trends/trend-store.ts';
import { ManualClock } from '../support/clock.ts';
import { openDatabaseOf, openTestDatabase } from '../support/database.ts';
import { SILENT_LOGS } from '../support/logs.ts';
import { startTestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';

const log = SILENT_LOGS.for('WebhookService');

describe('the recorded data of charts', () => {
  test('is added up by minute and by hour, across instances, for each webhook and for all', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const clock = new ManualClock();
    const start = clock.now();
    const recorders = [0, 1].map(() => new TrendRecorder({ database, log, now: clock.now }));
    for (const recorder of recorders) {
      recorder.attempted(7, true, 10);
      recorder.attempted(7, false, 30);
      recorder.attempted(8, true, 20);
      recorder.eventOccurred();
    }
    clock.pass(MINUTE_MS);
    recorders[0]!.attempted(7, true, 50);
    for (const recorder of recorders) await recorder.write();

    const countsOf = async (webhookId: number, width: typeof MINUTE_MS | typeof HOUR_MS) =>
      (await readTrend(database.reader, webhookId, width, 0)).map((row) => [
        row.startAt - start,
        row.successes,
        row.failures,
        row.latencyTotal,
        row.latencyMax,
      ]);
    assert.deepEqual(await countsOf(7, MINUTE_MS), [
      [0, 2, 2, 80, 30],
      [MINUTE_MS, 1, 0, 50, 50],
    ]);
    assert.deepEqual(await countsOf(7, HOUR_MS), [[0, 3, 2, 130, 50]]);
    assert.deepEqual(await countsOf(0, HOUR_MS), [[0, 5, 2, 170, 50]]);
    const events = await readEventCounts(database.reader, 0);
    assert.deepEqual(
      events.map((row) => [row.start_at, row.event_count]),
      [[start, 2]],
    );
  });

  test('is written at shutdown, including what was counted during a write', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const recorder = new TrendRecorder({ database, log, now: Date.now });
    recorder.start();
    recorder.attempted(1, true, 1);
    const writing = recorder.write();
    recorder.attempted(1, true, 1);
    await recorder[Symbol.asyncDispose]();
    await writing;
    const rows = await readTrend(database.reader, 1, HOUR_MS, 0);
    assert.equal(
      rows.reduce((sum, row) => sum + row.successes, 0),
      2,
    );
  });

  test('waits while the database cannot be written, and is not counted twice', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    let isOut = true;
    const recorder = new TrendRecorder({
      database: {
        transaction: (work, options) =>
          isOut ? Promise.reject(new Error('out of order')) : database.transaction(work, options),
      },
      log,
      now: Date.now,
    });
    recorder.attempted(1, true, 1);
    recorder.eventOccurred();
    await recorder.write();
    recorder.attempted(1, true, 1);
    recorder.attempted(2, false, 1);
    isOut = false;
    await recorder.write();
    await recorder.write();
    const successes = async (webhookId: number) =>
      (await readTrend(database.reader, webhookId, HOUR_MS, 0)).reduce((sum, row) => sum + row.successes, 0);
    assert.deepEqual([await successes(1), await successes(ALL_WEBHOOKS)], [2, 2]);
    assert.equal((await readTrend(database.reader, 2, HOUR_MS, 0))[0]?.failures, 1);
    assert.equal((await readEventCounts(database.reader, 0))[0]?.event_count, 1);
  });

  test('is deleted in steps once no chart shows it any more', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const clock = new ManualClock();
    const recorder = new TrendRecorder({ database, log, now: clock.now });
    for (const webhookId of [1, 2, 3]) recorder.attempted(webhookId, true, 1);
    await recorder.write();
    assert.equal(await recorder.forgetOld(100), 0);
    clock.pass(3 * HOUR_MS);
    assert.equal(await recorder.forgetOld(3), 3, 'minutes of three');
    assert.equal(await recorder.forgetOld(3), 1, 'and those of all together');
    assert.equal((await readTrend(database.reader, 1, HOUR_MS, 0)).length, 1, 'hours stay');
    clock.pass(40 * 24 * HOUR_MS);
    assert.equal(await recorder.forgetOld(100), 4);
  });
});

describe('the numbers of the last hour and day', () => {
  test('contain nothing of a clock that was ahead and has been set back', async () => {
    await using service = await startTestService();
    const { api, settings } = service;
    const target_url = 'http://127.0.0.1:9/';
    const { id } = await api.create('/webhooks', { name: 'Accounts', topic: 'ACCOUNT', target_url });
    const ahead = Date.now() + 48 * HOUR_MS;
    await using database = await openDatabaseOf(settings.data_dir);
    await database.transaction((tx) =>
      addTrends(
        tx,
        ([MINUTE_MS, HOUR_MS] as const).map((widthMs) => ({
          ...emptyCounters(),
          webhookId: id,
          widthMs,
          startAt: ahead - (ahead % widthMs),
          successes: 1,
          failures: 2,
        })),
      ),
    );
    const { body: dashboard } = await api.get('/ui/api/dashboard');
    assert.deepEqual(dashboard.delivery.failing_webhooks, []);
    const { body: listed } = await api.get(`/ui/api/webhooks/${id}`);
    assert.equal(listed.success_rate, null);
    const { body: health } = await api.get(`/webhooks/${id}/health`);
    assert.deepEqual([health.attempts, health.success_rate], [0, null]);
  });
});

describe('the chart of a webhook', () => {
  test('shows successes and failures with their latencies, including empty buckets', async () => {
    await using service = await startTestService();
    await using target = await startTarget();
    const { api } = service;
    const webhook = await api.create('/webhooks', {
      name: 'Accounts',
      topic: 'ACCOUNT',
      target_url: target.url,
    });
    for (const name of ['A', 'B']) await api.create('/accounts', { name });
    await until(async () => {
      const { body } = await api.get(`/webhooks/${webhook.id}/statistics`);
      return body.success_count === 2;
    }, 'both are delivered');
    for (const [period, count] of [
      ['hour', 60],
      ['day', 24],
      ['week', 84],
      ['month', 120],
    ] as const) {
      const { status, body } = await api.get(`/ui/api/webhooks/${webhook.id}/trend?period=${period}`);
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.buckets.length, count);
      // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape.
      const filled = body.buckets.filter((bucket: any) => bucket.success_count > 0);
      assert.equal(
        // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape.
        filled.reduce((sum: number, bucket: any) => sum + bucket.success_count, 0),
        2,
      );
      assert.ok(filled.at(-1).latency_ms.mean >= 0);
      assert.deepEqual(body.buckets[0].latency_ms, { mean: null, max: null, p50: null, p95: null });
    }
  });

  test('is rejected for an unknown webhook and an invalid period', async () => {
    await using service = await startTestService();
    assert.equal((await service.api.get('/ui/api/webhooks/404/trend')).status, 404);
    assert.equal((await service.api.get('/ui/api/webhooks/1/trend?period=century')).status, 400);
  });
});
