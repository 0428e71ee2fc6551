import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { Idempotency } from '../../src/http/idempotency.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/time/units.ts';
import { scorm2004Files } from '../support/course-packages.ts';
import { openDatabaseOf } from '../support/database.ts';
import { readWhole } from '../support/each-page.ts';
import { borrowTestService } from '../support/lent-service.ts';
import { registerTo } from '../support/registered-course.ts';
import { Api, createClient, requestToken, startTestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { webhookInput } from '../webhooks/webhook-expectations.ts';

/** When these tests begin. The service's clock moves only when a test skips some time. */
const NOW = Date.now();

/** The accounts of this name. Other tests may have created more. */
async function accountsNamed(api: Api, name: string): Promise<{ name: string }[]> {
  const accounts = await readWhole((page) => api.get(page), '/accounts');
  return accounts.filter((account) => account.name === name);
}

describe('Idempotency-Key on POST', () => {
  test('the same key and request get the first response and cause no second event', async () => {
    await using target = await startTarget();
    await using service = await borrowTestService();
    const { api } = service;
    await api.create('/webhooks', { name: 'w', topic: 'ACCOUNT', target_url: target.url });
    const key = { 'Idempotency-Key': 'a-key' };

    const first = await api.post('/accounts', { name: 'Once' }, key);
    const second = await api.post('/accounts', { name: 'Once' }, { 'Idempotency-Key': '"a-key"' });
    assert.equal(first.status, 201);
    assert.deepEqual([second.status, second.body], [201, first.body]);
    for (const name of ['location', 'etag']) assert.equal(second.headers.get(name), first.headers.get(name));
    assert.equal(first.headers.get('idempotent-replayed'), null);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');

    await api.create('/accounts', { name: 'Marker' });
    const received = await target.waitFor(2);
    const names = received.map(
      ({ json }) => (json as { resource: { account: { name: string } } }).resource.account.name,
    );
    assert.deepEqual(names, ['Once', 'Marker']);
    assert.equal((await accountsNamed(api, 'Once')).length, 1);
  });

  test('a response that an earlier release stored is repeated, although records have more members now', async () => {
    await using service = await borrowTestService();
    const { api } = service;
    const key = { 'Idempotency-Key': 'earlier' };
    const first = await api.post('/accounts', { name: 'Northwind' }, key);
    const { updated_dt: _missing, ...former } = first.body;
    await using database = await openDatabaseOf(service.settings.data_dir);
    await database.transaction((tx) =>
      tx.run(
        'update idempotency_keys set body = ? where idempotency_key = ?',
        JSON.stringify(former),
        'earlier',
      ),
    );
    const second = await api.post('/accounts', { name: 'Northwind' }, key);
    assert.deepEqual([second.status, second.body], [201, former]);
    assert.equal(second.headers.get('content-type'), first.headers.get('content-type'));
  });

  test('the key of a record that has been deleted since creates nothing, but another key does', async () => {
    await using service = await borrowTestService();
    const { api } = service;
    const create = (run: number) =>
      api.post('/accounts', { name: 'Deleted' }, { 'Idempotency-Key': `account-north-run-${run}` });
    const first = await create(1);
    assert.equal((await api.delete(`/accounts/${first.body.id}`)).status, 204);
    const second = await create(1);
    assert.deepEqual([second.status, second.body], [201, first.body]);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(await accountsNamed(api, 'Deleted'), []);
    const third = await create(2);
    assert.equal(third.status, 201);
    assert.deepEqual(await accountsNamed(api, 'Deleted'), [third.body]);
  });

  test('requests with one key at the same time cause one change', async () => {
    await using service = await borrowTestService();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        service.api.post('/accounts', { name: 'At once' }, { 'Idempotency-Key': 'at-once' }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    assert.equal((await accountsNamed(service.api, 'At once')).length, 1);
  });

  test('the same key with another body is 422', async () => {
    await using service = await borrowTestService();
    const key = { 'Idempotency-Key': 'another-body' };
    await service.api.post('/accounts', { name: 'Northwind' }, key);
    const answer = await service.api.post('/accounts', { name: 'Southwind' }, key);
    assert.deepEqual(
      [answer.status, answer.body.type],
      [422, 'urn:coursewire:problem:idempotency-key-reused'],
    );
  });

  test('the same key and body for another resource is 422, and changes nothing there', async () => {
    await using service = await borrowTestService();
    const { api } = service;
    const ids = [
      await api.create('/webhooks', webhookInput()),
      await api.create('/webhooks', webhookInput()),
    ];
    const key = { 'Idempotency-Key': 'same-body' };
    const [first, second] = ids.map(({ id }) => `/webhooks/${id}/signing-secret`);
    assert.ok((await api.post(first!, {}, key)).status < 300);
    const answer = await api.post(second!, {}, key);
    assert.deepEqual(
      [answer.status, answer.body.type],
      [422, 'urn:coursewire:problem:idempotency-key-reused'],
    );
    const before = ids[1]!;
    assert.deepEqual((await api.get(`/webhooks/${before.id}`)).body, before);
  });

  test('the same key with another request is 422, whether or not one of them returns a secret', async () => {
    await using service = await borrowTestService();
    const { api } = service;
    const { id } = await api.create('/webhooks', webhookInput());
    const posts: [string, object][] = [
      ['/accounts', { name: 'Northwind' }],
      [`/webhooks/${id}/signing-secret`, {}],
    ];
    for (const [n, [first, second]] of [posts, posts.toReversed()].entries()) {
      const key = { 'Idempotency-Key': `key-${n}` };
      assert.ok((await api.post(first![0], first![1], key)).status < 300);
      const answer = await api.post(second![0], second![1], key);
      assert.deepEqual(
        [answer.status, answer.body.type],
        [422, 'urn:coursewire:problem:idempotency-key-reused'],
      );
    }
  });

  test('a failed request does not use up its key', async () => {
    await using service = await borrowTestService();
    const key = { 'Idempotency-Key': 'failed' };
    assert.equal((await service.api.post('/accounts', { name: '' }, key)).status, 400);
    assert.equal((await service.api.post('/accounts', { name: 'Northwind' }, key)).status, 201);
  });

  test('each client has its own keys', async () => {
    await using service = await borrowTestService();
    const other = await createClient(service.settings.data_dir, { email: 'other@example.com' });
    const otherApi = new Api(
      service.url,
      await requestToken(service.url, other.clientId, other.clientSecret),
    );
    const key = { 'Idempotency-Key': 'of-each' };
    const mine = await service.api.post('/accounts', { name: 'Northwind' }, key);
    const theirs = await otherApi.post('/accounts', { name: 'Northwind' }, key);
    assert.deepEqual([mine.status, theirs.status], [201, 201]);
    assert.notEqual(mine.body.id, theirs.body.id);

    const mineAgain = await service.api.post('/accounts', { name: 'Northwind' }, key);
    const theirsAgain = await otherApi.post('/accounts', { name: 'Northwind' }, key);
    assert.deepEqual(mineAgain.body, mine.body);
    assert.deepEqual(theirsAgain.body, theirs.body);
  });

  test('a key returns its response for 24 hours; then the next request can use it', async () => {
    let skipped = 0;
    await using service = await startTestService({
      now: () => NOW + skipped,
      settings: { access_token_lifetime: 60 * 3_600 },
    });
    const post = async (name: string) => {
      const answer = await service.api.post('/accounts', { name }, { 'Idempotency-Key': 'k' });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body.id;
    };
    const first = await post('Northwind');
    skipped = 24 * HOUR_MS - MINUTE_MS;
    assert.equal(await post('Northwind'), first, 'after 23 h 59 min');
    skipped = 25 * HOUR_MS;
    const second = await post('Southwind');
    assert.notEqual(second, first, 'after 25 h');
    assert.equal(await post('Southwind'), second, 'a repetition of what took the key');
  });

  test('a key belongs to its request for 24 hours, also if another request would keep it for less', async () => {
    let skipped = 0;
    await using service = await startTestService({
      now: () => NOW + skipped,
      settings: { access_token_lifetime: 60 * 3_600 },
    });
    const { api } = service;
    const { registrationId } = await registerTo(service, scorm2004Files());
    const key = { 'Idempotency-Key': 'k' };
    const first = await api.post('/accounts', { name: 'Northwind' }, key);
    skipped = 23 * HOUR_MS;
    assert.equal((await api.post(`/registrations/${registrationId}/launch`, {}, key)).status, 422);
    const second = await api.post('/accounts', { name: 'Northwind' }, key);
    assert.deepEqual([second.status, second.body], [201, first.body]);
  });

  test('a key stays when another client’s request with the same key has expired', async () => {
    let skipped = 0;
    await using service = await startTestService({
      now: () => NOW + skipped,
      settings: { access_token_lifetime: 60 * 3_600 },
    });
    const { registrationId } = await registerTo(service, scorm2004Files());
    const { clientId, clientSecret } = await createClient(service.settings.data_dir);
    const other = new Api(service.url, await requestToken(service.url, clientId, clientSecret));
    const key = { 'Idempotency-Key': 'k' };
    const launch = async () => {
      const answer = await other.post(`/registrations/${registrationId}/launch`, {}, key);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.launch_url;
    };
    const first = await service.api.post('/accounts', { name: 'Northwind' }, key);
    const link = await launch();
    skipped = 9 * HOUR_MS;
    assert.notEqual(await launch(), link, 'the link has expired');
    const second = await service.api.post('/accounts', { name: 'Northwind' }, key);
    assert.deepEqual([second.status, second.body], [201, first.body]);
  });

  test('a key that was used while the clock was far ahead has expired once the clock is set back', async () => {
    let skipped = 0;
    await using service = await startTestService({
      now: () => NOW + skipped,
      settings: { access_token_lifetime: 60 * 3_600 },
    });
    const post = async (key: string, name: string) => {
      const answer = await service.api.post('/accounts', { name }, { 'Idempotency-Key': key });
      return answer.status === 201 ? answer.body.name : answer.status;
    };
    skipped = 48 * HOUR_MS;
    for (const key of ['used', 'left']) assert.equal(await post(key, 'Northwind'), 'Northwind');
    skipped = 30 * MINUTE_MS;
    assert.equal(await post('new', 'Northwind'), 'Northwind');
    skipped = 0;
    assert.equal(await post('used', 'Southwind'), 'Southwind');
    assert.equal(await post('used', 'Eastwind'), 422);
    assert.equal(await post('new', 'Southwind'), 422, 'a clock that is set back a little repeats no change');

    await using database = await openDatabaseOf(service.settings.data_dir);
    const cipher = { encrypt: (_: string, text: string) => text, decrypt: (_: string, text: string) => text };
    const idempotency = new Idempotency({ database, cipher, now: () => NOW });
    // The cleaner of the service may have removed it already.
    await idempotency.forgetOld(500);
    const left = await database.reader.all<{ key: string }>(
      'select idempotency_key as key from idempotency_keys order by idempotency_key',
    );
    assert.deepEqual(
      left.map(({ key }) => key),
      ['new', 'used'],
    );
  });

  test('requests at the same time with a key that has expired cause one change', async () => {
    let skipped = 0;
    await using service = await startTestService({
      now: () => NOW + skipped,
      settings: { access_token_lifetime: 60 * 3_600 },
    });
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    const post = (key: string, name: string) =>
      service.api.post('/accounts', { name }, { 'Idempotency-Key': key });
    for (const key of keys) await post(key, 'Northwind');
    skipped = 25 * HOUR_MS;
    for (const key of keys) {
      const answers = await Promise.all(Array.from({ length: 4 }, () => post(key, 'Southwind')));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1, key);
    }
  });

  test('an invalid key is rejected', async () => {
    await using service = await borrowTestService();
    for (const key of ['""', 'a b', 'k'.repeat(256)]) {
      const answer = await service.api.post('/accounts', { name: 'Northwind' }, { 'Idempotency-Key': key });
      assert.deepEqual(
        [answer.status, answer.body.errors[0].pointer],
        [400, '/headers/Idempotency-Key'],
        key,
      );
    }
  });
});

describe('Idempotency-Key on the calls of webhooks', () => {
  test('creating a webhook with a secret stores nothing from which the secret can be guessed', async () => {
    await using service = await startTestService();
    const { api } = service;
    const authentication = { type: 'BASIC', key: 'us', secret: 'a secret of theirs' };
    const body = { name: 'w', topic: 'ACCOUNT', target_url: 'http://127.0.0.1:9/', authentication };
    const key = { 'Idempotency-Key': 'create' };
    const first = await api.post('/webhooks', body, key);
    assert.equal(first.status, 201, JSON.stringify(first.body));
    await using database = await openDatabaseOf(service.settings.data_dir);
    const kept = JSON.stringify(await database.reader.all('select * from idempotency_keys'));
    assert.match(kept, /"create"/);
    const hash = createHash('sha256')
      .update(`POST /webhooks\n${JSON.stringify(body)}`)
      .digest('hex');
    for (const readable of [authentication.secret, hash]) assert.ok(!kept.includes(readable), readable);
    assert.deepEqual((await api.post('/webhooks', body, key)).body, first.body);
    const other = { ...body, authentication: { ...authentication, secret: 'another one' } };
    assert.equal((await api.post('/webhooks', other, key)).status, 422);
  });

  test('a repeated creation creates one webhook, and a repeated skip moves one message', async () => {
    await using service = await startTestService({
      settings: { retry_initial_delay: 60, retry_max_delay: 60 },
    });
    const { api } = service;
    const body = { name: 'w', topic: 'ACCOUNT', target_url: 'http://127.0.0.1:9/' };
    const [first, second] = [
      await api.post('/webhooks', body, { 'Idempotency-Key': 'create' }),
      await api.post('/webhooks', body, { 'Idempotency-Key': 'create' }),
    ];
    assert.deepEqual([first.status, second.status, second.body], [201, 201, first.body]);
    assert.equal((await api.get('/webhooks')).body.data.length, 1);

    for (const name of ['One', 'Two', 'Three']) await api.create('/accounts', { name });
    const line = `/webhooks/${first.body.id}/line`;
    await until(async () => (await api.get(line)).body.state === 'RETRYING', 'the head failed');
    const skips = [
      await api.post(`${line}/skip`, undefined, { 'Idempotency-Key': 'skip' }),
      await api.post(`${line}/skip`, undefined, { 'Idempotency-Key': 'skip' }),
    ];
    assert.deepEqual(
      skips.map(({ status, body }) => [status, body.depth]),
      [
        [200, 2],
        [200, 2],
      ],
    );
    assert.equal((await api.get(line)).body.depth, 2);
  });
});

test('the Location of a new record is below base_url', async () => {
  await using service = await startTestService({
    settings: { base_url: 'https://learning.example.com/wire/' },
  });
  const answer = await service.api.post('/accounts', { name: 'Northwind' });
  assert.equal(answer.headers.get('location'), `/wire/accounts/${answer.body.id}`);
});
