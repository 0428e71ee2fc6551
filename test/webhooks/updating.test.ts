import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { availableSubtopics, FOCUS_TYPES_OF_TOPIC, TOPICS } from '../../src/events/catalogue.ts';
import { aroundTests } from '../support/around-tests.ts';
import { type Api, startTestService, type TestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { assertInvalid, assertProblem, webhookInput } from './webhook-expectations.ts';

const ACCOUNT_FOCUS = [
  { webhook_focus_type: 'ACCOUNT', webhook_focus_id: 900_001, webhook_focus_name: 'Northwind' },
];
const ALL = ['ACCOUNT_CREATED', 'ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED'];

/** Valid configurations of every shape. */
function configurations(): fc.Arbitrary<Record<string, unknown>> {
  return fc.constantFrom(...TOPICS).chain((topic) => {
    const focusEntry = fc.record({
      webhook_focus_type: fc.constantFrom(...FOCUS_TYPES_OF_TOPIC[topic]),
      webhook_focus_id: fc.integer({ min: 500_000, max: Number.MAX_SAFE_INTEGER }),
      webhook_focus_name: fc.option(fc.string({ maxLength: 20 })),
    });
    const focuses = fc.uniqueArray(focusEntry, {
      maxLength: 5,
      selector: (each) => `${each.webhook_focus_type} ${each.webhook_focus_id}`,
    });
    return focuses.chain((focus) => {
      const available = availableSubtopics(
        topic,
        focus.map((each) => each.webhook_focus_type),
      );
      const authentication = fc.oneof(
        fc.constant({ type: 'NONE' }),
        fc.record({
          type: fc.constant('BASIC'),
          key: fc.constantFrom('k', 'schlüssel'),
          secret: fc.constant('s'),
        }),
      );
      return fc.record(
        {
          name: fc.constantFrom('a', 'Zoë 🚒 "x" \u2028', ' padded '),
          topic: fc.constant(topic),
          subtopics: fc.uniqueArray(fc.constantFrom(...available), { minLength: 1 }),
          focus: fc.constant(focus),
          target_url: fc.constantFrom(
            'http://127.0.0.1:9/',
            'https://example.com/a?b=c#d',
            'HTTP://EXAMPLE.com:80/ä b',
          ),
          authentication,
          enabled: fc.boolean(),
          max_attempts: fc.integer({ min: 1, max: 1_000 }),
          ignore_before_dt: fc.option(
            fc.constantFrom(
              '2026-01-31T09:30:00.5+01:00',
              '0000-01-01T00:00:00Z',
              '9999-12-31T23:59:59.999Z',
            ),
          ),
          logging_mode: fc.constantFrom('NONE', 'SUMMARY', 'FULL', 'FULLONERROR'),
        },
        { requiredKeys: ['name', 'topic', 'target_url', ...(focus.length > 0 ? (['focus'] as const) : [])] },
      );
    });
  });
}

describe('updating webhooks', () => {
  let service: TestService;
  let api: Api;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
  });

  const create = (overrides: Record<string, unknown> = {}) =>
    api.create('/webhooks', webhookInput(overrides));
  async function update(id: number, body: unknown, query = '') {
    const updated = await api.put(`/webhooks/${id}${query}`, body);
    assert.equal(updated.status, 200, JSON.stringify(updated.body));
    return updated.body;
  }

  test('replaces the whole configuration: omitted members get their defaults', async () => {
    const { id, created_dt, ...before } = await create({
      topic: 'COURSE',
      subtopics: ['COURSE_VERSION_UPLOADED'],
      focus: [{ webhook_focus_type: 'COURSE', webhook_focus_id: 900_001 }],
      authentication: { type: 'BASIC', key: 'k', secret: 's' },
      enabled: false,
      max_attempts: 3,
      ignore_before_dt: '2026-01-31T09:30:00Z',
      logging_mode: 'NONE',
    });
    assert.equal(before.enabled, false);
    const { updated_dt, ...updated } = await update(id, {
      name: 'New',
      topic: 'ACCOUNT',
      target_url: 'https://example.com/',
    });
    assert.deepEqual(updated, {
      id,
      name: 'New',
      topic: 'ACCOUNT',
      subtopics: ALL,
      all_subtopics: true,
      focus: [],
      target_url: 'https://example.com/',
      authentication: { type: 'NONE' },
      enabled: true,
      max_attempts: 10,
      ignore_before_dt: null,
      logging_mode: 'FULLONERROR',
      inactive_since_dt: null,
      signing_since_dt: null,
      former_signing_secret_until_dt: null,
      paused: false,
      paused_since_dt: null,
      in_error: false,
      read_only: false,
      created_dt,
    });
    assert.ok(updated_dt >= created_dt);
    assert.deepEqual((await api.get(`/webhooks/${id}`)).body, { ...updated, updated_dt });
  });

  test('a record that was read can be sent back, and nothing changes', async () => {
    await fc.assert(
      fc.asyncProperty(configurations(), async (configuration) => {
        const created = await api.create('/webhooks', configuration);
        const read = (await api.get(`/webhooks/${created.id}`)).body;
        const { updated_dt, ...updated } = await update(created.id, read);
        const { updated_dt: _, ...expected } = read;
        assert.deepEqual(updated, expected);
        assert.deepEqual((await api.get(`/webhooks/${created.id}`)).body, { ...updated, updated_dt });
      }),
      { numRuns: 40 },
    );
  });

  test('needs the required members, and accepts only what creation accepts', async () => {
    const { id } = await create();
    assertInvalid(await api.put(`/webhooks/${id}`, {}), ['/name', '/topic', '/target_url']);
    assertInvalid(await api.put(`/webhooks/${id}`, webhookInput({ subtopics: [], colour: 'red' })), [
      '/subtopics',
      '/colour',
    ]);
    assertInvalid(await api.put(`/webhooks/${id}`, '[]'), ['']);
    assert.equal((await api.get(`/webhooks/${id}`)).headers.get('etag'), '"1"', 'nothing was changed');
  });

  test('rejects a selected subtopic that the new focus excludes', async () => {
    const record = await create({ subtopics: ALL });
    assertInvalid(await api.put(`/webhooks/${record.id}`, { ...record, focus: ACCOUNT_FOCUS }), [
      '/subtopics/0',
    ]);
  });

  describe('with If-Match', () => {
    test('changes only the revision that was read', async () => {
      const { id } = await create();
      const path = `/webhooks/${id}`;
      const etag = (await api.get(path)).headers.get('etag') ?? '';
      const first = await api.put(path, webhookInput({ name: 'First' }), { 'if-match': etag });
      assert.equal(first.status, 200);
      assert.notEqual(first.headers.get('etag'), etag);
      const second = await api.put(path, webhookInput({ name: 'Second' }), { 'if-match': etag });
      assertProblem(second, 412, 'precondition-failed');
      assertProblem(await api.delete(path, { 'if-match': etag }), 412, 'precondition-failed');
      assert.equal((await api.get(path)).body.name, 'First');
      const current = first.headers.get('etag') ?? '';
      assert.equal((await api.put(path, webhookInput(), { 'if-match': `"other", ${current}` })).status, 200);
      assert.equal((await api.put(path, webhookInput(), { 'if-match': '*' })).status, 200);
      for (const foreign of ['W/"1"', 'garbage', '', '4']) {
        assertProblem(
          await api.put(path, webhookInput(), { 'if-match': foreign }),
          412,
          'precondition-failed',
        );
      }
      const latest = (await api.get(path)).headers.get('etag') ?? '';
      assert.equal((await api.delete(path, { 'if-match': latest })).status, 204);
    });

    test('is answered 412 before the change of someone else makes the update invalid', async () => {
      const authentication = { type: 'BASIC', key: 'k', secret: 's' };
      const read = await create({ target_url: 'https://a.example.com/', authentication });
      const path = `/webhooks/${read.id}`;
      const etag = { 'if-match': '"1"' };
      const moved = { ...read, target_url: 'https://b.example.com/', authentication };
      assert.equal((await api.put(path, moved, etag)).status, 200);
      const renamed = { ...read, name: 'Renamed' };
      assertProblem(await api.put(path, renamed, etag), 412, 'precondition-failed');
      assertInvalid(await api.put(path, renamed), ['/authentication/secret']);
    });

    test('works through a proxy that changes the tag when it compresses the record', async () => {
      const { id } = await create();
      const path = `/webhooks/${id}`;
      const { headers } = await api.get(path);
      assert.equal(headers.get('cache-control'), 'no-store, no-transform');
      const weak = `W/${headers.get('etag')}`;
      assert.equal((await api.put(path, webhookInput(), { 'if-match': weak })).status, 200);
      const again = await api.put(path, webhookInput(), { 'if-match': weak });
      assertProblem(again, 412, 'precondition-failed');
    });

    test('of simultaneous changes makes only one', async () => {
      const { id } = await create();
      const changes = Array.from({ length: 8 }, (_, index) =>
        api.put(`/webhooks/${id}`, webhookInput({ name: `Change ${index}` }), { 'if-match': '"1"' }),
      );
      const statuses = (await Promise.all(changes)).map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [200, ...Array.from({ length: 7 }, () => 412)]);
      assert.equal((await api.get(`/webhooks/${id}`)).body.name, `Change ${statuses.indexOf(200)}`);
    });
  });

  test('a deleted webhook cannot be found anywhere', async () => {
    const { id } = await create();
    const deleted = await api.delete(`/webhooks/${id}`);
    assert.equal(deleted.status, 204);
    assert.equal(deleted.body, '');
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['GET', '/statistics'],
      ['POST', '/statistics/reset'],
      ['POST', '/test'],
      ['GET', '/line'],
    ] as const) {
      const body = method === 'PUT' ? webhookInput() : undefined;
      assertProblem(
        await api.call(method, `/webhooks/${id}${path}`, body),
        404,
        'not-found',
        null,
        method + path,
      );
    }
    const { body } = await api.get('/webhooks?limit=200');
    assert.ok(!body.data.some((each: { id: number }) => each.id === id));
  });
});

