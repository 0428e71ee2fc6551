import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { runSql } from '../support/database.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { importCourse } from './packages.ts';

// Runs on SQLite in `npm test`: the tests of matching, of events and of registrations for equivalents match, find and store such events on both.

/** Tests which webhooks get the events of a registration for an equivalent, and how these events are found. */
describe('the events of a registration for an equivalent', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: { enable_queue_polling: false } }));
  });

  /** A launched registration whose learner has the German course of an equivalent. */
  async function makeLaunched(given: 'EQUIVALENT' | 'BUNDLE') {
    const { api } = service;
    const courses = [await importCourse(service), await importCourse(service)].map(({ id }) => id);
    const account = await api.create('/accounts', { name: 'Northwind' });
    const equivalent = await api.create('/equivalents', {
      name: 'Fire',
      courses: [
        { course_id: courses[0], language: 'en' },
        { course_id: courses[1], language: 'de' },
      ],
    });
    const asset = { type: 'EQUIVALENT', id: equivalent.id };
    const bundle =
      given === 'BUNDLE' ? await api.create('/bundles', { name: 'All', contents: [asset] }) : null;
    const contents = [bundle === null ? asset : { type: 'BUNDLE', id: bundle.id }];
    await api.post(`/accounts/${account.id}/content`, { contents });
    const { registration_id: id } = await api.create('/registrations', {
      account_id: account.id,
      equivalent_id: equivalent.id,
      learner_id: 'ada',
    });
    const launched = await api.post(`/registrations/${id}/launch`, { language: 'de' });
    assert.equal(launched.status, 200, JSON.stringify(launched.body));
    return {
      id,
      courseId: courses[1]!,
      equivalentId: equivalent.id,
      bundleId: bundle?.id,
      accountId: account.id,
    };
  }

  async function createWebhook(type: string, id: number): Promise<{ id: number }> {
    return await service.api.create('/webhooks', {
      name: `On ${type}`,
      topic: 'REGISTRATION',
      target_url: 'https://example.com/',
      paused: true,
      focus: [{ webhook_focus_type: type, webhook_focus_id: id }],
    });
  }

  async function pass(id: string): Promise<void> {
    const result = { completion: 'Completed', success: 'PASS', score: 90 };
    const { status, body } = await service.api.put(`/registrations/${id}/status`, result);
    assert.equal(status, 200, JSON.stringify(body));
  }

  /** The webhooks that the latest event of a registration matched. */
  async function matchedByLatest(id: string): Promise<number[]> {
    const { body: events } = await service.api.get(`/events?registration_id=${id}`);
    const { body } = await service.api.get(`/events/${events.data[0].id}/webhooks?got_message=true`);
    return body.data.map((outcome: { webhook_id: number }) => outcome.webhook_id);
  }

  test('match a focus on it, or on a bundle with it, after its course was replaced', async () => {
    const { id, courseId, equivalentId, bundleId } = await makeLaunched('BUNDLE');
    const other = await importCourse(service);
    const webhooks = [
      await createWebhook('EQUIVALENT', equivalentId),
      await createWebhook('BUNDLE', bundleId),
      await createWebhook('COURSE', courseId),
    ].map((webhook) => webhook.id);
    await createWebhook('COURSE', other.id);
    const replaced = await service.api.put(`/equivalents/${equivalentId}`, {
      name: 'Fire',
      courses: [{ course_id: other.id, language: 'de' }],
    });
    assert.equal(replaced.status, 200, JSON.stringify(replaced.body));
    await pass(id);
    assert.deepEqual(await matchedByLatest(id), webhooks);
    const reset = await service.api.post(`/registrations/${id}/reset`);
    assert.equal(reset.status, 200, JSON.stringify(reset.body));
    const { data } = (await service.api.get(`/events?registration_id=${id}`)).body;
    assert.deepEqual(
      data.map(({ subtopic }: { subtopic: string }) => subtopic),
      ['REGISTRATION_STATUS_UPDATED', 'REGISTRATION_STATUS_UPDATED', 'REGISTRATION_LAUNCHED'],
    );
    assert.deepEqual(await matchedByLatest(id), webhooks);
  });

  test('match a focus on it even if an earlier release deleted it', async () => {
    const { id, equivalentId, accountId } = await makeLaunched('EQUIVALENT');
    const webhook = await createWebhook('EQUIVALENT', equivalentId);
    const removed = await service.api.delete(`/accounts/${accountId}/content/EQUIVALENT/${equivalentId}`);
    assert.equal(removed.status, 204, JSON.stringify(removed.body));
    for (const rows of ['equivalent_courses where equivalent_id', 'equivalents where id'])
      await runSql(service.settings.data_dir, `delete from ${rows} = ?`, equivalentId);
    await pass(id);
    assert.deepEqual(await matchedByLatest(id), [webhook.id]);
  });

  test('are found by its id, those of registrations for its courses are not', async () => {
    const { courseId, equivalentId, accountId } = await makeLaunched('EQUIVALENT');
    const direct = { account_id: accountId, course_id: courseId, learner_id: 'bob' };
    const { registration_id: other } = await service.api.create('/registrations', direct);
    assert.equal((await service.api.post(`/registrations/${other}/launch`)).status, 200);
    const { body } = await service.api.get(`/events?equivalent_id=${equivalentId}`);
    assert.deepEqual(
      body.data.map((event: { subtopic: string; learner_id: string | null }) => [
        event.subtopic,
        event.learner_id,
      ]),
      [
        ['REGISTRATION_LAUNCHED', 'ada'],
        ['CONTENT_ADDED_TO_ACCOUNT', null],
      ],
    );
  });
});
