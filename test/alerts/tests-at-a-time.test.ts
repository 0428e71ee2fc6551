import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startTarget } from '../support/target.ts';
import { answer, type TargetExchange } from '../support/target-behaviours.ts';
import { createAlert, startAlertService } from './alert-helpers.ts';

// Runs on SQLite alone: tests are counted in the process that sends them.

/** As many as docs/api.md says. */
const MAX_AT_A_TIME = 8;

it('tests of alert rules are limited to a few per caller at a time', async () => {
  const waiting: TargetExchange[] = [];
  await using target = await startTarget({ respondWith: (exchange) => void waiting.push(exchange) });
  await using alerts = await startAlertService();
  const { api } = alerts;
  const rules = [await createAlert(api, target.url), await createAlert(api, target.url)];
  const test = (n: number) => api.post(`/alerts/${rules[n % rules.length]}/test`);
  const pending = Array.from({ length: MAX_AT_A_TIME }, (_, n) => test(n));
  await target.waitFor(MAX_AT_A_TIME);
  target.respondWith(answer(204));
  const refused = await test(0);
  assert.equal(refused.status, 429, JSON.stringify(refused.body));
  assert.equal(refused.body.type, 'urn:coursewire:problem:too-many-requests');
  assert.equal(refused.headers.get('retry-after'), '5');
  assert.equal(target.requests.length, MAX_AT_A_TIME, 'nothing is sent for a refused test');
  for (const exchange of waiting) answer(204)(exchange);
  for (const { body } of await Promise.all(pending)) assert.equal(body.results[0].sent, true);
  assert.equal((await test(1)).status, 200, 'a place is free again');
});

it('tests of alert rules are limited to 20 per caller without a pause, then one every 3 minutes', async () => {
  await using target = await startTarget();
  await using alerts = await startAlertService();
  const id = await createAlert(alerts.api, target.url);
  const test = () => alerts.api.post(`/alerts/${id}/test`);
  for (let n = 0; n < 20; n++) assert.equal((await test()).status, 200);
  const refused = await test();
  assert.deepEqual([refused.status, refused.body.type], [429, 'urn:coursewire:problem:too-many-requests']);
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds > 0 && seconds <= 180, `after ${seconds} s`);
  assert.equal(target.requests.length, 20, 'nothing is sent for a refused test');
  alerts.clock.pass(180_000);
  assert.equal((await test()).status, 429, 'the wall clock, which may be set, does not count');
});
