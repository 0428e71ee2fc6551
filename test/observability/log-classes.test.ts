import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { LOG_CLASSES } from '../../src/settings/log-classes.ts';
import { importCourse, scormPackage, uploadForm } from '../content/packages.ts';
import { CLIENT_EMAIL, startTestService, type TestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';

// Runs on SQLite alone: the lines are the same on every database.

const ROOT = path.join(import.meta.dirname, '../..');

function linesOf({ logLines }: TestService, name: keyof typeof LOG_CLASSES) {
  return logLines.filter((line) => line.class === name);
}

/** Messages and events of a class's lines, in their order. */
function said(service: TestService, name: keyof typeof LOG_CLASSES): string[] {
  return linesOf(service, name).map((line) => line.msg);
}

/** Does everything that triggers an event once, and returns the ids. */
async function causeEvents({ api, ...rest }: TestService) {
  const account = await api.create('/accounts', { name: 'Northwind' });
  for (const enabled of [false, true])
    await api.put(`/accounts/${account.id}`, { name: 'Northwind', enabled });
  const course = await importCourse({ api, ...rest });
  await api.create(`/courses/${course.id}/versions`, uploadForm(await scormPackage('Fire safety, again')));
  await api.post(`/courses/${course.id}/versions/1/publish`);
  await api.post(`/accounts/${account.id}/content`, { contents: [{ type: 'COURSE', id: course.id }] });
  const { registration_id } = await api.create('/registrations', {
    account_id: account.id,
    course_id: course.id,
    learner_id: 'lovelace',
  });
  await api.post(`/registrations/${registration_id}/launch`);
  await api.put(`/registrations/${registration_id}/status`, { completion: 'Completed', success: 'PASS' });
  await api.delete(`/accounts/${account.id}/content/COURSE/${course.id}`);
  await api.delete(`/accounts/${account.id}`);
  return { account: account.id, course: course.id, registration: registration_id };
}

describe('the log classes of custom_log_levels', () => {
  it('are all those whose lines the service logs', () => {
    const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
    const used = sources.flatMap((file) =>
      [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/\b[lL]ogs?\.for\('(\w+)'\)/g)].map(
        ([, name]) => name!,
      ),
    );
    assert.ok(used.length > 10, used.join());
    for (const name of used) assert.ok(name in LOG_CLASSES, name);
  });

  it('log the events that they trigger with ids and without names', async () => {
    await using service = await startTestService();
    const ids = await causeEvents(service);
    assert.deepEqual(said(service, 'AccountService'), [
      'an account was created',
      'an account was deactivated',
      'an account was activated',
      'an account was deleted',
    ]);
    assert.deepEqual(said(service, 'AccountContentService'), [
      'content was added to an account',
      'content was removed from an account',
    ]);
    assert.deepEqual(said(service, 'CourseService'), [
      'a course was imported',
      'a version of a course was uploaded',
      'a version of a course was published',
    ]);
    assert.deepEqual(said(service, 'RegistrationService'), [
      'a registration was launched for the first time',
      'the completion, success or score of a registration changed',
    ]);
    const [created] = linesOf(service, 'AccountService');
    assert.deepEqual(
      [created?.level, created?.event, created?.account_id],
      ['info', 'ACCOUNT_CREATED', ids.account],
    );
    const [added] = linesOf(service, 'AccountContentService');
    assert.deepEqual(
      [added?.account_id, added?.content],
      [ids.account, [{ type: 'COURSE', id: ids.course }]],
    );
    const [, uploaded] = linesOf(service, 'CourseService');
    assert.deepEqual([uploaded?.course_id, uploaded?.version_id], [ids.course, 1]);
    const [launched] = linesOf(service, 'RegistrationService');
    assert.deepEqual(
      [launched?.account_id, launched?.course_id, launched?.registration_id],
      [ids.account, ids.course, ids.registration],
    );
    const text = JSON.stringify(service.logLines);
    for (const personal of ['Northwind', 'lovelace', CLIENT_EMAIL])
      assert.ok(!text.includes(personal), personal);
  });

  it('log events even while the webhooks service is disabled', async () => {
    await using service = await startTestService({ settings: { enable_webhooks_service: false } });
    await service.api.create('/accounts', { name: 'Northwind' });
    assert.deepEqual(said(service, 'AccountService'), ['an account was created']);
  });

  it('log at debug which event triggered which webhooks', async () => {
    await using target = await startTarget();
    const debugged = [
      'AccountService',
      'AccountContentService',
      'CourseService',
      'RegistrationService',
    ] as const;
    const custom_log_levels = Object.fromEntries(debugged.map((name) => [name, 'debug' as const]));
    await using service = await startTestService({ settings: { custom_log_levels } });
    const { api } = service;
    const webhooks: number[] = [];
    for (const topic of ['ACCOUNT', 'ACCOUNT', 'ACCOUNT_CONTENT', 'REGISTRATION']) {
      const { id } = await api.create('/webhooks', { name: topic, topic, target_url: target.url });
      webhooks.push(id);
    }
    await causeEvents(service);
    const triggered = debugged.flatMap((name) =>
      linesOf(service, name)
        .filter((line) => line.level === 'debug')
        .map((line) => [line.msg, line.webhook_ids]),
    );
    const [first, second, content, registration] = webhooks;
    assert.deepEqual(triggered, [
      ['ACCOUNT_CREATED triggered 2 webhooks', [first, second]],
      ['ACCOUNT_ACTIVATION_UPDATED triggered 2 webhooks', [first, second]],
      ['ACCOUNT_ACTIVATION_UPDATED triggered 2 webhooks', [first, second]],
      ['ACCOUNT_DELETED triggered 2 webhooks', [first, second]],
      ['CONTENT_ADDED_TO_ACCOUNT triggered 1 webhook', [content]],
      ['CONTENT_REMOVED_FROM_ACCOUNT triggered 1 webhook', [content]],
      ['COURSE_IMPORTED triggered 0 webhooks', []],
      ['COURSE_VERSION_UPLOADED triggered 0 webhooks', []],
      ['COURSE_VERSION_PUBLISHED triggered 0 webhooks', []],
      ['REGISTRATION_LAUNCHED triggered 1 webhook', [registration]],
      ['REGISTRATION_STATUS_UPDATED triggered 1 webhook', [registration]],
    ]);
  });

  it('log nothing at a level that is less verbose than their lines', async () => {
    const custom_log_levels = { AccountService: 'warn', WebhookService: 'silent' } as const;
    await using service = await startTestService({ settings: { custom_log_levels } });
    await service.api.create('/accounts', { name: 'Northwind' });
    await service.api.create('/webhooks', { name: 'w', topic: 'ACCOUNT', target_url: 'http://127.0.0.1:9/' });
    assert.deepEqual([...said(service, 'AccountService'), ...said(service, 'WebhookService')], []);
  });

  it('log changes of webhooks for WebhookService, after the commit', async () => {
    await using service = await startTestService();
    const { api } = service;
    const webhook = { name: 'w', topic: 'ACCOUNT', target_url: 'http://127.0.0.1:9/' };
    const { id } = await api.create('/webhooks', webhook);
    await api.put(`/webhooks/${id}?resetStatistics=true`, { ...webhook, name: 'other' });
    await api.post(`/webhooks/${id}/statistics/reset`);
    assert.equal((await api.post('/webhooks', { ...webhook, topic: 'NONE' })).status, 400);
    await api.delete(`/webhooks/${id}`);
    assert.deepEqual(
      linesOf(service, 'WebhookService').map((line) => [line.level, line.msg, line.webhook_id]),
      [
        'a webhook was created',
        'the statistics of a webhook were reset',
        'a webhook was updated',
        'the statistics of a webhook were reset',
        'a webhook was deleted',
      ].map((text) => ['info', text, id]),
    );
  });

  it('log settings without effect at the start of the service', async () => {
    await using service = await startTestService({ settings: { message_queue_name: 'mine.fifo' } });
    const warnings = linesOf(service, 'Service').filter((line) => line.level === 'warn');
    assert.deepEqual(
      warnings.map((line) => line.msg),
      ['message_queue_name does nothing: only used if queue_driver is sqs'],
    );
  });

  it('log what the reference says for the service, the database, tokens and receiving', async () => {
    await using target = await startTarget();
    await using service = await startTestService({
      settings: { custom_log_levels: { DeliveryPoller: 'debug' } },
    });
    const { api } = service;
    await api.create('/webhooks', { name: 'w', topic: 'ACCOUNT', target_url: target.url });
    await api.create('/accounts', { name: 'Northwind' });
    await until(
      () => linesOf(service, 'DeliveryPoller').some((line) => line.settled === 1),
      'a message is settled',
    );
    assert.ok(linesOf(service, 'DeliveryPoller').some((line) => line.received === 1));
    assert.ok(said(service, 'Database').includes('opened the database'));
    assert.ok(said(service, 'TokenEndpoint').includes('access token granted'));
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'x',
      client_secret: 'y',
    });
    await fetch(`${service.url}/public/v1/auth`, { method: 'POST', body: form });
    assert.ok(said(service, 'TokenEndpoint').includes('access token refused'));
    await service.stop();
    assert.ok(['starting', 'stopping', 'stopped'].every((text) => said(service, 'Service').includes(text)));
  });
});
