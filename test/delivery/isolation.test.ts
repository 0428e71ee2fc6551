import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer, hang, trickle } from '../support/target-behaviours.ts';
import { accountNames, accountsOf, createAccounts, createWebhook } from './webhook-helpers.ts';

// Runs on SQLite in `npm test`: request slots are distributed in the process. The contract of the queue receives from many lines on both.

const CONCURRENCY = 4;
const HANGING = 40;
/**
 * Discovering all slow targets again would take a second, so the fastest of several messages shows whether they are
 * known.
 */
const AMONG_KNOWN_MS = 950;
/** Longer than the tests wait: a message that waited for the end of a request would come too late. */
const HANGS_S = 600;
const SHORT_TIMEOUT_S = 1.5;
/** The duration of one round of requests to all hanging targets, if these hold the slots. */
const ROUND_MS = (HANGING / CONCURRENCY) * SHORT_TIMEOUT_S * 1_000;

/** A service that makes few requests at a time, with many webhooks whose target hangs. */
async function startAmongHanging(bad: Target, settings: { delivery_timeout: number }) {
  const service = await startTestService({
    settings: { delivery_concurrency: CONCURRENCY, shutdown_timeout: 0.01, ...settings },
  });
  for (let count = 0; count < HANGING; count++) await createWebhook(service.api, bad.url);
  return service;
}

/** The time from an event to the arrival of its message, in milliseconds. */
async function arrivalTime(good: Target, cause: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  const { length } = good.requests;
  await cause();
  await good.waitFor(length + 1);
  return performance.now() - begun;
}

describe('a webhook among many whose targets hang', () => {
  for (const [behaviour, respondWith] of [
    ['hang', hang()],
    ['answer for ever, byte by byte', trickle({ intervalMs: 50 })],
  ] as const) {
    it(`gets its messages at once while many more others than request slots ${behaviour}`, async () => {
      await using bad = await startTarget({ respondWith });
      await using good = await startTarget();
      await using service = await startAmongHanging(bad, { delivery_timeout: HANGS_S });
      const { api } = service;
      // This webhook comes last: every hanging webhook gets its message before.
      await createWebhook(api, good.url);
      // The service does not know yet that the others are slow.
      await arrivalTime(good, () => createAccounts(api, 'first'));
      await bad.waitFor(HANGING);
      const times: number[] = [];
      for (const name of accountNames(5)) {
        times.push(await arrivalTime(good, () => createAccounts(api, name)));
      }
      assert.ok(Math.min(...times) < AMONG_KNOWN_MS, `${times.join(' ms, ')} ms`);
      assert.equal(bad.requests.length, HANGING);
    });
  }

  it('does not wait for them a second time: targets that hung are remembered', async () => {
    await using bad = await startTarget({ respondWith: hang() });
    await using good = await startTarget();
    await using service = await startAmongHanging(bad, { delivery_timeout: SHORT_TIMEOUT_S });
    const { api } = service;
    await createAccounts(api, 'makes all of them hang');
    // The second attempts come together. None of them may take a slot from the good webhook.
    await bad.waitFor(HANGING + 1);
    await createWebhook(api, good.url);
    const time = await arrivalTime(good, () => createAccounts(api, 'good'));
    assert.ok(time < ROUND_MS / 2, `${time} ms`);
    await bad.waitFor(2 * HANGING);
  });

  it('is not delayed by one that keeps failing either', async () => {
    await using bad = await startTarget({ respondWith: answer(500) });
    await using good = await startTarget();
    await using service = await startTestService({
      settings: { delivery_concurrency: 1, retry_initial_delay: 0.001, retry_max_delay: 0.001 },
    });
    const { api } = service;
    const [webhooks, attempts] = [10, 1_000];
    for (let n = 0; n < webhooks; n++) await createWebhook(api, bad.url, { max_attempts: attempts });
    await createWebhook(api, good.url);
    const names = accountNames(20);
    await createAccounts(api, ...names);
    await good.waitFor(names.length);
    const failed = bad.requests.length;
    assert.ok(failed < (names.length * webhooks * attempts) / 4, `after ${failed} requests that failed`);
    assert.deepEqual(accountsOf(good.requests), names);
  });

  it('shares the request slot fairly with another webhook whose deliveries succeed', async () => {
    await using good = await startTarget();
    await using other = await startTarget();
    await using service = await startTestService({ settings: { delivery_concurrency: 1 } });
    const { api } = service;
    await createWebhook(api, good.url);
    await createWebhook(api, other.url);
    const names = accountNames(30);
    await createAccounts(api, ...names);
    await Promise.all([good.waitFor(names.length), other.waitFor(names.length)]);
    assert.deepEqual(accountsOf(good.requests), names);
    assert.deepEqual(accountsOf(other.requests), names);
  });
});
