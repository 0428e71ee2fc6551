import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { MOMENT } from '../support/moment.ts';
import { type Api, startTestService, type TestService } from '../support/service.ts';
import { assertCannotCreate, assertInvalid, webhookInput } from './webhook-expectations.ts';

// Runs on SQLite alone: configurations are checked before they are stored, as in the tests of updates.

describe('creating and reading webhooks', () => {
  let service: TestService;
  let api: Api;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
  });

  const create = (overrides: Record<string, unknown> = {}) =>
    api.create('/webhooks', webhookInput(overrides));

  test('a configuration is returned as it was given, as a record', async () => {
    const configuration = {
      name: 'Every member',
      topic: 'REGISTRATION',
      subtopics: ['REGISTRATION_STATUS_UPDATED'],
      focus: [
        { webhook_focus_type: 'ACCOUNT', webhook_focus_id: 900_001, webhook_focus_name: 'Northwind' },
        { webhook_focus_type: 'FOLDER', webhook_focus_id: 900_002, webhook_focus_name: null },
      ],
      target_url: 'https://example.com/postbacks?tenant=7#part',
      authentication: { type: 'BASIC', key: 'coursewire', secret: 'open sesame' },
      enabled: false,
      paused: true,
      max_attempts: 3,
      ignore_before_dt: '2026-01-31T09:30:00.5+01:00',
      logging_mode: 'SUMMARY',
    };
    const answer = await api.post('/webhooks', configuration);
    assert.equal(answer.status, 201);
    const { id, created_dt, updated_dt, ...rest } = answer.body;
    assert.ok(Number.isInteger(id) && id > 0);
    assert.match(created_dt, MOMENT);
    assert.equal(updated_dt, created_dt);
    assert.deepEqual(rest, {
      ...configuration,
      all_subtopics: false,
      authentication: { type: 'BASIC', key: 'coursewire' },
      ignore_before_dt: '2026-01-31T08:30:00.500Z',
      inactive_since_dt: created_dt,
      signing_since_dt: null,
      former_signing_secret_until_dt: null,
      paused_since_dt: created_dt,
      in_error: false,
      read_only: false,
    });
    assert.equal(answer.headers.get('location'), `/webhooks/${id}`);

    const read = await api.get(answer.headers.get('location') ?? '');
    assert.equal(read.status, 200);
    assert.deepEqual(read.body, answer.body);
    assert.equal(read.headers.get('etag'), answer.headers.get('etag'));
    const listed = await api.get('/webhooks?limit=200');
    assert.deepEqual(
      listed.body.data.find((each: { id: number }) => each.id === id),
      answer.body,
    );
  });

  test('omitted members get their defaults', async () => {
    const { id, created_dt, updated_dt, ...rest } = await create();
    assert.deepEqual(rest, {
      name: 'Accounts',
      topic: 'ACCOUNT',
      subtopics: ['ACCOUNT_CREATED', 'ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED'],
      all_subtopics: true,
      focus: [],
      target_url: 'http://127.0.0.1:9/postbacks',
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
    });
    const statistics = await api.get(`/webhooks/${id}/statistics`);
    assert.deepEqual(statistics.body, {
      statistics_valid_from_dt: created_dt,
      success_count: 0,
      last_success_dt: null,
      error_count: 0,
      last_error_dt: null,
      last_error_message: null,
    });
  });

  test('name, topic and target_url are required, and all missing members are named', async () => {
    assertInvalid(await api.post('/webhooks', {}), ['/name', '/topic', '/target_url']);
    assertInvalid(await api.post('/webhooks', { topic: 'ACCOUNT' }), ['/name', '/target_url']);
    for (const body of ['null', '[]', '"webhook"', '7', 'true']) {
      assertInvalid(await api.post('/webhooks', body), [''], body);
    }
  });

  test('every offending member is named in one response', async () => {
    const answer = await api.post('/webhooks', {
      name: 7,
      topic: 'WEATHER',
      subtopics: ['ACCOUNT_CREATED', 'RAIN'],
      focus: [{ webhook_focus_type: 'CITY', webhook_focus_id: '1', colour: 'red' }, 'Paris'],
      target_url: 'ftp://example.com/',
      authentication: { type: 'BASIC', user: 'me' },
      enabled: 'yes',
      max_attempts: 0,
      ignore_before_dt: '2026-02-30T00:00:00Z',
      logging_mode: 'LOUD',
      subtopic: 'ACCOUNT_CREATED',
      'a/b~c': 1,
    });
    assertInvalid(answer, [
      '/name',
      '/topic',
      '/subtopics/1',
      '/focus/0/webhook_focus_type',
      '/focus/0/webhook_focus_id',
      '/focus/0/colour',
      '/focus/1',
      '/target_url',
      '/authentication/key',
      '/authentication/secret',
      '/authentication/user',
      '/enabled',
      '/max_attempts',
      '/ignore_before_dt',
      '/logging_mode',
      '/subtopic',
      '/a~1b~0c',
    ]);
  });

  test('read-only members are accepted and ignored', async () => {
    const record = await create({
      id: 4711,
      in_error: 'perhaps',
      read_only: true,
      created_dt: '1999-12-31T00:00:00Z',
      updated_dt: null,
    });
    assert.notEqual(record.id, 4711);
    assert.equal(record.in_error, false);
    assert.equal(record.read_only, false);
    assert.notEqual(record.created_dt.slice(0, 4), '1999');
  });

  test('a name is 1 to 200 characters of any script, without control characters', async () => {
    const names = [
      'a',
      ' padded ',
      '"quoted" \\ <b>&amp;</b> \'; drop table webhooks; --',
      '日本語 العربية עברית',
      'e\u0301 is not \u00e9',
      'line\u2028separator\u2029paragraph',
      '🚒'.repeat(200),
      '__proto__',
    ];
    for (const name of names) assert.equal((await create({ name })).name, name);
    for (const name of [
      '',
      ' ',
      '\u2003\u3000',
      'a\u0000b',
      'a\nb',
      'tab\t',
      '\u007f',
      '🚒'.repeat(201),
      null,
      7,
      ['a'],
    ]) {
      await assertCannotCreate(api, { name }, '/name');
    }
  });

  test('BASIC requires key and secret, NONE allows neither', async () => {
    const refusedWith = (authentication: unknown, ...pointers: string[]) =>
      assertCannotCreate(api, { authentication }, ...pointers);
    assert.deepEqual((await create({ authentication: {} })).authentication, { type: 'NONE' });
    assert.deepEqual((await create({ authentication: { type: 'NONE' } })).authentication, { type: 'NONE' });
    for (const key of ['k', 'user name', 'schlüssel', '"{}"', 'k'.repeat(1_000)]) {
      const record = await create({ authentication: { type: 'BASIC', key, secret: 's:s' } });
      assert.deepEqual(record.authentication, { type: 'BASIC', key });
    }
    await refusedWith({ type: 'BASIC' }, '/authentication/key', '/authentication/secret');
    await refusedWith({ type: 'BASIC', key: 'k' }, '/authentication/secret');
    await refusedWith({ type: 'BASIC', secret: 's' }, '/authentication/key');
    await refusedWith(
      { type: 'BASIC', key: '', secret: '' },
      '/authentication/key',
      '/authentication/secret',
    );
    await refusedWith({ type: 'BASIC', key: 'a:b', secret: 's' }, '/authentication/key');
    await refusedWith(
      { type: 'BASIC', key: 'a\r\nb', secret: 's\u0000' },
      '/authentication/key',
      '/authentication/secret',
    );
    await refusedWith(
      { type: 'BASIC', key: 'k'.repeat(1_001), secret: 's'.repeat(1_001) },
      '/authentication/key',
      '/authentication/secret',
    );
    await refusedWith(
      { type: 'BASIC', key: 1, secret: null },
      '/authentication/key',
      '/authentication/secret',
    );
    await refusedWith({ type: 'NONE', key: 'k' }, '/authentication/key');
    await refusedWith({ key: 'k', secret: 's' }, '/authentication/key', '/authentication/secret');
    await refusedWith({ type: 'basic', key: 'k', secret: 's' }, '/authentication/type');
    await refusedWith({ type: 'BEARER', token: 't' }, '/authentication/type', '/authentication/token');
    await refusedWith(null, '/authentication');
    await refusedWith('BASIC', '/authentication');
  });

  test('enabled is true or false', async () => {
    for (const enabled of [true, false]) assert.equal((await create({ enabled })).enabled, enabled);
    for (const enabled of ['true', 1, 0, null]) await assertCannotCreate(api, { enabled }, '/enabled');
  });

  test('max_attempts is a whole number from 1 to 1,000', async () => {
    for (const max_attempts of [1, 2, 999, 1_000])
      assert.equal((await create({ max_attempts })).max_attempts, max_attempts);
    assert.equal(
      (await api.create('/webhooks', JSON.stringify(webhookInput()).replace('}', ',"max_attempts":1e2}')))
        .max_attempts,
      100,
    );
    for (const max_attempts of [0, -1, 1_001, 1.5, '3', null, true, [3]])
      await assertCannotCreate(api, { max_attempts }, '/max_attempts');
    const infinite = await api.post(
      '/webhooks',
      JSON.stringify(webhookInput()).replace('}', ',"max_attempts":1e999}'),
    );
    assertInvalid(infinite, ['/max_attempts']);
  });

  test('ignore_before_dt is a time with a zone', async () => {
    const moments = {
      '2026-01-31T09:30:00Z': '2026-01-31T09:30:00.000Z',
      '2026-01-31T09:30:00.123456+05:45': '2026-01-31T03:45:00.123Z',
      '2024-02-29T23:59:59.999-12:00': '2024-03-01T11:59:59.999Z',
      '0001-01-01T00:00Z': '0001-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z': '9999-12-31T23:59:59.999Z',
    };
    for (const [given, read] of Object.entries(moments)) {
      const record = await create({ ignore_before_dt: given });
      assert.equal(record.ignore_before_dt, read);
      assert.equal((await create({ ignore_before_dt: read })).ignore_before_dt, read);
    }
    assert.equal((await create({ ignore_before_dt: null })).ignore_before_dt, null);
    const none = [
      '',
      'yesterday',
      '2026-01-31',
      '2026-01-31T09:30:00',
      '2026-02-30T00:00:00Z',
      '2025-02-29T00:00:00Z',
    ];
    for (const ignore_before_dt of [
      ...none,
      '2026-01-31T25:00:00Z',
      '9999-12-31T23:59:59-01:00',
      1769851800,
      {},
    ]) {
      await assertCannotCreate(api, { ignore_before_dt }, '/ignore_before_dt');
    }
    await assertCannotCreate(
      api,
      { ignore_before_dt: `2026-01-31T09:30:00.${'0'.repeat(100_000)}Z` },
      '/ignore_before_dt',
    );
  });

  test('logging_mode has one of the four spellings of the configuration, not those of messages', async () => {
    for (const logging_mode of ['NONE', 'SUMMARY', 'FULL', 'FULLONERROR']) {
      assert.equal((await create({ logging_mode })).logging_mode, logging_mode);
    }
    for (const logging_mode of ['FULL_ON_ERROR', 'full', '', null, 1])
      await assertCannotCreate(api, { logging_mode }, '/logging_mode');
  });

  test('the last of repeated members counts, as in JSON parsers', async () => {
    const body =
      '{"name":"first","topic":"COURSE","target_url":"http://127.0.0.1:9/","topic":"ACCOUNT","name":"last"}';
    const { name, topic } = await api.create('/webhooks', body);
    assert.deepEqual({ name, topic }, { name: 'last', topic: 'ACCOUNT' });
  });
});
