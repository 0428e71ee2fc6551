import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryHead } from '../delivery/webhook-helpers.ts';
import { runSql } from '../support/database.ts';
import { until } from '../support/service.ts';
import { startMailServer } from '../support/smtp.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import {
  alertInput,
  createAlert,
  createFailingWebhook,
  firingsOf,
  HOUR,
  MINUTE,
  startWithTrouble,
  untilFiring,
  untilNotice,
} from './alert-helpers.ts';

// Runs on SQLite in `npm test`: it is about e-mails and mail servers. The tests of sending store notices and their attempts on both.

describe('a notice by e-mail', () => {
  it('shows which webhook fails, since when, why, how many messages wait, and a link', async () => {
    await using mail = await startMailServer({ user: 'alerts', password: 'open sesame' });
    await using target = await startTarget({
      respondWith: answer(403, { body: '{"message":"API key crm was revoked"}' }),
    });
    await using alerts = await startWithTrouble(target, {
      ...mail.settings,
      smtp_user: 'alerts',
      smtp_password: 'open sesame',
      base_url: 'https://learning.example.com/cw',
      target_allowed_networks: ['127.0.0.0/8'],
    });
    const { api, clock } = alerts;
    await createAlert(api, '', { target: null, email_to: ['ops@example.com', 'oncall@example.com'] });
    const [first] = await mail.waitFor(1);
    assert.deepEqual(
      [first!.from, first!.to, first!.user],
      ['coursewire@example.com', ['ops@example.com', 'oncall@example.com'], 'alerts'],
    );
    assert.equal(
      first!.subject,
      '[Coursewire] Webhook "CRM" has been failing since 1 Jan 2030, 00:00 UTC: 403 Forbidden: API key crm was revoked',
    );
    assert.equal(
      first!.text.trimEnd(),
      `${first!.subject}

Webhook "CRM" is failing
  Since: 1 Jan 2030, 00:00 UTC
  Reason: 403 Forbidden: API key crm was revoked
  Failed attempts: 1
  Messages waiting: 1
  https://learning.example.com/cw/ui/administration/integrations/webhooks/1

-- 
Sent by the alert "Failing webhooks" (after 5 min).
https://learning.example.com/cw/ui/administration/alerts/1`,
    );
    assert.match(first!.raw, /^Auto-Submitted: auto-generated\r$/m);
    const messageId = /^Message-ID: (<.*>)\r$/im.exec(first!.raw)![1]!;

    await api.delete('/webhooks/1');
    clock.pass(5 * MINUTE);
    const [, second] = await mail.waitFor(2);
    assert.equal(
      second!.subject,
      '[Coursewire] Ended: Webhook "CRM" is no longer failing: someone deleted it',
    );
    assert.ok(
      second!.raw.includes(`In-Reply-To: ${messageId}`),
      'e-mail programs show both as one conversation',
    );
  });

  it('is retried while the server rejects it, and sent once it is accepted', async () => {
    await using mail = await startMailServer();
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, mail.settings);
    mail.behaviour = 'reject';
    const id = await createAlert(alerts.api, '', { target: null, email_to: ['ops@example.com'] });
    const failed = await untilNotice(alerts, id, ({ error }) => error !== null, 'it failed');
    assert.deepEqual(
      [failed.state, failed.error, failed.attempts, failed.next_attempt_dt],
      ['WAITING', 'the SMTP server said: 451 greylisted, try later', 1, '2030-01-01T00:05:30.000Z'],
    );
    const { last_notices: shown } = (await alerts.api.get(`/alerts/${id}`)).body;
    assert.deepEqual(shown, [failed]);
    alerts.clock.pass(30_000);
    await untilNotice(
      alerts,
      id,
      ({ attempts, next_attempt_dt }) => attempts === 2 && next_attempt_dt === '2030-01-01T00:06:30.000Z',
      'it failed again',
    );
    mail.behaviour = 'accept';
    alerts.clock.pass(MINUTE);
    const sent = await untilNotice(alerts, id, ({ state }) => state === 'SENT', 'it was sent');
    assert.deepEqual([sent.error, sent.attempts, mail.mails.length], [null, 3, 1]);
  });

  it('about an end is not sent before the one about the beginning', async () => {
    await using mail = await startMailServer();
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, mail.settings);
    const { api, clock } = alerts;
    mail.behaviour = 'reject';
    const id = await createAlert(api, '', { target: null, email_to: ['ops@example.com'] });
    await untilNotice(alerts, id, ({ error }) => error !== null, 'it failed');
    // The state after several failed attempts.
    const dataDir = alerts.service.settings.data_dir;
    await runSql(dataDir, 'update alert_notices set due_at = ? returning id', clock.now() + 15 * MINUTE);
    mail.behaviour = 'accept';
    target.respondWith(answer(200));
    await retryHead(api, 1);
    await untilFiring(api, id, ({ cleared_dt }) => cleared_dt !== null, 'cleared');
    clock.pass(5 * MINUTE);
    const { notices } = await untilFiring(api, id, ({ notices: all }) => all.length === 2, 'it ended');
    assert.deepEqual(
      notices.map(({ kind, state }: Record<string, string>) => [kind, state]),
      [
        ['BEGAN', 'WAITING'],
        ['ENDED', 'WAITING'],
      ],
    );
    clock.pass(10 * MINUTE);
    const [first, second] = await mail.waitFor(2);
    assert.match(first!.subject, /has been failing/);
    assert.match(second!.subject, /Ended: /);
  });

  it('is no longer retried after a day', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using mail = await startMailServer();
    const { settings } = mail;
    await using alerts = await startWithTrouble(target, settings);
    await mail[Symbol.asyncDispose]();
    const id = await createAlert(alerts.api, '', { target: null, email_to: ['ops@example.com'] });
    const failed = await untilNotice(alerts, id, ({ error }) => error !== null, 'it failed');
    assert.equal(failed.error, 'connection refused by the SMTP server');
    alerts.clock.pass(23 * HOUR);
    await untilNotice(
      alerts,
      id,
      ({ attempts, state, next_attempt_dt: next }) =>
        attempts === 2 && state === 'WAITING' && next === '2030-01-01T23:06:00.000Z',
      'it is retried',
    );
    alerts.clock.pass(HOUR - MINUTE);
    // The token of the test has expired by then.
    const [row] = await until(async () => {
      const rows = await runSql<{ failed_at: number | null; due_at: number | null; attempts: number }>(
        alerts.service.settings.data_dir,
        'select failed_at, due_at, attempts from alert_notices where attempts = 3',
      );
      return rows.length > 0 && rows;
    }, 'the last attempt');
    assert.ok(row !== undefined);
  });

  it('says which addresses were rejected, although the others got it', async () => {
    await using mail = await startMailServer();
    mail.unknownAddresses.add('gone@example.com');
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, mail.settings);
    const id = await createAlert(alerts.api, '', {
      target: null,
      email_to: ['gone@example.com', 'ops@example.com'],
    });
    const sent = await untilNotice(alerts, id, ({ state }) => state === 'SENT', 'it was sent');
    assert.equal(sent.error, 'the SMTP server rejected gone@example.com');
    assert.deepEqual(mail.mails[0]!.to, ['ops@example.com']);
  });

  it('is sent again only to addresses that were rejected temporarily', async () => {
    await using mail = await startMailServer();
    mail.busyAddresses.add('busy@example.com');
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, mail.settings);
    const id = await createAlert(alerts.api, '', {
      target: null,
      email_to: ['busy@example.com', 'ops@example.com'],
    });
    const first = await untilNotice(alerts, id, ({ error }) => error !== null, 'one address was deferred');
    assert.deepEqual(
      [first.state, first.error, first.next_attempt_dt],
      ['SENT', 'the SMTP server deferred busy@example.com', '2030-01-01T00:05:30.000Z'],
    );
    mail.busyAddresses.clear();
    alerts.clock.pass(30_000);
    const sent = await untilNotice(alerts, id, ({ error }) => error === null, 'it was sent to both');
    assert.deepEqual([sent.state, sent.attempts, sent.next_attempt_dt], ['SENT', 2, null]);
    assert.deepEqual(
      mail.mails.map(({ to }) => to),
      [['ops@example.com'], ['busy@example.com']],
    );
    const [one, other] = mail.mails.map(({ raw }) => /^Message-ID: (.*)\r$/im.exec(raw)![1]);
    assert.equal(one, other);
  });

  it('is not sent again if its rule was disabled during an attempt that fails', async () => {
    await using mail = await startMailServer();
    mail.busyAddresses.add('busy@example.com');
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, mail.settings);
    const email_to = ['busy@example.com', 'ops@example.com'];
    const id = await createAlert(alerts.api, '', { target: null, email_to });
    await untilNotice(alerts, id, ({ error }) => error !== null, 'one address was deferred');
    mail.behaviour = 'hang';
    alerts.clock.pass(30_000);
    await untilNotice(alerts, id, ({ attempts }) => attempts === 2, 'it is being sent again');
    const input = alertInput('', { target: null, email_to, enabled: false });
    assert.equal((await alerts.api.put(`/alerts/${id}`, input)).status, 200);
    await mail[Symbol.asyncDispose]();
    const ended = () => alerts.service.logLines.filter(({ msg }) => /no longer needs to be/.test(msg));
    await until(() => ended().length > 0, 'the attempt fails');
    const notice = await untilNotice(alerts, id, () => true, 'it is there');
    assert.deepEqual([notice.state, notice.next_attempt_dt], ['SENT', null]);
  });

  it('still says which addresses were rejected after it was sent again to others', async () => {
    await using mail = await startMailServer();
    mail.busyAddresses.add('busy@example.com').add('slow@example.com');
    mail.unknownAddresses.add('gone@example.com');
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, mail.settings);
    const names = ['busy', 'slow', 'gone', 'ops'];
    const email_to = names.map((name) => `${name}@example.com`);
    const id = await createAlert(alerts.api, '', { target: null, email_to });
    const errorAfter = async (attempts: number) => {
      const isDone = (notice: { attempts: number; next_attempt_dt: string | null }) =>
        notice.attempts === attempts &&
        (notice.next_attempt_dt === null ||
          Date.parse(notice.next_attempt_dt) <= alerts.clock.now() + MINUTE);
      return (await untilNotice(alerts, id, isDone, `attempt ${attempts}`)).error;
    };
    assert.equal(
      await errorAfter(1),
      'the SMTP server deferred busy@example.com, slow@example.com and rejected gone@example.com',
    );
    mail.busyAddresses.delete('busy@example.com');
    alerts.clock.pass(30_000);
    assert.equal(
      await errorAfter(2),
      'the SMTP server deferred slow@example.com and rejected gone@example.com',
    );
    mail.busyAddresses.clear();
    alerts.clock.pass(MINUTE);
    assert.equal(await errorAfter(3), 'the SMTP server rejected gone@example.com');
  });

  it('is sent again however the rule writes the addresses', async () => {
    await using mail = await startMailServer();
    mail.busyAddresses.add('busy@example.com');
    mail.unknownAddresses.add('gone@example.com');
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, mail.settings);
    const id = await createAlert(alerts.api, '', {
      target: null,
      email_to: ['busy@Example.com', 'Odd..dots@EXAMPLE.com', 'gone@Example.com', 'ops@example.com'],
    });
    const first = await untilNotice(alerts, id, ({ error }) => error !== null, 'some were refused');
    assert.equal(
      first.error,
      // The test server does not accept two dots in a row.
      'the SMTP server deferred busy@Example.com and rejected Odd..dots@EXAMPLE.com, gone@Example.com',
    );
    mail.busyAddresses.clear();
    alerts.clock.pass(30_000);
    await untilNotice(alerts, id, ({ next_attempt_dt: next }) => next === null, 'it was sent to all others');
    assert.deepEqual(
      mail.mails.map(({ to }) => to),
      [['ops@example.com'], ['busy@example.com']],
    );
  });

  it('about a beginning is not sent any more to an address that got the end first', async () => {
    await using mail = await startMailServer();
    mail.busyAddresses.add('busy@example.com');
    await using target = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, mail.settings);
    const { api, clock } = alerts;
    const id = await createAlert(api, '', {
      target: null,
      email_to: ['busy@example.com', 'ops@example.com'],
    });
    await untilNotice(alerts, id, ({ error }) => error !== null, 'one address was deferred');
    // What several deferrals leave behind.
    const dataDir = alerts.service.settings.data_dir;
    await runSql(dataDir, 'update alert_notices set due_at = ? returning id', clock.now() + 15 * MINUTE);
    target.respondWith(answer(200));
    await retryHead(api, 1);
    await untilFiring(api, id, ({ cleared_dt }) => cleared_dt !== null, 'cleared');
    mail.busyAddresses.clear();
    clock.pass(5 * MINUTE);
    const { notices } = await untilFiring(
      api,
      id,
      ({ notices: all }) => all.length === 2 && all[1].state === 'SENT',
      'its end was sent',
    );
    assert.deepEqual(
      notices.map((each: Record<string, unknown>) => [each.kind, each.next_attempt_dt, each.error]),
      [
        ['BEGAN', null, 'the SMTP server deferred busy@example.com'],
        ['ENDED', null, null],
      ],
    );
    assert.deepEqual(
      mail.mails.map(({ to }) => to),
      [['ops@example.com'], ['busy@example.com', 'ops@example.com']],
    );
  });

  it('about a beginning is still sent to a deferred address after the end of the alert about another webhook', async () => {
    await using mail = await startMailServer();
    await using target = await startTarget({ respondWith: answer(500) });
    await using lasting = await startTarget({ respondWith: answer(500) });
    await using alerts = await startWithTrouble(target, mail.settings);
    const { api, clock } = alerts;
    const id = await createAlert(api, '', {
      target: null,
      email_to: ['busy@example.com', 'ops@example.com'],
    });
    await untilNotice(alerts, id, ({ state }) => state === 'SENT', 'the first begin was sent');
    mail.busyAddresses.add('busy@example.com');
    await createFailingWebhook(api, lasting.url, { name: 'Payroll' });
    clock.pass(5 * MINUTE);
    await untilNotice(alerts, id, ({ error }) => error !== null, 'one address was deferred');
    // What several deferrals leave behind.
    const dataDir = alerts.service.settings.data_dir;
    await runSql(
      dataDir,
      'update alert_notices set due_at = ? where due_at is not null returning id',
      clock.now() + 15 * MINUTE,
    );
    mail.busyAddresses.clear();
    target.respondWith(answer(200));
    await retryHead(api, 1);
    const first = async () => (await firingsOf(api, id)).at(-1);
    await until(async () => (await first()).cleared_dt !== null, 'the first webhook works again');
    clock.pass(5 * MINUTE);
    await until(async () => (await first()).notices[1]?.state === 'SENT', 'its end was sent');
    clock.pass(10 * MINUTE);
    const mails = await mail.waitFor(4);
    assert.deepEqual(
      mails.map(({ subject, to }) => [/Ended|CRM|Payroll/.exec(subject)![0], to]),
      [
        ['CRM', ['busy@example.com', 'ops@example.com']],
        ['Payroll', ['ops@example.com']],
        ['Ended', ['busy@example.com', 'ops@example.com']],
        ['Payroll', ['busy@example.com']],
      ],
    );
  });
});
