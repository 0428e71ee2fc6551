import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccounts, createWebhook, retryHead } from '../delivery/webhook-helpers.ts';
import { until } from '../support/service.ts';
import { startMailServer } from '../support/smtp.ts';
import { startTarget } from '../support/target.ts';
import { answer, type TargetExchange } from '../support/target-behaviours.ts';
import {
  alertInput,
  createAlert,
  evaluated,
  firingsOf,
  HOUR,
  MINUTE,
  startFiring,
  startWithTrouble,
  untilFiring,
  untilInError,
  untilNotice,
} from './alert-helpers.ts';

const DAY = 24 * HOUR;

describe('a rule with an alert', () => {
  it('that is disabled ends its alerts and sends nothing more, until it is enabled', async () => {
    await using begun = await startFiring();
    const { api, clock, target, receiver, webhook, alert } = begun;
    const disabled = alertInput(receiver.url, { enabled: false });
    assert.equal((await api.put(`/alerts/${alert}`, disabled)).body.firing, 0);
    const [firing] = await firingsOf(api, alert);
    assert.deepEqual([firing.state, firing.end_reason], ['ENDED', 'RULE_CHANGED']);
    clock.pass(10 * MINUTE);
    await evaluated(api, { webhookId: webhook, url: target.url });
    assert.equal((await firingsOf(api, alert)).length, 1);
    assert.equal(receiver.requests.length, 1);
    await api.put(`/alerts/${alert}`, alertInput(receiver.url));
    await receiver.waitFor(2);
    assert.equal((receiver.requests[1]!.json as { type: string }).type, 'alert.began');
  });

  it('that was disabled never reports an alert that ended before', async () => {
    await using begun = await startFiring();
    const { api, clock, target, receiver, webhook, alert } = begun;
    // Nothing is sent about the end yet.
    const quiet_hours = { from: '00:00', to: '12:00', time_zone: 'UTC' };
    await api.put(`/alerts/${alert}`, alertInput(receiver.url, { quiet_hours }));
    target.respondWith(answer(200));
    await retryHead(api, webhook);
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'cleared');
    clock.pass(5 * MINUTE);
    await untilFiring(api, alert, ({ state }) => state === 'ENDED', 'it ended');
    await api.put(`/alerts/${alert}`, alertInput(receiver.url, { enabled: false }));
    await api.put(`/alerts/${alert}`, alertInput(receiver.url));
    target.respondWith(answer(500));
    await createAccounts(api, 'fails again');
    await untilInError(api, webhook, true);
    clock.pass(5 * MINUTE);
    await receiver.waitFor(2);
    assert.equal((receiver.requests[1]!.json as { type: string }).type, 'alert.began');
  });

  it('that gets the same webhooks in another order keeps its alerts, and sends nothing again', async () => {
    await using begun = await startFiring();
    const { api, target, receiver, webhook } = begun;
    const other = await createWebhook(api, target.url, { name: 'Other', topic: 'COURSE' });
    const alert = await createAlert(api, receiver.url, { webhook_ids: [webhook, other] });
    await receiver.waitFor(2);
    const reordered = alertInput(receiver.url, { webhook_ids: [other, webhook] });
    const { body } = await api.put(`/alerts/${alert}`, reordered);
    assert.deepEqual([body.webhook_ids, body.firing], [[other, webhook], 1]);
    await evaluated(api, { webhookId: webhook, url: target.url });
    assert.deepEqual(
      (await firingsOf(api, alert)).map(({ state }) => state),
      ['FIRING'],
    );
    assert.equal(receiver.requests.length, 2);
    const fewer = await api.put(`/alerts/${alert}`, alertInput(receiver.url, { webhook_ids: [other] }));
    assert.equal(fewer.body.firing, 0, 'another list ends them');
  });

  it('that is changed to watch dead letters ignores earlier ones, like a new rule', async () => {
    await using begun = await startFiring();
    const { api, clock, target, receiver, webhook, alert } = begun;
    const lossy = await createWebhook(api, target.url, { name: 'Lossy', max_attempts: 1 });
    await createAccounts(api, 'lost');
    await until(async () => {
      const { body } = await api.get(`/webhooks/${lossy}/deliveries?status=DEAD_LETTERED`);
      return body.data.length > 0;
    }, 'it is dead-lettered');
    clock.pass(1);
    const change = { condition: 'MESSAGE_DEAD_LETTERED' };
    assert.equal((await api.put(`/alerts/${alert}`, alertInput(receiver.url, change))).status, 200);
    await evaluated(api, { webhookId: webhook, url: target.url });
    assert.deepEqual(
      (await firingsOf(api, alert)).map(({ condition }) => condition),
      ['WEBHOOK_IN_ERROR'],
    );
  });

  it('that is deleted leaves its past alerts in the list', async () => {
    await using begun = await startFiring();
    const { api, webhook, alert } = begun;
    assert.equal((await api.get('/alert-firings?state=FIRING')).body.data.length, 1);
    assert.equal((await api.get('/alert-firings?state=firing')).status, 400, 'spelt as in the records');
    assert.equal((await api.delete(`/alerts/${alert}`)).status, 204);
    assert.equal((await api.get('/alert-firings?state=FIRING')).body.data.length, 0);
    const { data } = (await api.get(`/alert-firings?state=ENDED&webhook_id=${webhook}`)).body;
    assert.deepEqual([data[0].alert_name, data[0].end_reason], ['Failing webhooks', 'RULE_DELETED']);
  });
});

