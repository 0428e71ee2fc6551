import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccounts, retryHead } from '../delivery/webhook-helpers.ts';
import { startTarget } from '../support/target.ts';
import { answer, redirect } from '../support/target-behaviours.ts';
import {
  createAlert,
  createFailingWebhook,
  evaluated,
  firingsOf,
  HOUR,
  MINUTE,
  revoked,
  startAlertService,
  startFiring,
  untilFiring,
  untilInError,
} from './alert-helpers.ts';

// Runs on SQLite in `npm test`: the rules are evaluated in the process, whatever stores their alerts. The tests of evaluation, sending and old lines run the same statements on both.

describe('an alert about a webhook in error', () => {
  it('does not repeat the URL of the target, which may contain a token, from its response', async () => {
    const message = 'Route POST:/hook?token=s3cr3t-token not found';
    await using target = await startTarget({
      respondWith: answer(404, { body: JSON.stringify({ message }) }),
    });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    await createFailingWebhook(api, `${target.url}/hook?token=s3cr3t-token`, { name: 'CRM' });
    await createAlert(api, receiver.url);
    clock.pass(5 * MINUTE);
    await receiver.waitFor(1);
    const { text } = receiver.requests[0]!;
    assert.match(text, /404 Not Found: Route POST:.+ not found/);
    assert.doesNotMatch(text, /s3cr3t/);
  });

  it('does not repeat the URL of the target from the reason, which names the address of a redirect', async () => {
    await using target = await startTarget({
      respondWith: redirect('https://receiver.example/hooks/s3cr3t-token/'),
    });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    await createFailingWebhook(api, `${target.url}/hooks/s3cr3t-token`, { name: 'CRM' });
    await createAlert(api, receiver.url);
    clock.pass(5 * MINUTE);
    await receiver.waitFor(1);
    const { text } = receiver.requests[0]!;
    assert.match(text, /302 Found to https:\/\/receiver\.example.+, not followed/);
    assert.doesNotMatch(text, /s3cr3t/);
  });

  it('begins once after its minutes, and ends once after the webhook has worked for five minutes', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    const webhook = await createFailingWebhook(api, target.url, { name: 'CRM' });
    const alert = await createAlert(api, receiver.url);
    clock.pass(5 * MINUTE - 1);
    await evaluated(api, { webhookId: webhook, url: receiver.url });
    assert.deepEqual(await firingsOf(api, alert), []);

    const before = receiver.requests.length;
    clock.pass(1);
    await receiver.waitFor(before + 1);
    const begun = receiver.requests[before]!.json as Record<string, unknown>;
    const { id, link, firings, ...notice } = begun as {
      id: string;
      link: string;
      firings: { link: string }[];
    };
    assert.deepEqual(notice, {
      type: 'alert.began',
      timestamp: '2030-01-01T00:05:00.000Z',
      summary:
        '[Coursewire] Webhook "CRM" has been failing since 1 Jan 2030, 00:00 UTC: 403 Forbidden: API key crm was revoked',
      alert: { id: alert, name: 'Failing webhooks', condition: 'WEBHOOK_IN_ERROR', minutes: 5 },
      total: 1,
    });
    assert.equal(link, `${alerts.service.url}/ui/administration/integrations/webhooks/${webhook}`);
    assert.deepEqual(firings, [
      {
        subject: `webhook:${webhook}`,
        name: 'CRM',
        webhook_id: webhook,
        since_dt: '2030-01-01T00:00:00.000Z',
        ended_dt: null,
        end_reason: null,
        reason: '403 Forbidden',
        explanation: 'API key crm was revoked',
        failures: 1,
        waiting: 1,
        link,
      },
    ]);
    assert.equal(receiver.requests[before]!.headers['webhook-id'], id);

    target.respondWith(answer(200));
    await retryHead(api, webhook);
    await untilInError(api, webhook, false);
    const cleared = await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'cleared');
    assert.equal(cleared.state, 'FIRING');
    clock.pass(5 * MINUTE);
    await receiver.waitFor(before + 2);
    const ended = receiver.requests[before + 1]!.json as Record<string, unknown>;
    assert.deepEqual(
      [ended.type, ended.summary],
      ['alert.ended', '[Coursewire] Ended: Webhook "CRM" is no longer failing'],
    );
    const firing = await untilFiring(
      api,
      alert,
      ({ notices }) => notices.length === 2 && notices[1].state === 'SENT',
      'both notices were sent',
    );
    assert.deepEqual(
      [firing.state, firing.end_reason, firing.ended_dt, firing.relapses],
      ['ENDED', 'RESOLVED', '2030-01-01T00:05:00.000Z', 0],
    );
    assert.deepEqual(
      firing.notices.map(({ kind, channel, state, attempts }: Record<string, unknown>) => [
        kind,
        channel,
        state,
        attempts,
      ]),
      [
        ['BEGAN', 'URL', 'SENT', 1],
        ['ENDED', 'URL', 'SENT', 1],
      ],
    );
    assert.equal((await firingsOf(api, alert)).length, 1);
    assert.equal(receiver.requests.length, before + 2);
  });

  it('continues, and sends nothing, if the webhook fails again within five minutes', async () => {
    await using begun = await startFiring();
    const { api, clock, target, receiver, webhook, alert } = begun;
    target.respondWith(answer(200));
    await retryHead(api, webhook);
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'cleared');
    clock.pass(5 * MINUTE - 1);
    target.respondWith(answer(500));
    await createAccounts(api, 'fails again');
    const firing = await untilFiring(
      api,
      alert,
      ({ relapses }) => relapses === 1,
      'the webhook failed again',
    );
    assert.deepEqual([firing.state, firing.cleared_dt], ['FIRING', null]);
    clock.pass(5 * MINUTE);
    await evaluated(api, { webhookId: webhook, url: target.url });
    assert.equal((await firingsOf(api, alert)).length, 1);
    assert.equal(receiver.requests.length, 1);
  });

  it('continues after an edit until the message that failed is tried again', async () => {
    await using begun = await startFiring();
    const { api, clock, target, receiver, webhook, alert } = begun;
    const { body: record } = await api.get(`/webhooks/${webhook}`);
    assert.equal((await api.put(`/webhooks/${webhook}`, { ...record, name: 'Renamed' })).status, 200);
    assert.equal((await api.get(`/webhooks/${webhook}`)).body.in_error, false);
    clock.pass(HOUR);
    await evaluated(api, { webhookId: webhook, url: target.url });
    const [edited] = await firingsOf(api, alert);
    assert.deepEqual([edited.state, edited.cleared_dt], ['FIRING', null]);
    const later = await createAlert(api, receiver.url, { name: 'Later' });
    await evaluated(api, { webhookId: webhook, url: target.url });
    assert.deepEqual(await firingsOf(api, later), [], 'none begins for a webhook that is not in error');

    await retryHead(api, webhook);
    await untilInError(api, webhook, true);
    target.respondWith(answer(200));
    await retryHead(api, webhook);
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'cleared');
    clock.pass(5 * MINUTE);
    const ended = await untilFiring(api, alert, ({ state }) => state === 'ENDED', 'ended');
    assert.deepEqual([ended.end_reason, ended.relapses], ['RESOLVED', 0]);
  });

  it('begins and ends as usual after the clock was set back', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    clock.pass(2 * HOUR);
    const webhook = await createFailingWebhook(api, target.url);
    const alert = await createAlert(api, receiver.url);
    clock.pass(5 * MINUTE);
    await receiver.waitFor(1);
    target.respondWith(answer(200));
    await retryHead(api, webhook);
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'cleared');
    clock.pass(-HOUR);
    await untilFiring(
      api,
      alert,
      ({ cleared_dt }) => cleared_dt === '2030-01-01T01:05:00.000Z',
      'cleared by the new time',
    );
    clock.pass(5 * MINUTE);
    await receiver.waitFor(2);
    target.respondWith(answer(500));
    await createAccounts(api, 'fails again');
    await untilInError(api, webhook, true);
    clock.pass(5 * MINUTE);
    await receiver.waitFor(3);
    assert.deepEqual(
      receiver.requests.map(({ json }) => (json as { type: string }).type),
      ['alert.began', 'alert.ended', 'alert.began'],
    );
  });

  it('continues after the clock was set back while the webhook still fails, and begins for another rule', async () => {
    await using firing = await startFiring();
    const { api, clock, receiver, webhook, alert } = firing;
    clock.pass(-HOUR);
    await retryHead(api, webhook);
    const later = await createAlert(api, receiver.url, { name: 'Later' });
    await untilFiring(api, later, ({ state }) => state === 'FIRING', 'the other one fires');
    const [{ state, cleared_dt }] = await firingsOf(api, alert);
    assert.deepEqual([state, cleared_dt], ['FIRING', null]);
  });

  it('ends at once, and says why, when someone pauses, deactivates or deletes the webhook', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    const acts = {
      PAUSED: (id: number) => api.put(`/webhooks/${id}`, webhookOf('PAUSED', { paused: true })),
      DEACTIVATED: (id: number) => api.put(`/webhooks/${id}`, webhookOf('DEACTIVATED', { enabled: false })),
      DELETED: (id: number) => api.delete(`/webhooks/${id}`),
    };
    const webhookOf = (name: string, changes: object) => ({
      name,
      topic: 'ACCOUNT',
      target_url: target.url,
      ...changes,
    });
    const rules: Record<string, number> = {};
    for (const [reason, act] of Object.entries(acts)) {
      const id = await createFailingWebhook(api, target.url, { name: reason });
      rules[reason] = await createAlert(api, receiver.url, { webhook_ids: [id] });
      clock.pass(5 * MINUTE);
      await untilFiring(api, rules[reason], ({ state }) => state === 'FIRING', 'it fires');
      await act(id);
      const firing = await untilFiring(api, rules[reason], ({ state }) => state === 'ENDED', reason);
      assert.equal(firing.end_reason, reason);
    }
    await receiver.waitFor(6);
    const ends = receiver.requests
      .map(({ json }) => json as { type: string; summary: string })
      .filter(({ type }) => type === 'alert.ended')
      .map(({ summary }) => summary);
    assert.deepEqual(ends, [
      '[Coursewire] Ended: Webhook "PAUSED" is no longer failing: someone paused it',
      '[Coursewire] Ended: Webhook "DEACTIVATED" is no longer failing: someone deactivated it',
      '[Coursewire] Ended: Webhook "DELETED" is no longer failing: someone deleted it',
    ]);
  });

  it('reports webhooks that fail together in one notice, and later ones together after five minutes', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    for (const name of ['A', 'B', 'C', 'D', 'E']) await createFailingWebhook(api, target.url, { name });
    await createAlert(api, receiver.url);
    clock.pass(5 * MINUTE);
    await receiver.waitFor(1);
    const later = [];
    for (const name of ['F', 'G']) later.push(await createFailingWebhook(api, target.url, { name }));
    clock.pass(5 * MINUTE);
    await receiver.waitFor(2);
    assert.deepEqual(
      receiver.requests.map(({ json }) => (json as { summary: string }).summary),
      [
        '[Coursewire] 5 webhooks in trouble: Webhook "A", Webhook "B", Webhook "C" and 2 more',
        '[Coursewire] 2 webhooks in trouble: Webhook "F", Webhook "G"',
      ],
    );
  });

  it('is only about the webhooks that the rule names', async () => {
    await using target = await startTarget({ respondWith: revoked });
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock } = alerts;
    await createFailingWebhook(api, target.url, { name: 'Other' });
    const named = await createFailingWebhook(api, target.url, { name: 'Named' });
    const alert = await createAlert(api, receiver.url, { webhook_ids: [named] });
    clock.pass(5 * MINUTE);
    await receiver.waitFor(1);
    assert.deepEqual(
      (await firingsOf(api, alert)).map(({ webhook_id }) => webhook_id),
      [named],
    );
  });
});
