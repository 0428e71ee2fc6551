import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SUBTOPICS } from '../../src/events/catalogue.ts';
import { readEventCounts } from '../../src/webhooks/trends/trend-store.ts';
import { skipOnceFree } from '../delivery/webhook-helpers.ts';
import { ManualClock } from '../support/clock.ts';
import { breakTable, openDatabaseOf } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startTestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';

// Runs on SQLite in `npm test`: metrics are counted in the process. The contract of the queue reads its totals on both.

describe('health and metrics', () => {
  test('a healthy service is live and ready', async () => {
    await using service = await startTestService();
    const live = await service.api.get('/health/live');
    assert.deepEqual([live.status, live.body], [200, { status: 'ok' }]);
    const ready = await service.api.get('/health/ready');
    assert.deepEqual(
      [ready.status, ready.body],
      [
        200,
        {
          status: 'ok',
          checks: { database: 'ok', content: 'ok', queue: 'ok', ...(ON_POSTGRES ? {} : { disk: 'ok' }) },
        },
      ],
    );
  });

  test('metrics count events, messages and attempts, and show what waits', async () => {
    await using target = await startTarget();
    await using service = await startTestService();
    const { api } = service;
    await api.create('/webhooks', { name: 'good', topic: 'ACCOUNT', target_url: target.url });
    await api.create('/webhooks', {
      name: 'refused',
      topic: 'ACCOUNT',
      target_url: 'http://127.0.0.1:9/',
      max_attempts: 1,
    });
    await api.create('/accounts', { name: 'Northwind' });

    const read = async () => (await api.get('/metrics')).body as string;
    const metrics = await until(async () => {
      const text = await read();
      const settled = [
        'coursewire_dead_letters 1',
        'coursewire_queue_depth 0',
        'coursewire_queue_in_flight 0',
      ];
      return settled.every((line) => text.includes(`\n${line}\n`)) && text;
    }, 'one delivered, one dead letter, both settled');
    assert.match(metrics, /^coursewire_events_total\{subtopic="ACCOUNT_CREATED"\} 1$/m);
    assert.match(metrics, /^coursewire_messages_total\{subtopic="ACCOUNT_CREATED"\} 2$/m);
    assert.match(metrics, /^coursewire_delivery_attempts_total\{outcome="dead_letter"\} 1$/m);
    assert.match(metrics, /^coursewire_delivery_duration_seconds_count 2$/m);
    assert.match(metrics, /^coursewire_event_to_delivery_seconds_count 1$/m);
    assert.match(metrics, /^coursewire_delivery_attempts_total\{outcome="success"\} 1$/m);
    assert.match(metrics, /^coursewire_queue_oldest_age_seconds 0$/m);
    assert.match(metrics, /^coursewire_queue_errors_total\{engine="database"\} 0$/m);
  });

  test('counters exist before the first event, and no gauge has the name of a counter', async () => {
    await using service = await startTestService();
    const metrics = (await service.api.get('/metrics')).body as string;
    for (const subtopic of SUBTOPICS) {
      assert.match(metrics, new RegExp(`^coursewire_events_total\\{subtopic="${subtopic}"\\} 0$`, 'm'));
      assert.match(metrics, new RegExp(`^coursewire_messages_total\\{subtopic="${subtopic}"\\} 0$`, 'm'));
    }
    const gauges = Array.from(metrics.matchAll(/^# TYPE (\w+) gauge$/gm), ([, name]) => name!);
    assert.deepEqual(
      gauges.filter((name) => name.endsWith('_total')),
      [],
    );
  });

  test('an event whose change was rolled back is not counted', async () => {
    await using service = await startTestService();
    const { api } = service;
    await using database = await openDatabaseOf(service.settings.data_dir);
    // The response is stored last, when the event is already published.
    const broken = await breakTable(database, 'idempotency_keys', 'update');
    const undone = await api.post('/accounts', { name: 'Undone' }, { 'Idempotency-Key': 'k' });
    assert.equal(undone.status, 500);
    await broken[Symbol.asyncDispose]();
    const { body } = await api.get('/metrics');
    assert.doesNotMatch(body, /^coursewire_events_total\{.*\} [1-9]/m);
    await api.create('/accounts', { name: 'Done' });
    const after = await api.get('/metrics');
    assert.match(after.body, /^coursewire_events_total\{subtopic="ACCOUNT_CREATED"\} 1$/m);
  });

  test('events are counted while the webhooks service is disabled, and shown in the chart', async () => {
    using folder = temporaryFolder();
    const dataDir = folder.path;
    {
      const settings = { enable_webhooks_service: false };
      await using service = await startTestService({ dataDir, settings });
      await service.api.create('/accounts', { name: 'Northwind' });
      const { body } = await service.api.get('/metrics');
      assert.match(body, /^coursewire_events_total\{subtopic="ACCOUNT_CREATED"\} 1$/m);
      assert.match(body, /^coursewire_messages_total\{subtopic="ACCOUNT_CREATED"\} 0$/m);
    }
    // Counters of the chart are written when the service stops.
    await using database = await openDatabaseOf(dataDir);
    const counts = (await readEventCounts(database.reader, 0)).map(({ event_count: count }) => count);
    assert.deepEqual(counts, [1]);
  });

  test('the time from event to delivery covers messages that arrive at the first attempt', async () => {
    await using target = await startTarget();
    await using service = await startTestService();
    const { api } = service;
    target.respondWith(answer(503));
    await api.create('/webhooks', { name: 'w', topic: 'ACCOUNT', target_url: target.url });
    await api.create('/accounts', { name: 'Northwind' });
    await target.waitFor(1);
    target.respondWith(answer(200));
    const metrics = await until(async () => {
      const { body } = await api.get('/metrics');
      return /^coursewire_delivery_attempts_total\{outcome="success"\} 1$/m.test(body) && (body as string);
    }, 'the message arrived at a later attempt');
    assert.match(metrics, /^coursewire_event_to_delivery_seconds_count 0$/m);
  });

  test('the times of redelivered and replayed messages do not count from their events', async () => {
    const clock = new ManualClock();
    await using target = await startTarget();
    await using service = await startTestService({ now: clock.now });
    const { api } = service;
    const webhook = { name: 'w', topic: 'ACCOUNT', target_url: target.url };
    const { id } = await api.create('/webhooks', { ...webhook, paused: true });
    await api.create('/accounts', { name: 'Northwind' });
    const { id: later } = await api.create('/webhooks', { ...webhook, paused: true });
    await skipOnceFree(api, id);
    clock.pass(10 * 60_000);
    assert.equal((await api.post(`/webhooks/${id}/deliveries/redeliver`)).body.redelivered, 1);
    const { body } = await api.post(`/webhooks/${later}/replay?from_dt=2001-01-01T00:00:00Z`);
    assert.equal(body.replayed, 1);
    clock.pass(5_000);
    const { body: waiting } = await api.get('/metrics');
    assert.match(waiting, /^coursewire_queue_depth 2$/m);
    assert.match(waiting, /^coursewire_queue_oldest_age_seconds 5$/m);

    for (const each of [id, later]) assert.equal((await api.put(`/webhooks/${each}`, webhook)).status, 200);
    const metrics = await until(async () => {
      const { body } = await api.get('/metrics');
      return /^coursewire_delivery_attempts_total\{outcome="success"\} 2$/m.test(body) && (body as string);
    }, 'both messages arrived');
    assert.match(metrics, /^coursewire_event_to_delivery_seconds_count 0$/m);
  });

  test('the first scrape shows the current state of the queue', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const webhook = { topic: 'ACCOUNT', target_url: 'http://127.0.0.1:9/' };
    const { id } = await api.create('/webhooks', { name: 'skipped', ...webhook });
    await api.create('/webhooks', { name: 'waiting', ...webhook });
    await api.create('/accounts', { name: 'Northwind' });
    assert.equal((await api.post(`/webhooks/${id}/line/skip`)).status, 200);
    const { body: metrics } = await api.get('/metrics');
    assert.match(metrics, /^coursewire_queue_depth 1$/m);
    assert.match(metrics, /^coursewire_dead_letters 1$/m);
    assert.match(metrics, /^coursewire_queue_oldest_age_seconds (?!0$)[\d.e-]+$/m);
  });

  test('a message that waits for its next attempt shows as a blocked webhook with an age', async () => {
    await using service = await startTestService({
      settings: { retry_initial_delay: 60, retry_max_delay: 60 },
    });
    const { api } = service;
    await api.create('/webhooks', { name: 'refused', topic: 'ACCOUNT', target_url: 'http://127.0.0.1:9/' });
    await api.create('/accounts', { name: 'Northwind' });
    const metrics = await until(async () => {
      const { body } = await api.get('/metrics');
      return /^coursewire_webhooks_blocked 1$/m.test(body) && (body as string);
    }, 'the webhook is blocked');
    assert.match(metrics, /^coursewire_queue_depth 1$/m);
    assert.match(metrics, /^coursewire_queue_oldest_age_seconds (?!0$)[\d.e-]+$/m);
  });
});