/** A webhook whose target fails, a mail server, and a receiver of notices. @param respondWith how the receiver responds */
async function startWithReceivers(respondWith = answer(200)) {
  await using stack = new AsyncDisposableStack();
  const mail = stack.use(await startMailServer());
  const receiver = stack.use(await startTarget({ respondWith }));
  const target = stack.use(await startTarget({ respondWith: answer(500) }));
  const alerts = stack.use(await startWithTrouble(target, mail.settings));
  const opened = stack.move();
  return { mail, receiver, target, alerts, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

describe('a rule that loses a channel', () => {
  it('neither retries nor shows the notices that waited for it, even once it has the channel again', async () => {
    await using begun = await startWithReceivers();
    const { mail, receiver, target, alerts } = begun;
    mail.behaviour = 'reject';
    const { api, clock } = alerts;
    const both = alertInput(receiver.url, { email_to: ['ops@example.com'] });
    const { id: alert } = await api.create('/alerts', both);
    const noticesOf = async (): Promise<[string, string][]> => {
      const { last_notices: notices } = (await api.get(`/alerts/${alert}`)).body;
      return notices.map(({ channel, state }: Record<string, string>) => [channel, state]);
    };
    await until(async () => mail.refused === 1 && String(await noticesOf()).includes('SENT'), 'one was sent');
    await api.put(`/alerts/${alert}`, alertInput(receiver.url));
    assert.deepEqual(await noticesOf(), [['URL', 'SENT']]);
    mail.behaviour = 'accept';
    await api.put(`/alerts/${alert}`, both);
    target.respondWith(answer(200));
    await retryHead(api, 1);
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'cleared');
    clock.pass(5 * MINUTE);
    await mail.waitFor(1);
    assert.match(mail.mails[0]!.subject, /Ended: /);
    assert.equal(mail.mails.length, 1);
    assert.equal(receiver.requests.length, 2, 'the other channel got both notices once');
  });

  it('does not show what was sent over it', async () => {
    await using begun = await startWithReceivers();
    const { receiver, alerts } = begun;
    const { api } = alerts;
    const alert = await createAlert(api, '', { target: null, email_to: ['ops@example.com'] });
    await untilNotice(alerts, alert, ({ state }) => state === 'SENT', 'it was sent');
    const { body } = await api.put(`/alerts/${alert}`, alertInput(receiver.url));
    assert.deepEqual([body.last_notices, body.firing], [[], 1]);
    const [firing] = await firingsOf(api, alert);
    assert.equal(firing.notices[0].state, 'SENT', 'the alert says it');
  });

  it('sends what reached nobody over the channel that it has instead', async () => {
    await using begun = await startWithReceivers();
    const { mail, receiver, alerts } = begun;
    mail.behaviour = 'reject';
    const { api } = alerts;
    const alert = await createAlert(api, '', { target: null, email_to: ['ops@example.com'] });
    await untilNotice(alerts, alert, ({ error }) => error !== null, 'it failed');
    await api.put(`/alerts/${alert}`, alertInput(receiver.url));
    const notice = await untilNotice(alerts, alert, ({ state }) => state === 'SENT', 'it was sent');
    assert.deepEqual([notice.channel, notice.kind, notice.attempts], ['URL', 'BEGAN', 1]);
    assert.equal((await firingsOf(api, alert)).length, 1, 'it is the same alert');
  });

  it('sends what could not be sent for a day over the channel that it has instead', async () => {
    await using begun = await startWithReceivers();
    const { mail, receiver, alerts } = begun;
    mail.behaviour = 'reject';
    const { api, clock } = alerts;
    const alert = await createAlert(api, '', { target: null, email_to: ['ops@example.com'] });
    await untilNotice(alerts, alert, ({ error }) => error !== null, 'it failed');
    clock.pass(DAY);
    await untilNotice(alerts, alert, ({ state }) => state === 'FAILED', 'it is not retried any more');
    await api.put(`/alerts/${alert}`, alertInput(receiver.url));
    const notice = await untilNotice(alerts, alert, ({ state }) => state === 'SENT', 'it was sent');
    assert.deepEqual([notice.channel, notice.kind], ['URL', 'BEGAN']);
    assert.equal((await firingsOf(api, alert)).length, 1, 'it is the same alert');
  });

  it('sends again over the other channel if that could not send for a day, either', async () => {
    await using begun = await startWithReceivers(answer(500));
    const { mail, receiver, alerts } = begun;
    mail.behaviour = 'reject';
    const { api, clock } = alerts;
    const alert = await createAlert(api, receiver.url, { email_to: ['ops@example.com'] });
    const untilNotices = (
      isWanted: (notices: { state: string; error: string | null }[]) => boolean,
      what: string,
    ) => untilFiring(api, alert, ({ notices }) => isWanted(notices), what);
    await untilNotices((notices) => notices.every(({ error }) => error !== null), 'both failed');
    clock.pass(DAY);
    await untilNotices((notices) => notices.every(({ state }) => state === 'FAILED'), 'neither is retried');
    receiver.respondWith(answer(200));
    await api.put(`/alerts/${alert}`, alertInput(receiver.url));
    await untilNotices(([notice]) => notice?.state === 'SENT', 'it was sent');
  });

  it('still sends what waits for its other channel once, and the end', async () => {
    await using begun = await startWithReceivers(answer(500));
    const { mail, receiver, target, alerts } = begun;
    mail.behaviour = 'reject';
    const { api, clock } = alerts;
    const alert = await createAlert(api, receiver.url, { email_to: ['ops@example.com'] });
    await untilFiring(
      api,
      alert,
      ({ notices }) => notices.every(({ error }: { error: string | null }) => error !== null),
      'both failed',
    );
    receiver.respondWith(answer(200));
    await api.put(`/alerts/${alert}`, alertInput(receiver.url));
    clock.pass(MINUTE);
    await untilFiring(api, alert, ({ notices: [notice] }) => notice.state === 'SENT', 'it was sent');
    target.respondWith(answer(200));
    await retryHead(api, 1);
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'cleared');
    clock.pass(5 * MINUTE);
    const [, ...accepted] = await receiver.waitFor(3);
    assert.deepEqual(
      accepted.map(({ json }) => (json as { type: string }).type),
      ['alert.began', 'alert.ended'],
    );
  });

  it('does not retry a notice whose attempt was under way, and logs no error', async () => {
    const posted = Promise.withResolvers<TargetExchange>();
    await using begun = await startWithReceivers(posted.resolve);
    const { mail, receiver, alerts } = begun;
    const { api, service } = alerts;
    const email_to = ['ops@example.com'];
    const alert = await createAlert(api, receiver.url, { email_to });
    await mail.waitFor(1);
    const exchange = await posted.promise;
    await api.put(`/alerts/${alert}`, alertInput('', { target: null, email_to }));
    answer(500)(exchange);
    const failed = await until(
      () => service.logLines.find(({ msg }) => String(msg).includes('could not be sent')),
      'the attempt failed',
    );
    assert.deepEqual(
      [failed.level, failed.msg],
      ['info', 'a notice of an alert could not be sent, and no longer needs to be'],
    );
    const notice = await untilNotice(alerts, alert, ({ state }) => state === 'SENT', 'one is left');
    assert.equal(notice.channel, 'EMAIL');
  });
});
