import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as setImmediatePromise } from 'node:timers/promises';
import type { Plan } from '../bench/plan.ts';
import { renderReport } from '../bench/report.ts';
import { runBench } from '../bench/run-bench.ts';
import { Turns } from '../bench/turns.ts';

/** A fraction of a second for the measurement with the most parts. */
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
  apiTurns: 2,
};

/** Asserts that a rate over all turns lies between those of its best and worst turns, as a share of other rates. */
function assertWithinTurns(
  rate: number,
  turns: readonly number[],
  others: readonly number[],
  what: string,
): void {
  assert.ok(turns.length > 0 && others.length > 0, what);
  // The rates of turns are rounded.
  const least = (Math.min(...turns) - 1) / (Math.max(...others) + 1);
  const most = (Math.max(...turns) + 1) / Math.max(Math.min(...others) - 1, 1);
  assert.ok(rate >= least && rate <= most, `${what}: ${rate} is not from ${least} to ${most}`);
}

test('a comparison counts the posts of each side, and includes all of them at its end', async () => {
  const turns = new Turns();
  const answered = { raw: 0, service: 0, base: 0 };
  const post = (side: 'raw' | 'service') => {
    turns.admit(side, () => {
      answered[side] += 1;
      setImmediate(post, side);
    });
  };
  let warm = answered;
  const compared = turns.compare(
    { warmUp: { raw: 3, service: 2 }, turns: 2, turnMs: 40, servicePosts: Number.POSITIVE_INFINITY },
    () => {
      warm = { ...answered };
    },
  );
  post('raw');
  post('service');
  const { turns: found, posts } = await compared;
  const atEnd = { ...answered };
  assert.ok(warm.raw >= 3 && warm.service >= 2, JSON.stringify(warm));
  assert.deepEqual(posts, { raw: atEnd.raw - warm.raw, service: atEnd.service - warm.service, base: 0 });
  assert.deepEqual([found.raw.length, found.service.length, found.base.length], [2, 2, 0]);
  for (const side of ['raw', 'service'] as const) {
    const inTurns = found[side].reduce((sum, turn) => sum + turn.posts, 0);
    assert.ok(inTurns > 0 && inTurns <= posts[side], `${inTurns} of ${posts[side]}`);
  }
  await setImmediatePromise();
  await setImmediatePromise();
  assert.deepEqual(answered, atEnd, 'none is answered after the end');
  turns.letPass(true);
  assert.deepEqual(answered, { ...atEnd, raw: atEnd.raw + 1, service: atEnd.service + 1 });
  turns.letPass(false);
});

test('the bench starts the service on its own data, and finds deliveries, events and arrivals', async () => {
  const reports: string[] = [];
  const results = await runBench({
    plan: SMALLEST,
    only: ['ten_webhooks'],
    profileFolder: null,
    database: { name: 'sqlite', url: null },
    queue: 'database',
    report: (what) => reports.push(what),
  });

  const deliveries = results.deliveries.ten_webhooks;
  assert.ok(
    deliveries !== undefined && deliveries.per_second > 0 && deliveries.raw_per_second > 0,
    'deliveries',
  );
  assertWithinTurns(deliveries.per_second, deliveries.turns.service, [1], 'deliveries a second');
  assertWithinTurns(deliveries.share_of_raw, deliveries.turns.service, deliveries.turns.raw, 'share of raw');
  if (process.platform === 'linux') {
    // A run this short takes only a few of the ticks in which the system counts.
    const { cpu_us_per_delivery } = deliveries;
    assert.ok(cpu_us_per_delivery !== null && cpu_us_per_delivery >= 0, `${cpu_us_per_delivery} µs`);
  }
  assert.ok(deliveries.base_per_second !== null && deliveries.base_per_second > 0, 'the service beside');
  const { share_of_base, turns } = deliveries;
  assertWithinTurns(share_of_base ?? Number.NaN, turns.service, turns.base, 'share of the service beside');
  const events = results.events.ten_webhooks;
  assert.ok(events !== undefined, 'events');
  const { published } = events;
  assert.ok(published.per_second > 0 && published.fastify_per_second > 0, 'events published');
  assert.equal(published.share_of_fastify, published.per_second / published.fastify_per_second);
  assert.equal(published.share_of_fastify_turns.length, SMALLEST.apiTurns);
  assert.deepEqual(
    events.arrivals.map(({ offered_per_second, events, late }) => ({ offered_per_second, events, late })),
    [{ offered_per_second: 100, events: 20, late: 0 }],
  );
  assert.equal(results.tokens, null, 'what was not measured is null');
  assert.equal(results.ratios.million_waiting, null);
  assert.ok(reports.length > 0, 'reports what it does');
  assert.match(renderReport(results), /^ten_webhooks +10 +2,000/m);
});

test('the bench plays a course: it opens its files, commits as many learners and finds the memory of their launches', async () => {
  const results = await runBench({
    plan: {
      ...SMALLEST,
      scenarios: { player: { player: { files: 3, fileBytes: 100, openings: 2, learners: 4, launches: 5 } } },
    },
    only: ['player'],
    profileFolder: null,
    database: { name: 'sqlite', url: null },
    queue: 'database',
    report: () => {},
  });
  const { player } = results;
  assert.ok(player !== null);
  assert.deepEqual([player.learners, player.launches], [4, 5]);
  for (const name of [
    'files_per_second',
    'static_files_per_second',
    'share_of_static',
    'commits_per_second',
  ] as const) {
    assert.ok(player[name] > 0, name);
  }
  assert.ok(player.p99_ms >= player.p50_ms && player.p50_ms > 0, 'times');
  assert.ok(results.goals.some(({ name, reached }) => name.includes('commits') && reached !== null));
  assert.match(renderReport(results), /^files of a course +\d/m);
});
