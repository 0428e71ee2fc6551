import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import type { NoticeContent } from '../../src/alerts/notices/notice.ts';
import { NoticeSender } from '../../src/alerts/notices/notice-sender.ts';
import type { AlertRule } from '../../src/alerts/rules/alert-rule.ts';
import { breakTable, openDatabaseOf, runSql } from '../support/database.ts';
import { until } from '../support/service.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';
import { startTarget } from '../support/target.ts';
import { answer, hang, redirect } from '../support/target-behaviours.ts';
import {
  createAlert,
  HOUR,
  MINUTE,
  startAlertService,
  startWithTrouble,
  untilFiring,
  untilNotice,
} from './alert-helpers.ts';

const HOSTILE = '<!channel> [x](http://evil.example) *b* & "q"';

describe('a notice to a URL', () => {
  it('is plain text in the form of Slack and of Teams, whatever names contain', async () => {
    await using receiver = await startTarget();
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {}, HOSTILE);
    for (const format of ['SLACK', 'TEAMS'])
      await createAlert(alerts.api, '', { target: { format, url: `${receiver.url}/${format}` } });
    await receiver.waitFor(2);
    const bodyOf = (path: string) => receiver.requests.find((request) => request.path === path)!.json;
    // biome-ignore lint/suspicious/noExplicitAny: bodies of other products.
    const slack = bodyOf('/SLACK') as any;
    assert.match(slack.text, /Webhook "&lt;!channel&gt; \[x\]/);
    for (const block of slack.blocks) {
      if (block.text !== undefined) assert.equal(block.text.type, 'plain_text');
    }
    assert.ok(slack.blocks[1].text.text.includes(HOSTILE));
    assert.equal(
      slack.blocks.find(({ type }: { type: string }) => type === 'actions').elements[0].url,
      `${alerts.service.url}/ui/administration/integrations/webhooks/1`,
    );
    // biome-ignore lint/suspicious/noExplicitAny: bodies of other products.
    const teams = bodyOf('/TEAMS') as any;
    assert.equal(teams.attachments[0].contentType, 'application/vnd.microsoft.card.adaptive');
    const { body, actions } = teams.attachments[0].content;
    for (const block of body) {
      assert.deepEqual([block.type, block.inlines[0].type], ['RichTextBlock', 'TextRun'], 'no Markdown');
    }
    assert.ok(body[1].inlines[0].text.includes(HOSTILE));
    assert.equal(actions[0].type, 'Action.OpenUrl');
  });

  it('is retried after an error, with the same id, and the page shows the receiver’s response', async () => {
    await using receiver = await startTarget({ respondWith: answer(500, { body: 'no_service' }) });
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {});
    const id = await createAlert(alerts.api, receiver.url);
    const failed = await untilNotice(alerts, id, ({ error }) => error !== null, 'it failed');
    assert.deepEqual([failed.state, failed.error], ['WAITING', '500 Internal Server Error: no_service']);
    receiver.respondWith(answer(200));
    alerts.clock.pass(30_000);
    await untilNotice(alerts, id, ({ state }) => state === 'SENT', 'it was sent');
    const [first, second] = receiver.requests.map(({ json }) => (json as { id: string }).id);
    assert.equal(first, second);
  });

  it('is retried at once if the clock was set back since it failed', async () => {
    await using receiver = await startTarget({ respondWith: answer(500) });
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {});
    const id = await createAlert(alerts.api, receiver.url);
    await untilNotice(alerts, id, ({ error }) => error !== null, 'it failed');
    receiver.respondWith(answer(200));
    alerts.clock.pass(-3 * HOUR);
    await untilNotice(alerts, id, ({ state }) => state === 'SENT', 'it was sent');
  });

  it('never shows the URL, even if the receiver repeats it or a part of it', async () => {
    const path = '/hooks/T0/B0/sEcReT';
    const long = `${path}/${'x'.repeat(40)}?key=a%20b%2Fc&token=qUeRy1`;
    await using receiver = await startTarget();
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {});
    const shownFor = async (at: string, body: string) => {
      receiver.respondWith(answer(404, { body }));
      const id = await createAlert(alerts.api, `${receiver.url}${at}`);
      const { results } = (await alerts.api.post(`/alerts/${id}/test`)).body;
      const notice = await untilNotice(alerts, id, ({ error }) => error !== null, 'it failed');
      assert.equal(notice.error, results[0].error);
      return notice.error;
    };
    assert.equal(
      await shownFor(path, `{"message":"Route POST:${path} not found"}`),
      '404 Not Found: Route POST:[censored] not found',
    );
    assert.equal(await shownFor(path, 'no hook sEcReT'), '404 Not Found: no hook [censored]');
    assert.equal(
      await shownFor(long, `${receiver.url}${long} is unknown, and so is token qUeRy1`),
      '404 Not Found: [censored] is unknown, and so is token [censored]',
    );
    const clipped = await shownFor(long, `${'.'.repeat(180)} ${long}`);
    assert.ok(clipped.endsWith(` [censored]`), 'before the text is shortened');
    const log = JSON.stringify(alerts.service.logLines);
    assert.doesNotMatch(log, /sEcReT|qUeRy1/);
  });

  it('does not show the URL if the receiver redirects to it at another address', async () => {
    const path = '/hooks/T0/B0/sEcReT';
    const location = `https://moved.example${path}`;
    await using receiver = await startTarget({ respondWith: redirect(location, 308) });
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {});
    const id = await createAlert(alerts.api, receiver.url + path);
    const { results } = (await alerts.api.post(`/alerts/${id}/test`)).body;
    assert.equal(results[0].error, '308 Permanent Redirect to https://moved.example[censored], not followed');
  });

  it('is sent to the current URL of the rule, so that a corrected one gets unsent notices', async () => {
    await using receiver = await startTarget();
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {});
    const id = await createAlert(alerts.api, 'http://127.0.0.1:9/');
    await untilNotice(alerts, id, ({ error }) => error === 'connection refused', 'it failed');
    const { body } = await alerts.api.get(`/alerts/${id}`);
    await alerts.api.put(`/alerts/${id}`, { ...body, target: { format: 'JSON', url: receiver.url } });
    alerts.clock.pass(30_000);
    await receiver.waitFor(1);
  });

  it('is not sent any more once the rule is disabled or watches something else', async () => {
    await using receiver = await startTarget({ respondWith: answer(500) });
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {});
    const { api, clock } = alerts;
    for (const change of [{ enabled: false }, { condition: 'LINE_TOO_OLD', minutes: 60 }]) {
      const id = await createAlert(api, receiver.url);
      await untilNotice(alerts, id, ({ error }) => error !== null, 'it failed');
      const { body } = await api.get(`/alerts/${id}`);
      assert.deepEqual((await api.put(`/alerts/${id}`, { ...body, ...change })).body.last_notices, []);
    }
    receiver.respondWith(answer(200));
    const before = receiver.requests.length;
    clock.pass(HOUR - 5 * MINUTE);
    await receiver.waitFor(before + 1);
    assert.match(
      (receiver.requests[before]!.json as { summary: string }).summary,
      /has had messages waiting since/,
    );
    assert.equal(receiver.requests.length, before + 1);
  });

  it('is still shown once the rule is disabled if it was sent to some addresses, and not sent to the others', async () => {
    await using mail = await startMailServer();
    mail.busyAddresses.add('busy@example.com');
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, mail.settings);
    const { api } = alerts;
    const email_to = ['busy@example.com', 'ops@example.com'];
    const id = await createAlert(api, '', { target: null, email_to });
    const waiting = await untilNotice(alerts, id, ({ error }) => error !== null, 'one address was deferred');
    assert.notEqual(waiting.next_attempt_dt, null);
    const { body } = await api.get(`/alerts/${id}`);
    const disabled = (await api.put(`/alerts/${id}`, { ...body, enabled: false })).body;
    assert.deepEqual(disabled.last_notices, [{ ...waiting, next_attempt_dt: null }]);
  });

  it('that could not be sent is not retried in quiet hours, but after them', async () => {
    await using receiver = await startTarget({ respondWith: answer(500) });
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {});
    const { api, clock } = alerts;
    const id = await createAlert(api, receiver.url);
    await untilNotice(alerts, id, ({ error }) => error !== null, 'it failed');
    receiver.respondWith(answer(200));
    const { body } = await api.get(`/alerts/${id}`);
    const quiet = { from: '00:05', to: '00:30', time_zone: 'UTC' };
    await api.put(`/alerts/${id}`, { ...body, quiet_hours: quiet });
    clock.pass(30_000);
    await untilNotice(
      alerts,
      id,
      ({ attempts, next_attempt_dt: next }) => attempts === 1 && next === '2030-01-01T00:06:30.000Z',
      'it was postponed without an attempt',
    );
    clock.pass(25 * MINUTE);
    const sent = await untilNotice(alerts, id, ({ state }) => state === 'SENT', 'it was sent');
    assert.deepEqual([sent.attempts, sent.sent_dt], [2, '2030-01-01T00:30:30.000Z']);
  });

  it('obeys the guard of targets when it is sent, too', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, { target_allowed_networks: ['127.0.0.1/32'] });
    const id = await createAlert(alerts.api, 'http://localhost:9/');
    await runSql(alerts.service.settings.data_dir, 'select 1 as one');
    const { body } = await alerts.api.post(`/alerts/${id}/test`);
    assert.equal(body.results[0].sent, false);
    const refused = await startAlertService({ target_allowed_networks: [] });
    await using _ = refused;
    const other = await createAlert(refused.api, 'http://localhost:9/');
    const { results } = (await refused.api.post(`/alerts/${other}/test`)).body;
    assert.equal(results[0].error, 'the host name resolves to an address that is not allowed');
  });

  it('is repeated, at most once, if its sender died before recording it', async () => {
    await using receiver = await startTarget();
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {});
    const id = await createAlert(alerts.api, receiver.url);
    await untilNotice(alerts, id, ({ state }) => state === 'SENT', 'it was sent');
    // The state that a killed sender leaves: an attempt without a result, and the time from which it counts as dead.
    const leased = alerts.clock.now() + 2 * MINUTE;
    await runSql(
      alerts.service.settings.data_dir,
      'update alert_notices set sent_at = null, due_at = ? returning id',
      leased,
    );
    alerts.clock.pass(2 * MINUTE);
    await receiver.waitFor(2);
    await untilNotice(
      alerts,
      id,
      ({ state, attempts }) => state === 'SENT' && attempts === 2,
      'it was recorded',
    );
    const [first, second] = receiver.requests.map(({ json }) => (json as { id: string }).id);
    assert.equal(first, second, 'the receiver can tell that it is the same');
  });
});

