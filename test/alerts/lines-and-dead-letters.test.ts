import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccounts, createWebhook, updateWebhook } from '../delivery/webhook-helpers.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import {
  createAlert,
  createFailingWebhook,
  evaluated,
  firingsOf,
  HOUR,
  MINUTE,
  revoked,
  startAlertService,
  untilFiring,
} from './alert-helpers.ts';

describe('an alert about an old line', () => {
  it('begins when the oldest message has waited for its minutes, also without any failure', async () => {
    await using target = await startTarget();
    await using receiver = await startTarget();
    await using alerts = await startAlertService({ enable_queue_polling: false });
    const { api, clock } = alerts;
    const webhook = await createWebhook(api, target.url, { name: 'Slow' });
    const empty = await createWebhook(api, target.url, { name: 'Paused', paused: true });
    const alert = await createAlert(api, receiver.url, { condition: 'LINE_TOO_OLD', minutes: 30 });
    await createAccounts(api, 'first');
    clock.pass(MINUTE);
    await createAccounts(api, 'second');
    clock.pass(29 * MINUTE);
    await receiver.waitFor(1);
    const { summary, firings } = receiver.requests[0]!.json as {
      summary: string;
      firings: { waiting: number }[];
    };
    assert.equal(summary, '[Coursewire] Webhook "Slow" has had messages waiting since 1 Jan 2030, 00:00 UTC');
    assert.equal(firings[0]!.waiting, 2);
    assert.deepEqual(
      (await firingsOf(api, alert)).map(({ webhook_id }) => webhook_id),
      [webhook],
      `webhook ${empty} is paused, so it waits on purpose`,
    );
  });

  it('continues after the clock was set back while the same message waits', async () => {
    await using target = await startTarget();
    await using receiver = await startTarget();
    await using alerts = await startAlertService({ enable_queue_polling: false });
    const { api, clock } = alerts;
    const webhook = await createWebhook(api, target.url);
    const alert = await createAlert(api, receiver.url, { condition: 'LINE_TOO_OLD', minutes: 30 });
    await createAccounts(api, 'waits');
    clock.pass(30 * MINUTE);
    await receiver.waitFor(1);
    clock.pass(-20 * MINUTE);
    await evaluated(api, { webhookId: webhook, url: receiver.url });
    assert.equal((await firingsOf(api, alert))[0].cleared_dt, null, 'its message waits for 30 minutes');
  });

  it('begins when messages of old events have waited for its minutes since their redelivery or replay', async () => {
    await using target = await startTarget();
    await using receiver = await startTarget();
    await using alerts = await startAlertService({ enable_queue_polling: false });
    const { api, clock } = alerts;
    const redelivered = await createWebhook(api, target.url, { name: 'Redelivered' });
    await createAccounts(api, 'old');
    await api.post(`/webhooks/${redelivered}/line/skip`);
    const replayed = await createWebhook(api, target.url, { name: 'Replayed' });
    const certain = await createWebhook(api, target.url, { name: 'Certain' });
    clock.pass(10 * HOUR);
    const alert = await createAlert(api, receiver.url, {
      condition: 'LINE_TOO_OLD',
      minutes: 30,
      webhook_ids: [redelivered, replayed],
    });
    assert.equal((await api.post(`/webhooks/${redelivered}/deliveries/redeliver`)).body.redelivered, 1);
    const { body } = await api.post(`/webhooks/${replayed}/replay?from_dt=2001-01-01T00:00:00Z`);
    assert.equal(body.replayed, 1);
    const queuedAt = clock.now();
    await createAccounts(api, 'new');
    clock.pass(2 * MINUTE);
    await evaluated(api, { webhookId: certain, url: receiver.url });
    assert.deepEqual(await firingsOf(api, alert), []);

    clock.pass(28 * MINUTE);
    await untilFiring(api, alert, ({ state }) => state === 'FIRING', 'they have waited for 30 minutes');
    assert.deepEqual(
      (await firingsOf(api, alert))
        .map(({ webhook_id, since_dt }) => [webhook_id, Date.parse(since_dt)])
        .sort(),
      [
        [redelivered, queuedAt],
        [replayed, queuedAt],
      ],
    );
  });
});

