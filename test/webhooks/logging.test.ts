import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { LogLevel } from '../../src/settings/log-level.ts';
import { importCourse } from '../content/packages.ts';
import { CLIENT_EMAIL, startTestService, type TestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { byPath, echo, failTimes } from '../support/target-behaviours.ts';
import { webhookInput } from './webhook-expectations.ts';

// Runs on SQLite alone: the mode decides what is stored, and the tests of the history store it.

const MODES = ['NONE', 'SUMMARY', 'FULL', 'FULLONERROR'] as const;
type Mode = (typeof MODES)[number];
type Extent = 'nothing' | 'summary' | 'full';

const SECRET = 'the-secret/of the "target" ü';
const SUMMARY_MEMBERS = [
  'attempt',
  'class',
  'duration_ms',
  'event',
  'level',
  'message_id',
  'msg',
  'outcome',
  'status',
  'time',
  'webhook_id',
];
const FULL_MEMBERS = [...SUMMARY_MEMBERS, 'message', 'response_body', 'target_url'];

/** What each logging mode logs at INFO. */
const EXTENTS: Readonly<Record<Mode, { success: Extent; failure: Extent }>> = {
  NONE: { success: 'nothing', failure: 'nothing' },
  SUMMARY: { success: 'summary', failure: 'summary' },
  FULL: { success: 'full', failure: 'full' },
  FULLONERROR: { success: 'summary', failure: 'full' },
};
const EVERYTHING = { success: 'full', failure: 'full' } as const;

interface Line extends Record<string, unknown> {
  level: string;
  msg: string;
  event: string;
  webhook_id: number;
  outcome: string;
  message?: unknown;
  response_body?: { body: string; headers: Record<string, string> };
}

function deliveryLinesOf({ logLines }: TestService, id: number) {
  return logLines.filter((line) => line.class === 'PostbackDelivery' && line.webhook_id === id);
}

/**
 * Causes an event for webhooks of each mode, one whose target accepts it and one whose target fails. Returns the log
 * lines.
 */
async function linesAt(settings: { log_level: LogLevel; custom_log_levels?: Record<string, LogLevel> }) {
  await using target = await startTarget({ respondWith: byPath({ '/success': echo(200) }, echo(500)) });
  await using service = await startTestService({ settings });
  const { api } = service;
  const webhooks: { id: number; mode: Mode; outcome: 'success' | 'failure' }[] = [];
  for (const mode of MODES) {
    for (const outcome of ['success', 'failure'] as const) {
      const { id } = await api.create(
        '/webhooks',
        webhookInput({
          target_url: `${target.url}/${outcome}`,
          logging_mode: mode,
          max_attempts: 1,
          authentication: { type: 'BASIC', key: 'the-key', secret: SECRET },
        }),
      );
      webhooks.push({ id, mode, outcome });
    }
  }
  await api.create('/accounts', { name: 'Northwind' });
  for (const { id } of webhooks) {
    await until(async () => {
      const { body } = await api.get(`/webhooks/${id}/statistics`);
      return body.success_count + body.error_count === 1;
    }, 'the message is delivered or dead-lettered');
  }
  const authSecret = readFileSync(
    path.join(service.settings.data_dir, 'webhooks_auth_secret'),
    'utf8',
  ).trim();
  await service.stop();

  const basic = Buffer.from(`the-key:${SECRET}`).toString('base64');
  for (const line of service.logLines) {
    const text = JSON.stringify(line);
    for (const hidden of [
      SECRET,
      JSON.stringify(SECRET).slice(1, -1),
      basic,
      service.clientSecret,
      api.token,
      authSecret,
    ]) {
      assert.ok(!text.includes(hidden) && !text.includes(JSON.stringify(hidden).slice(1, -1)), text);
    }
  }
  return webhooks.map(({ id, mode, outcome }) => ({
    mode,
    outcome,
    lines: deliveryLinesOf(service, id) as Line[],
    sent: target.requests.find(({ json }) => (json as { subscription_id: number }).subscription_id === id)
      ?.text,
  }));
}

/** Causes one event of each topic. */
async function causeEachTopic(service: TestService): Promise<void> {
  const { api } = service;
  const account = await api.create('/accounts', { name: 'Northwind' });
  const course = await importCourse(service);
  await api.post(`/accounts/${account.id}/content`, { contents: [{ type: 'COURSE', id: course.id }] });
  const { registration_id } = await api.create('/registrations', {
    account_id: account.id,
    course_id: course.id,
    learner_id: 'lovelace',
  });
  await api.post(`/registrations/${registration_id}/launch`);
}

function assertExtent(
  { mode, outcome, lines, sent }: Awaited<ReturnType<typeof linesAt>>[number],
  expected: Extent,
): void {
  const what = `${mode}, ${outcome}: ${JSON.stringify(lines)}`;
  assert.equal(lines.length, expected === 'nothing' ? 0 : 1, what);
  const [line] = lines;
  if (line === undefined) return;
  assert.equal(line.event, 'ACCOUNT_CREATED', what);
  assert.equal(line.outcome, outcome, what);
  assert.equal(line.level, outcome === 'success' ? 'info' : 'error', what);
  assert.match(
    line.msg,
    outcome === 'success' ? /delivered to webhook \d+: 200/ : /dead-letter queue: .*500/,
    what,
  );
  const members = expected === 'full' ? FULL_MEMBERS : SUMMARY_MEMBERS;
  const always = Object.keys(line).filter((member) => member !== 'dead_lettered');
  assert.deepEqual(always.toSorted(), members.toSorted(), what);
  if (expected !== 'full') return;
  assert.deepEqual(line.message, JSON.parse(sent ?? ''), what);
  assert.equal(line.response_body?.body, sent, what);
  assert.equal(line.response_body?.headers['content-type'], 'application/json', what);
}

describe('the log of deliveries', () => {
  for (const log_level of ['info', 'warn', 'error', 'silent'] as const) {
    test(`has at ${log_level} the lines that the logging mode of the webhook selects`, async () => {
      for (const delivery of await linesAt({ log_level }))
        assertExtent(delivery, EXTENTS[delivery.mode][delivery.outcome]);
    });
  }

  for (const log_level of ['info', 'warn', 'error'] as const) {
    test(`has everything at ${log_level} with AccountService at debug, whatever the logging mode`, async () => {
      const custom_log_levels = { AccountService: 'debug' } as const;
      for (const delivery of await linesAt({ log_level, custom_log_levels }))
        assertExtent(delivery, EVERYTHING[delivery.outcome]);
    });
  }

  test('has everything at debug, whatever the logging mode', async () => {
    for (const delivery of await linesAt({ log_level: 'debug' }))
      assertExtent(delivery, EVERYTHING[delivery.outcome]);
  });

  test('still has everything at debug with AccountService at error, which does not lower it', async () => {
    const custom_log_levels = { AccountService: 'error' } as const;
    for (const delivery of await linesAt({ log_level: 'debug', custom_log_levels })) {
      assertExtent(delivery, EVERYTHING[delivery.outcome]);
    }
  });

  for (const { triggeringClass, topic, subtopic, part } of [
    {
      triggeringClass: 'AccountContentService',
      topic: 'ACCOUNT_CONTENT',
      subtopic: 'CONTENT_ADDED_TO_ACCOUNT',
      part: 'content',
    },
    { triggeringClass: 'CourseService', topic: 'COURSE', subtopic: 'COURSE_IMPORTED', part: 'content' },
    {
      triggeringClass: 'RegistrationService',
      topic: 'REGISTRATION',
      subtopic: 'REGISTRATION_LAUNCHED',
      part: 'registration',
    },
  ] as const) {
    test(`has everything about ${topic} events, and only about these, with ${triggeringClass} at debug`, async () => {
      await using target = await startTarget({ respondWith: echo(200) });
      await using service = await startTestService({
        settings: { custom_log_levels: { [triggeringClass]: 'debug' } },
      });
      const { api } = service;
      const topics = ['ACCOUNT', 'ACCOUNT_CONTENT', 'COURSE', 'REGISTRATION'];
      for (const each of topics)
        await api.create(
          '/webhooks',
          webhookInput({ name: each, topic: each, target_url: target.url, logging_mode: 'NONE' }),
        );
      await causeEachTopic(service);
      await target.waitFor(topics.length);
      await service.stop();

      const lines = service.logLines.filter((line) => line.class === 'PostbackDelivery') as Line[];
      assert.deepEqual(
        lines.map(({ event, outcome }) => [event, outcome]),
        [[subtopic, 'success']],
      );
      const [line] = lines;
      const sent = target.requests.find(({ json }) => (json as { topic: string }).topic === topic)!;
      assert.deepEqual(line?.message, sent.json);
      assert.ok(part in (sent.json as { resource: object }).resource);
      assert.equal(line?.response_body?.body, sent.text);
    });
  }

  test('follows the class that triggered the event, even if the webhook has another topic since', async () => {
    await using target = await startTarget();
    await using service = await startTestService({
      settings: { custom_log_levels: { AccountService: 'debug' } },
    });
    const { api } = service;
    const input = webhookInput({ target_url: target.url, logging_mode: 'NONE' });
    const { id } = await api.create('/webhooks', { ...input, topic: 'ACCOUNT', paused: true });
    await api.create('/accounts', { name: 'Northwind' });
    await api.put(`/webhooks/${id}`, { ...input, topic: 'COURSE', paused: false });
    await importCourse(service);
    await target.waitFor(2);
    await service.stop();
    assert.deepEqual(
      deliveryLinesOf(service, id).map(({ event }) => event),
      ['ACCOUNT_CREATED'],
    );
  });

  test('is not affected by the debug level of a class that triggers other topics', async () => {
    const custom_log_levels = {
      CourseService: 'debug',
      WebhookService: 'debug',
      DeliveryPoller: 'debug',
    } as const;
    for (const delivery of await linesAt({ log_level: 'info', custom_log_levels })) {
      assertExtent(delivery, EXTENTS[delivery.mode][delivery.outcome]);
    }
  });

  test('has a line for each attempt, with the time of the next one', async () => {
    await using target = await startTarget({ respondWith: failTimes(2, echo(503)) });
    await using service = await startTestService();
    const { api } = service;
    const { id } = await api.create(
      '/webhooks',
      webhookInput({ target_url: target.url, logging_mode: 'SUMMARY' }),
    );
    await api.create('/accounts', { name: 'Northwind' });
    const lines = await until(() => {
      const found = deliveryLinesOf(service, id);
      return found.length === 3 && found;
    }, 'three attempts are logged');
    assert.deepEqual(
      lines.map(({ level, attempt, status, outcome }) => ({ level, attempt, status, outcome })),
      [
        { level: 'warn', attempt: 1, status: 503, outcome: 'failure' },
        { level: 'warn', attempt: 2, status: 503, outcome: 'failure' },
        { level: 'info', attempt: 3, status: 200, outcome: 'success' },
      ],
    );
    assert.ok(lines.slice(0, 2).every(({ next_attempt_dt, time }) => next_attempt_dt > time));
    assert.equal(new Set(lines.map(({ message_id }) => message_id)).size, 1);
    assert.ok(!JSON.stringify(lines).includes(CLIENT_EMAIL), 'a summary contains nothing of the message');
  });
});
