import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { DAY_MS } from '../../src/time/units.ts';
import { uploadForm } from '../content/packages.ts';
import { LONG_RETRIES } from '../delivery/webhook-helpers.ts';
import { scorm12Package } from '../support/course-packages.ts';
import { openDatabaseOf } from '../support/database.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';

// Runs on SQLite in `npm test`: entries are composed before they are stored. The test of every change stores an entry
// for each action on both.

const actionsOf = async ({ api }: TestService, query: string) =>
  (await api.get(`/audit-log?${query}`)).body.data
    .map(({ action, details }: { action: string; details: object }) => [action, details])
    .reverse();

describe('the audit log', () => {
  it('records messages that are manually skipped, redelivered and replayed, with their number', async () => {
    await using target = await startTarget({ respondWith: answer(503) });
    await using service = await startTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const { id } = await api.create('/webhooks', { name: 'CRM', topic: 'ACCOUNT', target_url: target.url });
    for (const name of ['A', 'B']) await api.create('/accounts', { name });
    const line = `/webhooks/${id}/line`;
    const skipped: string[] = [];
    for (const _ of ['A', 'B']) {
      const head = await until(async () => {
        const { body } = await api.get(line);
        return body.head?.attempts === 1 && !body.head.in_flight ? body.head : null;
      }, 'the head is retried');
      skipped.push(head.message_id);
      assert.equal((await api.post(`${line}/skip`)).status, 200);
    }
    target.respondWith(answer(200));
    assert.equal((await api.post(`/webhooks/${id}/deliveries/redeliver`)).body.redelivered, 2);
    await target.waitFor(() => target.requests.length >= 4);
    const { id: late } = await api.create('/webhooks', {
      name: 'Late',
      topic: 'ACCOUNT',
      target_url: target.url,
    });
    const from = '2000-01-01T00:00:00.000Z';
    const dry = await api.post(`/webhooks/${late}/replay?from_dt=${from}&dry_run=true`);
    assert.equal(dry.body.replayed, 2);
    for (const replayed of [2, 0])
      assert.equal((await api.post(`/webhooks/${late}/replay?from_dt=${from}`)).body.replayed, replayed);
    const subtopic = 'ACCOUNT_CREATED';
    assert.deepEqual((await actionsOf(service, `object_type=WEBHOOK&object_id=${id}`)).slice(1), [
      ['MESSAGE_SKIPPED', { message_id: skipped[0], subtopic }],
      ['MESSAGE_SKIPPED', { message_id: skipped[1], subtopic }],
      ['MESSAGES_REDELIVERED', { messages: 2 }],
    ]);
    const [, [replayed, details], ...others] = await actionsOf(
      service,
      `object_type=WEBHOOK&object_id=${late}`,
    );
    assert.deepEqual([replayed, details.messages, details.from_dt], ['EVENTS_REPLAYED', 2, from]);
    assert.deepEqual(others, [], 'neither a dry run nor a replay of no events has an entry');
  });

  it('records resets and deletions of registrations, with the lost data', async () => {
    await using service = await startTestService();
    const { api } = service;
    const bytes = new Uint8Array(await scorm12Package({ title: 'Fire safety' }));
    const { id: courseId } = await api.create('/courses', uploadForm(bytes));
    const { id: accountId } = await api.create('/accounts', { name: 'Northwind' });
    await api.post(`/accounts/${accountId}/content`, { contents: [{ type: 'COURSE', id: courseId }] });
    const { registration_id: id } = await api.create('/registrations', {
      account_id: accountId,
      course_id: courseId,
      learner_id: 'ada',
    });
    const status = { completion: 'Completed', success: 'PASS', score: 92, duration: 60 };
    const { completion_dt: completed } = (await api.put(`/registrations/${id}/status`, status)).body;
    assert.equal((await api.post(`/registrations/${id}/reset`)).status, 200);
    assert.equal((await api.delete(`/registrations/${id}`)).status, 204);
    const { body } = await api.get(`/audit-log?object_type=REGISTRATION&object_id=${id}`);
    const [deleted, reset, ...others] = body.data;
    assert.deepEqual(others, []);
    assert.deepEqual([reset.action, reset.object.name], ['REGISTRATION_RESET', 'ada']);
    assert.deepEqual(reset.changes, [
      { field: 'completion', before: 'Completed', after: 'Unknown' },
      { field: 'success', before: 'PASS', after: 'UNKNOWN' },
      { field: 'score', before: 92, after: null },
      { field: 'duration', before: 60, after: 0 },
      { field: 'completion_dt', before: completed, after: null },
    ]);
    assert.equal(deleted.action, 'REGISTRATION_DELETED');
    assert.deepEqual(deleted.changes[0], { field: 'account_id', before: accountId, after: null });
  });

  it('is kept for the set number of days', async () => {
    await using service = await startTestService();
    const { id } = await service.api.create('/webhooks', {
      name: 'Old',
      topic: 'ACCOUNT',
      target_url: 'http://127.0.0.1:9/',
    });
    const entries = () => actionsOf(service, `object_type=WEBHOOK&object_id=${id}`);
    await using database = await openDatabaseOf(service.settings.data_dir);
    const logAfter = (days: number) =>
      new AuditLog({ database, days: 2, now: () => Date.now() + days * DAY_MS });
    await logAfter(1.9).forgetOld(100);
    assert.equal((await entries()).length, 1);
    assert.equal(await logAfter(2.1).forgetOld(1), 1, 'at most as many as asked for');
    while ((await logAfter(2.1).forgetOld(100)) > 0);
    assert.deepEqual(await entries(), []);
  });
});