describe('an alert about dead letters', () => {
  it('begins at once for new ones, not for those that someone skipped, and ends when they were redelivered', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    const skipped = await createFailingWebhook(api, target.url, { name: 'Skipped' });
    const alert = await createAlert(api, receiver.url, { condition: 'MESSAGE_DEAD_LETTERED' });
    clock.pass(MINUTE);
    const { head } = (await api.get(`/webhooks/${skipped}/line`)).body;
    await api.post(`/webhooks/${skipped}/line/skip?message_id=${head.message_id}`);
    const webhook = await createWebhook(api, target.url, { name: 'CRM', max_attempts: 1, topic: 'ACCOUNT' });
    await createAccounts(api, 'lost');
    await receiver.waitFor(1);
    const { summary } = receiver.requests[0]!.json as { summary: string };
    assert.equal(
      summary,
      '[Coursewire] Webhook "CRM" has had new dead letters since 1 Jan 2030, 00:01 UTC: 403 Forbidden: API key crm was revoked',
    );
    assert.deepEqual(
      (await firingsOf(api, alert)).map(({ name }) => name),
      ['CRM'],
    );
    target.respondWith(answer(200));
    const { data } = (await api.get(`/webhooks/${webhook}/deliveries?status=DEAD_LETTERED`)).body;
    await api.post(`/webhooks/${webhook}/deliveries/${data[0].id}/redeliver`);
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'redelivered');
    clock.pass(5 * MINUTE);
    await receiver.waitFor(2);
    assert.equal((receiver.requests[1]!.json as { type: string }).type, 'alert.ended');
  });

  it('ends at once, and says why, when someone pauses or deactivates the webhook', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    const acts = { PAUSED: { paused: true }, DEACTIVATED: { enabled: false } };
    for (const [reason, change] of Object.entries(acts)) {
      const limits = { name: reason, max_attempts: 1 };
      const webhook = await createWebhook(api, target.url, limits);
      const rule = { condition: 'MESSAGE_DEAD_LETTERED', webhook_ids: [webhook] };
      const alert = await createAlert(api, receiver.url, rule);
      clock.pass(5 * MINUTE);
      await createAccounts(api, 'lost');
      await untilFiring(api, alert, ({ state }) => state === 'FIRING', 'it fires');
      await updateWebhook(api, webhook, target.url, { ...limits, ...change });
      const firing = await untilFiring(api, alert, ({ notices }) => notices[1]?.state === 'SENT', reason);
      assert.deepEqual([firing.state, firing.end_reason], ['ENDED', reason]);
      const { summary } = receiver.requests.at(-1)!.json as { summary: string };
      const act = reason === 'PAUSED' ? 'paused' : 'deactivated';
      assert.equal(
        summary,
        `[Coursewire] Ended: Webhook "${reason}" no longer has new dead letters: someone ${act} it`,
      );
      assert.equal((await firingsOf(api, alert)).length, 1);
    }
  });

  it('does not begin again for the same dead letters when the webhook is resumed, but for the next one', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    const other = await createFailingWebhook(api, target.url, { name: 'Other' });
    for (const change of [{ paused: true }, { enabled: false }]) {
      const limits = { name: JSON.stringify(change), max_attempts: 1 };
      const webhook = await createWebhook(api, target.url, limits);
      const rule = { condition: 'MESSAGE_DEAD_LETTERED', webhook_ids: [webhook] };
      const alert = await createAlert(api, receiver.url, rule);
      await createAccounts(api, 'lost');
      await untilFiring(api, alert, ({ notices }) => notices[0]?.state === 'SENT', 'it is reported');
      await updateWebhook(api, webhook, target.url, { ...limits, ...change });
      await untilFiring(api, alert, ({ notices }) => notices[1]?.state === 'SENT', 'its end is reported');
      clock.pass(10 * MINUTE);
      await updateWebhook(api, webhook, target.url, limits);
      await evaluated(api, { webhookId: other, url: receiver.url });
      assert.equal((await firingsOf(api, alert)).length, 1);
      await createAccounts(api, 'lost again');
      const next = await untilFiring(api, alert, ({ state }) => state === 'FIRING', 'it fires again');
      assert.equal(Date.parse(next.since_dt), clock.now());
      await updateWebhook(api, webhook, target.url, { ...limits, enabled: false });
    }
  });

  it('ends an hour after the last one', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    const alert = await createAlert(api, receiver.url, { condition: 'MESSAGE_DEAD_LETTERED' });
    await createWebhook(api, target.url, { max_attempts: 1 });
    await createAccounts(api, 'lost');
    await receiver.waitFor(1);
    clock.pass(HOUR + 1);
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'an hour passed');
    clock.pass(5 * MINUTE);
    await receiver.waitFor(2);
    await createAccounts(api, 'lost again');
    await receiver.waitFor(3);
    assert.equal((await firingsOf(api, alert)).length, 2);
  });
});