describe('channels', () => {
  it('do not wait for each other: a mail server that hangs delays neither the URL nor a stop', async () => {
    await using mail: MailServer = await startMailServer();
    mail.behaviour = 'hang';
    await using receiver = await startTarget();
    await using target = await startTarget({ respondWith: answer(500) });
    const alerts = await startWithTrouble(target, mail.settings);
    await using _ = alerts;
    const id = await createAlert(alerts.api, receiver.url, { email_to: ['ops@example.com'] });
    await receiver.waitFor(1);
    const firing = await untilFiring(
      alerts.api,
      id,
      ({ notices }) =>
        notices.some(({ channel, state }: Record<string, string>) => channel === 'URL' && state === 'SENT'),
      'the URL got it',
    );
    const waiting = firing.notices.find(({ channel }: { channel: string }) => channel === 'EMAIL');
    assert.deepEqual([waiting.state, waiting.error], ['WAITING', null]);
    const startedAt = performance.now();
    await alerts.service.stop();
    assert.ok(performance.now() - startedAt < 10_000, 'a stop does not wait for the deadline of 90 s');
  });

  it('leave nothing behind on a signal that outlives many notices', async () => {
    const sender = new NoticeSender({
      mailer: { send: async () => ({ sent: true, error: null }) },
      post: async () => ({ outcome: 'DELIVERED', status: 200, responseBody: null, reason: null }),
      cipher: { decrypt: () => 'http://127.0.0.1:9/' },
      baseUrl: () => 'http://127.0.0.1',
    });
    const rule = { id: 1, target: { format: 'JSON', origin: '', storedUrl: '' } } as unknown as AlertRule;
    const content: NoticeContent = {
      kind: 'TEST',
      rule: { id: 1, name: 'Test', condition: 'LINE_TOO_OLD', minutes: 1 },
      firings: [],
      total: 0,
      timeZone: 'UTC',
      repliesTo: [],
    };
    const { signal } = new AbortController();
    for (const batch of ['a', 'b'])
      assert.ok((await sender.send(rule, 'URL', { batch, content, createdAt: 0 }, signal)).sent);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('say in the log why notices cannot be processed', async () => {
    await using receiver = await startTarget();
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, {});
    const { service } = alerts;
    await using database = await openDatabaseOf(service.settings.data_dir);
    const broken = await breakTable(database, 'alert_notices', 'update');
    await createAlert(alerts.api, receiver.url);
    await until(
      () => JSON.stringify(service.logLines).includes('notices of alerts could not be processed'),
      'it is logged',
    );
    await broken[Symbol.asyncDispose]();
    await receiver.waitFor(1);
  });

  it('do not delay a stop either while a URL hangs', async () => {
    await using receiver = await startTarget({ respondWith: hang() });
    await using target = await startTarget({ respondWith: answer(500) });
    const alerts = await startWithTrouble(target, {});
    await using _ = alerts;
    await createAlert(alerts.api, receiver.url);
    await receiver.waitFor(1);
    const startedAt = performance.now();
    await alerts.service.stop();
    assert.ok(performance.now() - startedAt < 10_000);
  });
});

describe('a test', () => {
  it('is sent at once over every channel, even if the rule is disabled and in quiet hours', async () => {
    await using mail = await startMailServer();
    await using receiver = await startTarget();
    await using alerts = await startAlertService(mail.settings);
    const id = await createAlert(alerts.api, receiver.url, {
      enabled: false,
      email_to: ['ops@example.com'],
      quiet_hours: { from: '00:00', to: '23:59', time_zone: 'UTC' },
    });
    const { status, body } = await alerts.api.post(`/alerts/${id}/test`);
    assert.equal(status, 200);
    assert.deepEqual(
      body.results.map(({ channel, sent, error }: Record<string, unknown>) => [channel, sent, error]),
      [
        ['EMAIL', true, null],
        ['URL', true, null],
      ],
    );
    assert.equal((receiver.requests[0]!.json as { type: string }).type, 'alert.test');
    assert.equal(mail.mails[0]!.subject, '[Coursewire] Test of the alert "Failing webhooks"');
    assert.match(mail.mails[0]!.text, /This is a test\. Nothing is wrong\./);
    assert.deepEqual((await alerts.api.get(`/alerts/${id}`)).body.last_notices, []);
  });

  it('says for each channel why it failed', async () => {
    await using receiver = await startTarget({ respondWith: answer(404, { body: 'no_team' }) });
    await using alerts = await startAlertService();
    const id = await createAlert(alerts.api, receiver.url);
    const { results } = (await alerts.api.post(`/alerts/${id}/test`)).body;
    assert.deepEqual([results[0].sent, results[0].error], [false, '404 Not Found: no_team']);
  });
});