describe('statistics and the error state of a webhook', () => {
  let service: TestService;
  let api: Api;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
  });

  /** A webhook with one success and then one failure. */
  async function webhookInError(targetUrl: string, failNow: () => void) {
    const webhook = await api.create('/webhooks', webhookInput({ target_url: targetUrl, max_attempts: 1 }));
    const statisticsWhen = (holds: (statistics: Record<string, unknown>) => boolean) =>
      until(async () => {
        const { body } = await api.get(`/webhooks/${webhook.id}/statistics`);
        return holds(body) && body;
      }, 'the attempt is counted');
    await api.create('/accounts', { name: 'Success' });
    await statisticsWhen(({ success_count }) => success_count === 1);
    failNow();
    await api.create('/accounts', { name: 'Failure' });
    const statistics = await statisticsWhen(({ error_count }) => error_count === 1);
    return { webhook, statistics };
  }
  const inError = async (id: number) => (await api.get(`/webhooks/${id}`)).body.in_error;

  test('a reset starts the counting again and leaves the error state', async () => {
    await using target = await startTarget();
    const { webhook, statistics } = await webhookInError(target.url, () => target.respondWith(answer(403)));
    assert.equal(
      statistics.last_error_message,
      `Request to postback URL '${target.url}' failed for reason: 403 Forbidden`,
    );
    assert.ok(statistics.last_error_dt >= statistics.last_success_dt);
    assert.equal(statistics.statistics_valid_from_dt, webhook.created_dt);
    assert.equal(await inError(webhook.id), true);

    const reset = await api.post(`/webhooks/${webhook.id}/statistics/reset`);
    assert.equal(reset.status, 200);
    const { statistics_valid_from_dt, ...counts } = reset.body;
    assert.deepEqual(counts, {
      success_count: 0,
      last_success_dt: null,
      error_count: 0,
      last_error_dt: null,
      last_error_message: null,
    });
    assert.ok(statistics_valid_from_dt > webhook.created_dt);
    assert.deepEqual((await api.get(`/webhooks/${webhook.id}/statistics`)).body, reset.body);
    assert.equal(await inError(webhook.id), true);
    await api.delete(`/webhooks/${webhook.id}`);
  });

  test('an edit ends the error state and keeps the counts, unless resetStatistics is true', async () => {
    await using target = await startTarget();
    const { webhook, statistics } = await webhookInError(target.url, () => target.respondWith(answer(500)));
    const path = `/webhooks/${webhook.id}`;
    for (const wrong of ['', 'yes', '1', 'TRUE', 'null', 'true&resetStatistics=false']) {
      const refused = await api.put(`${path}?resetStatistics=${wrong}`, webhook);
      assertInvalid(refused, ['/query/resetStatistics'], wrong);
    }
    assert.equal(await inError(webhook.id), true, 'nothing was changed');

    for (const query of ['', '?resetStatistics=false']) {
      const edited = await api.put(path + query, webhook);
      assert.equal(edited.body.in_error, false);
      assert.deepEqual((await api.get(`${path}/statistics`)).body, statistics);
    }
    assert.equal((await api.put(`${path}?resetStatistics=true`, webhook)).status, 200);
    const { body } = await api.get(`${path}/statistics`);
    assert.deepEqual([body.success_count, body.error_count, body.last_error_message], [0, 0, null]);
    assert.ok(body.statistics_valid_from_dt > statistics.statistics_valid_from_dt);
    await api.delete(path);
  });
});
