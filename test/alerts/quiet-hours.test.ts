import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccounts, createWebhook, retryHead, updateWebhook } from '../delivery/webhook-helpers.ts';
import { ManualClock } from '../support/clock.ts';
import { runSql } from '../support/database.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import {
  createAlert,
  createFailingWebhook,
  firingsOf,
  HOUR,
  MINUTE,
  revoked,
  startAlertService,
  untilFiring,
  untilInError,
} from './alert-helpers.ts';

// Runs on SQLite in `npm test`: it is about time zones. The tests of sending store and delay notices on both.

describe('quiet hours', () => {
  const NIGHT = { from: '00:30', to: '02:00', time_zone: 'Europe/Berlin' };

  it('delay the notice of an alert that still lasts when they end', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    await createFailingWebhook(api, target.url);
    // It is 01:00 in Berlin.
    const alert = await createAlert(api, receiver.url, { quiet_hours: NIGHT });
    assert.equal((await api.get(`/alerts/${alert}`)).body.quiet_now, true);
    clock.pass(10 * MINUTE);
    const firing = await untilFiring(api, alert, ({ state }) => state === 'FIRING', 'it fires');
    assert.deepEqual(firing.notices, []);
    clock.pass(50 * MINUTE);
    await receiver.waitFor(1);
    const { timestamp, summary } = receiver.requests[0]!.json as { timestamp: string; summary: string };
    assert.equal(timestamp, '2030-01-01T01:00:00.000Z');
    assert.match(summary, /since 1 Jan 2030, 01:00 (CET|GMT\+1)/, 'in the time zone of the quiet hours');
    assert.equal((await api.get(`/alerts/${alert}`)).body.quiet_now, false);
  });

  it('delay the notice of a dead letter, however long they last', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    const quiet_hours = { from: '23:00', to: '06:00', time_zone: 'UTC' };
    const alert = await createAlert(api, receiver.url, { condition: 'MESSAGE_DEAD_LETTERED', quiet_hours });
    await createWebhook(api, target.url, { max_attempts: 1 });
    await createAccounts(api, 'lost');
    await untilFiring(api, alert, ({ state }) => state === 'FIRING', 'it fires');
    clock.pass(6 * HOUR);
    await receiver.waitFor(1);
    const { type, timestamp } = receiver.requests[0]!.json as { type: string; timestamp: string };
    assert.deepEqual([type, timestamp], ['alert.began', '2030-01-01T06:00:00.000Z']);
    clock.pass(HOUR);
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'an hour passed');
    clock.pass(5 * MINUTE);
    await receiver.waitFor(2);
  });

  it('delay the notice of a dead letter also if someone pauses and resumes the webhook within them', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    const quiet_hours = { from: '23:00', to: '06:00', time_zone: 'UTC' };
    const alert = await createAlert(api, receiver.url, { condition: 'MESSAGE_DEAD_LETTERED', quiet_hours });
    const limits = { max_attempts: 1 };
    const webhook = await createWebhook(api, target.url, limits);
    await createAccounts(api, 'lost');
    await untilFiring(api, alert, ({ state }) => state === 'FIRING', 'it fires');
    await updateWebhook(api, webhook, target.url, { ...limits, paused: true });
    await untilFiring(api, alert, ({ end_reason }) => end_reason === 'PAUSED', 'it ended');
    await updateWebhook(api, webhook, target.url, limits);
    await untilFiring(
      api,
      alert,
      ({ state }) => state === 'FIRING',
      'nobody was notified, so it fires again',
    );
    clock.pass(6 * HOUR);
    const [notice] = await receiver.waitFor(1);
    assert.equal((notice!.json as { type: string }).type, 'alert.began');
  });

  it('delay the notice of a dead letter of their first hour also in the night in which clocks go back', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService(
      {},
      new ManualClock(Date.parse('2026-10-24T22:05:00+02:00')),
    );
    const { api, clock } = alerts;
    const quiet_hours = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' };
    const alert = await createAlert(api, receiver.url, { condition: 'MESSAGE_DEAD_LETTERED', quiet_hours });
    await createWebhook(api, target.url, { max_attempts: 1 });
    await createAccounts(api, 'lost');
    await untilFiring(api, alert, ({ state }) => state === 'FIRING', 'it fires');
    clock.pass(10 * HOUR - 5 * MINUTE);
    await receiver.waitFor(1);
    const { type, timestamp } = receiver.requests[0]!.json as { type: string; timestamp: string };
    assert.deepEqual([type, timestamp], ['alert.began', '2026-10-25T06:00:00.000Z']);
  });

  it('suppress an alert that begins and ends within them', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    const webhook = await createFailingWebhook(api, target.url);
    const alert = await createAlert(api, receiver.url, { quiet_hours: NIGHT });
    clock.pass(5 * MINUTE);
    await untilFiring(api, alert, ({ state }) => state === 'FIRING', 'it fires');
    target.respondWith(answer(200));
    await retryHead(api, webhook);
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'cleared');
    clock.pass(5 * MINUTE);
    await untilFiring(api, alert, ({ state }) => state === 'ENDED', 'it ended');
    clock.pass(HOUR);
    target.respondWith(answer(500));
    await createAccounts(api, 'fails again');
    await untilInError(api, webhook, true);
    clock.pass(5 * MINUTE);
    await receiver.waitFor(1);
    assert.equal((receiver.requests[0]!.json as { type: string }).type, 'alert.began');
    const [second, first] = await firingsOf(api, alert);
    assert.deepEqual([first.notices.length, second.notices.length], [0, 1]);
  });

  it('of a time zone that this Node.js does not know are ignored, and the log says so', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using other = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock, service } = alerts;
    await createFailingWebhook(api, target.url);
    const alert = await createAlert(api, receiver.url, { quiet_hours: NIGHT });
    await createAlert(api, other.url, { name: 'Other' });
    // As an instance with a newer Node.js would have saved it.
    await runSql(
      service.settings.data_dir,
      'update alert_rules set quiet_time_zone = ? where id = ? returning id',
      'Europe/Newtown',
      alert,
    );
    clock.pass(5 * MINUTE);
    await other.waitFor(1);
    await receiver.waitFor(1);
    const { summary } = receiver.requests[0]!.json as { summary: string };
    assert.match(summary, / UTC/);
    const { status, body } = await api.get(`/alerts/${alert}`);
    assert.deepEqual([status, body.quiet_hours.time_zone, body.quiet_now], [200, 'Europe/Newtown', false]);
    const warnings = service.logLines.filter(({ msg }) => String(msg).includes('time zone'));
    assert.deepEqual(
      warnings.map(({ level, alert_id, time_zone }) => [level, alert_id, time_zone]),
      [['warn', alert, 'Europe/Newtown']],
    );
  });
});
