import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '../bench/plan.ts';
import { renderReport } from '../bench/report.ts';
import { runBench } from '../bench/run-bench.ts';

/** A fraction of a second of what takes the most parts. */
const SMALLEST: Plan = {
  name: 'smallest',
  scenarios: {
    ten_webhooks: {
      deliveries: {
        webhooks: 10,
        messages: 2_000,
        measured: 500,
        otherWebhooks: 10,
        raw: 'together',
        hasBase: true,
      },
      events: { waiting: 2_000, otherWebhooks: 10 },
    },
  },
  turns: 2,
  turnMs: 60,
  offeredPerSecond: [100],
  latencySeconds: [0.2],
  latencyWarmUpSeconds: 0.02,
  apiSeconds: 0.1,
  apiWarmUpSeconds: 0.02,
};

test('the bench starts the service on data that it made, and finds deliveries, events and arrivals', async () => {
  const told: string[] = [];
  const results = await runBench({
    plan: SMALLEST,
    only: ['ten_webhooks'],
    profileFolder: null,
    database: { name: 'sqlite', url: null },
    queue: 'database',
    tell: (what) => told.push(what),
  });

  const deliveries = results.deliveries.ten_webhooks;
  assert.ok(
    deliveries !== undefined && deliveries.per_second > 0 && deliveries.raw_per_second > 0,
    'deliveries',
  );
  assert.equal(deliveries.share_of_raw, deliveries.per_second / deliveries.raw_per_second);
  assert.ok(deliveries.base_per_second !== null && deliveries.base_per_second > 0, 'the service beside');
  assert.equal(deliveries.share_of_base, deliveries.per_second / deliveries.base_per_second);
  const events = results.events.ten_webhooks;
  assert.ok(events !== undefined && events.published_per_second > 0, 'events');
  assert.deepEqual(
    events.arrivals.map(({ offered_per_second, events, late }) => ({ offered_per_second, events, late })),
    [{ offered_per_second: 100, events: 20, late: 0 }],
  );
  assert.equal(results.tokens_per_second, null, 'what was not measured is null');
  assert.equal(results.ratios.million_waiting, null);
  assert.ok(told.length > 0, 'tells what it does');
  assert.match(renderReport(results), /^ten_webhooks +10 +2,000/m);
});
