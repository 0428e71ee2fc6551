import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ClientService } from '../../src/identity/clients/client-service.ts';
import { createAdministrator, signedInBrowser } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { basic } from '../support/basic.ts';
import { openDatabaseOf } from '../support/database.ts';
import { createClient, requestToken, startTestService, type TestService } from '../support/service.ts';
import { ANN, activity, BOB, LrsClient, lrsClient, openStore, statement } from './lrs-helpers.ts';

describe('documents of the learning record store', () => {
  let lrs: LrsClient;

  aroundTests(async (parts) => {
    ({ lrs } = await openStore(parts));
  });

  const stateOf = (name: string, more: Record<string, string> = {}) => ({
    activityId: activity(name).id,
    agent: JSON.stringify(ANN),
    ...more,
  });

  test('are returned byte for byte, with their type and entity tag', async () => {
    const query = stateOf('bytes', { stateId: 'bookmark' });
    const body = Buffer.from([0, 255, 13, 10, 0]);
    const headers = { 'content-type': 'application/octet-stream' };
    assert.equal((await lrs.call('PUT', 'activities/state', { query, body, headers })).status, 204);
    const response = await fetch(`${lrs.endpoint}/activities/state?${new URLSearchParams(query)}`, {
      headers: { authorization: lrs.authorization, 'x-experience-api-version': '1.0.3' },
    });
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), body);
    assert.equal(response.headers.get('content-type'), 'application/octet-stream');
    assert.match(response.headers.get('etag') ?? '', /^"[0-9a-f]{40}"$/);
  });

  test('of state are listed and deleted by activity, agent and registration', async () => {
    const registration = randomUUID();
    const put = (query: Record<string, string>) => lrs.call('PUT', 'activities/state', { query, body: {} });
    await put(stateOf('list', { stateId: 'a' }));
    await put(stateOf('list', { stateId: 'b', registration }));
    await put({ ...stateOf('list', { stateId: 'c' }), agent: JSON.stringify(BOB) });
    const list = async (query: Record<string, string>) =>
      (await lrs.call('GET', 'activities/state', { query })).json;
    assert.deepEqual(await list(stateOf('list')), ['a', 'b']);
    assert.deepEqual(await list(stateOf('list', { registration })), ['b']);
    await lrs.call('DELETE', 'activities/state', { query: stateOf('list', { registration }) });
    assert.deepEqual(await list(stateOf('list')), ['a']);
    const single = await lrs.call('GET', 'activities/state', { query: stateOf('list', { stateId: 'b' }) });
    assert.equal(single.status, 404);
  });

  test('have ids that are not too long for an index', async () => {
    const put = (stateId: string) =>
      lrs.call('PUT', 'activities/state', { query: stateOf('long', { stateId }), body: {} });
    const random = Buffer.from(crypto.getRandomValues(new Uint8Array(4_000))).toString('hex');
    const { status, json } = await put(random);
    assert.equal(status, 400);
    assert.equal(json.errors[0].pointer, '/query/stateId');
    assert.equal((await put('\u{1f600}'.repeat(250))).status, 204);
  });

  test('are merged by POST only if both are JSON objects', async () => {
    const query = stateOf('merge', { stateId: 's' });
    const post = (body: unknown, headers = {}) =>
      lrs.call('POST', 'activities/state', { query, body, headers });
    assert.equal((await post({ a: 1, b: { c: 1 } })).status, 204);
    assert.equal((await post({ b: 2 })).status, 204);
    assert.deepEqual((await lrs.call('GET', 'activities/state', { query })).json, { a: 1, b: 2 });
    assert.equal((await post([1])).status, 400);
    assert.equal((await post('text', { 'content-type': 'text/plain' })).status, 400);
    assert.deepEqual((await lrs.call('GET', 'activities/state', { query })).json, { a: 1, b: 2 });
  });

  for (const [name, body] of [
    ['a bookmark', '2C1~2w1cb101001A0~'],
    ['empty', ''],
    ['the beginning of JSON', '{"page":'],
    ['a text with many brackets', `A1${'['.repeat(1_000)}`],
    ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ] as const) {
    test(`are stored by PUT although they are labelled as JSON and are ${name}, but not merged`, async () => {
      const query = stateOf('mislabelled', { stateId: randomUUID() });
      assert.equal((await lrs.call('PUT', 'activities/state', { query, body })).status, 204);
      assert.equal((await lrs.call('POST', 'activities/state', { query, body })).status, 400);
      assert.equal((await lrs.call('POST', 'activities/state', { query, body: { page: 1 } })).status, 400);
      const response = await fetch(`${lrs.endpoint}/activities/state?${new URLSearchParams(query)}`, {
        headers: { authorization: lrs.authorization, 'x-experience-api-version': '1.0.3' },
      });
      assert.equal(response.headers.get('content-type'), 'application/json');
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), Buffer.from(body));
    });
  }

  test('are refused if they are compressed, also as statements, because nobody could read them again', async () => {
    const query = stateOf('coded', { stateId: 's' });
    const put = (coding: string) =>
      lrs.call('PUT', 'activities/state', {
        query,
        body: gzipSync('{"page":7}'),
        headers: { 'content-encoding': coding },
      });
    const refused = await put('gzip');
    assert.equal(refused.status, 415);
    assert.match(refused.json.detail, /no Content-Encoding/);
    assert.equal((await lrs.call('GET', 'activities/state', { query })).status, 404);
    const body = gzipSync(JSON.stringify(statement()));
    const headers = { 'content-encoding': 'gzip' };
    assert.equal((await lrs.call('POST', 'statements', { body, headers })).status, 415);
    for (const coding of ['identity', 'UTF-8']) assert.equal((await put(coding)).status, 204, coding);
  });

  test('of profiles are replaced only with the current ETag: one of several concurrent writes wins', async () => {
    const query = { activityId: activity('profile').id, profileId: 'p' };
    const put = (body: object, headers = {}) =>
      lrs.call('PUT', 'activities/profile', { query, body, headers });
    assert.equal((await put({ n: 0 })).status, 400);
    assert.equal((await put({ n: 0 }, { 'if-none-match': '*' })).status, 204);
    assert.equal((await put({ n: 1 })).status, 409);
    assert.equal((await put({ n: 1 }, { 'if-none-match': '*' })).status, 412);
    const etag = (await lrs.call('GET', 'activities/profile', { query })).headers.get('etag')!;
    const replies = await Promise.all([1, 2, 3, 4, 5].map((n) => put({ n }, { 'if-match': etag })));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 412, 412, 412, 412]);
    const winner = replies.findIndex(({ status }) => status === 204) + 1;
    assert.deepEqual((await lrs.call('GET', 'activities/profile', { query })).json, { n: winner });
  });

  test('of courses that encode in Latin-1 are not mixed up, and a query in UTF-8 finds them', async () => {
    const escaped = ['%E9', '%E8', 'a%FCb+c', '%C3%9', '100%', '%u0442', '%e9%C3%A9'];
    const texts = ['é', 'è', 'aüb c', 'Ã%9', '100%', '%u0442', 'éÃ©'];
    const query = new URLSearchParams(stateOf('latin'));
    for (const stateId of escaped) {
      const resource = `activities/state?${query}&stateId=${stateId}`;
      assert.equal((await lrs.call('PUT', resource, { body: { stateId } })).status, 204, stateId);
    }
    for (const [at, stateId] of texts.entries()) {
      const found = await lrs.call('GET', 'activities/state', { query: stateOf('latin', { stateId }) });
      assert.deepEqual(found.json, { stateId: escaped[at] });
    }
    const listed = await lrs.call('GET', 'activities/state', { query: stateOf('latin') });
    assert.deepEqual(listed.json.toSorted(), texts.toSorted());
  });

  test('larger than 4 MiB are rejected', async () => {
    const query = stateOf('large', { stateId: 's' });
    const body = JSON.stringify({ data: 'x'.repeat(4 * 1024 * 1024) });
    assert.equal((await lrs.call('PUT', 'activities/state', { query, body })).status, 413);
  });

  test('of one megabyte are returned in full', async () => {
    const query = stateOf('megabyte', { stateId: 's' });
    const body = { data: 'ä'.repeat(500_000) };
    assert.equal((await lrs.call('PUT', 'activities/state', { query, body })).status, 204);
    assert.deepEqual((await lrs.call('GET', 'activities/state', { query })).json, body);
  });
});

describe('the learning record store', () => {
  let service: TestService;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const recordOf = async (clientId: string) => {
    await using database = await openDatabaseOf(service.settings.data_dir);
    return await new ClientService({ database, now: Date.now }).get(clientId);
  };

  test('accepts API clients with their secret or a token, within their scopes', async () => {
    const none = await lrsClient(service, ['content:read']);
    assert.equal((await none.call('GET', 'statements')).status, 403);
    const reader = await lrsClient(service, ['statements:read']);
    assert.equal((await reader.call('GET', 'statements')).status, 200);
    assert.equal((await reader.call('POST', 'statements', { body: statement() })).status, 403);
    const writer = await lrsClient(service, ['statements:write']);
    assert.equal((await writer.call('POST', 'statements', { body: statement() })).status, 200);
    assert.equal((await writer.call('GET', 'statements')).status, 403);
    const made = await createClient(service.settings.data_dir, { scopes: ['statements:read'] });
    const withSecret = new LrsClient(`${service.url}/xapi`, basic(made.clientId, made.clientSecret));
    assert.equal((await withSecret.call('GET', 'statements')).status, 200);
    assert.ok((await recordOf(made.clientId))?.lastUsedAt, 'its use is recorded');
    const token = await requestToken(service.url, made.clientId, made.clientSecret);
    const bearer = new LrsClient(`${service.url}/xapi`, `Bearer ${token}`);
    assert.equal((await bearer.call('GET', 'statements')).status, 200);
    const wrong = new LrsClient(`${service.url}/xapi`, basic(made.clientId, 'cws_wrong'));
    const refused = await wrong.call('GET', 'statements');
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Basic /);
    const swapped = new LrsClient(`${service.url}/xapi`, basic(made.clientSecret, made.clientId));
    assert.equal((await swapped.call('GET', 'statements')).status, 401);
    assert.deepEqual(
      service.logLines.filter(({ msg }) => msg === 'Basic credentials refused').map((line) => line.client_id),
      [made.clientId, null],
    );
    assert.ok(!JSON.stringify(service.logLines).includes(made.clientSecret));
  });

  test('asks callers without credentials for a token or a secret, since some clients wait for that', async () => {
    const asked = 'Bearer realm="coursewire", Basic realm="coursewire", charset="UTF-8"';
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await fetch(`${service.url}/xapi/statements`, { method });
      assert.deepEqual([status, headers.get('www-authenticate')], [401, asked], method);
    }
  });

  test('names the methods of a resource that are not refused if it does not know one', async () => {
    for (const [resource, methods] of Object.entries({
      about: 'GET, HEAD',
      '/agents': 'GET, HEAD',
      statements: 'GET, HEAD, PUT, POST',
      'activities/state': 'GET, HEAD, POST, PUT, DELETE',
    })) {
      const { status, headers } = await fetch(`${service.url}/xapi/${resource}?a=b`, { method: 'PATCH' });
      assert.deepEqual([status, headers.get('allow')], [405, methods], resource);
    }
  });

  test('answers each of many wrong secrets with 401, and a right one afterwards as usual', async () => {
    const guess = new LrsClient(`${service.url}/xapi`, basic(`cw_${'0'.repeat(24)}`, 'x'));
    for (let at = 0; at < 12; at++) assert.equal((await guess.call('GET', 'statements')).status, 401);
    const reader = await lrsClient(service, ['statements:read']);
    assert.equal((await reader.call('GET', 'statements')).status, 200);
  });

  test('accepts requests as forms, even with the credential in the form', async () => {
    const lrs = await lrsClient(service);
    const id = randomUUID();
    const form = new URLSearchParams({
      statementId: id,
      Authorization: lrs.authorization,
      'X-Experience-API-Version': '1.0',
      'Content-Type': 'application/json',
      content: JSON.stringify(statement({ result: { response: 'ä & b' } })),
    });
    const put = await fetch(`${lrs.endpoint}/statements?method=PUT`, { method: 'POST', body: form });
    assert.equal(put.status, 204, await put.text());
    const got = await fetch(`${lrs.endpoint}/statements?method=GET`, {
      method: 'POST',
      body: new URLSearchParams({
        statementId: id,
        Authorization: lrs.authorization,
        'X-Experience-API-Version': '1.0.1',
      }),
    });
    assert.equal(((await got.json()) as { result: { response: string } }).result.response, 'ä & b');
    const anonymous = await fetch(`${lrs.endpoint}/statements?method=GET`, {
      method: 'POST',
      body: new URLSearchParams({ 'X-Experience-API-Version': '1.0.1' }),
    });
    assert.equal(anonymous.status, 401);
  });

  test('accepts a form as plain text or without a media type, but as nothing else', async () => {
    const lrs = await lrsClient(service);
    const post = async (method: string, members: Record<string, string>, headers: Record<string, string>) => {
      const known = { Authorization: lrs.authorization, 'X-Experience-API-Version': '1.0.1' };
      const body = Buffer.from(new URLSearchParams({ ...known, ...members }).toString());
      const url = `${lrs.endpoint}/statements?method=${method}`;
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    const content = JSON.stringify(statement());
    for (const headers of [{}, { 'content-type': 'text/plain;charset=UTF-8' }] as Record<string, string>[]) {
      const statementId = randomUUID();
      assert.equal(await post('PUT', { statementId, content }, headers), 204);
      assert.equal(await post('GET', { statementId, 'Content-Type': 'application/json' }, headers), 200);
    }
    const json = { 'content-type': 'application/json' };
    assert.equal(await post('PUT', { statementId: randomUUID(), content }, json), 400);
  });

  test('stores a document from a form that has its content, even if that is empty or not JSON', async () => {
    const lrs = await lrsClient(service);
    const query = { activityId: activity('form').id, agent: JSON.stringify(ANN), stateId: 'bookmark' };
    const put = async (members: Record<string, string>) => {
      const known = { Authorization: lrs.authorization, 'X-Experience-API-Version': '1.0.1' };
      const body = new URLSearchParams({ ...known, ...query, ...members });
      return (await fetch(`${lrs.endpoint}/activities/state?method=PUT`, { method: 'POST', body })).status;
    };
    const stored = async () => (await lrs.call('GET', 'activities/state', { query })).text;
    for (const content of ['2C1~2w1cb101', '']) {
      assert.equal(await put({ content }), 204);
      assert.equal(await stored(), content);
    }
    assert.equal(await put({ content: '{"page":7}' }), 204);
    assert.equal(await put({}), 400);
    assert.equal(await stored(), '{"page":7}');
  });

  test('takes an access token in a form, which decides even with a session', async () => {
    await createAdministrator(service.settings.data_dir);
    const { cookies } = await signedInBrowser(service.url);
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const { clientId, clientSecret } = await createClient(service.settings.data_dir, {
      scopes: ['statements:read'],
    });
    const token = await requestToken(service.url, clientId, clientSecret);
    const ask = async (authorization: string, headers: Record<string, string>) =>
      await fetch(`${service.url}/xapi/statements?method=GET`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ Authorization: authorization, 'X-Experience-API-Version': '1.0.3' }),
      });
    for (const headers of [{}, { cookie, origin: service.url }]) {
      const good = await ask(`Bearer ${token}`, headers);
      assert.equal(good.status, 200, await good.text());
      const bad = await ask('Bearer nonsense', headers);
      assert.equal(bad.status, 401);
      assert.match(bad.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
    }
  });

  test('allows requests from pages of any origin, and lists what they may send', async () => {
    const preflight = await fetch(`${service.url}/xapi/statements`, {
      method: 'OPTIONS',
      headers: { origin: 'https://course.example', 'access-control-request-method': 'PUT' },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /X-Experience-API-Version/);
    assert.equal(preflight.headers.get('access-control-allow-credentials'), null);
    const about = await fetch(`${service.url}/xapi/about`);
    assert.deepEqual(((await about.json()) as { version: string[] }).version.includes('2.0.0'), true);
  });

  test('returns activities and agents as statements described them', async () => {
    const lrs = await lrsClient(service);
    const id = `https://example.com/${randomUUID()}`;
    const agent = { mbox: `mailto:${randomUUID()}@example.com` };
    await lrs.store(
      statement({ actor: { ...agent, name: 'Ann' }, object: { id, definition: { name: { en: 'One' } } } }),
      statement({ actor: { ...agent, name: 'Anna' }, object: { id, definition: { name: { de: 'Eins' } } } }),
    );
    const extensions = { 'https://example.com/x': 1 };
    await lrs.store(statement({ object: { id, definition: { name: { de: 'Ein' }, extensions } } }));
    const known = await lrs.call('GET', 'activities', { query: { activityId: id } });
    assert.deepEqual(known.json, {
      objectType: 'Activity',
      id,
      definition: { name: { en: 'One', de: 'Ein' }, extensions },
    });
    const person = await lrs.call('GET', 'agents', { query: { agent: JSON.stringify(agent) } });
    assert.deepEqual(person.json, { objectType: 'Person', name: ['Ann', 'Anna'], mbox: [agent.mbox] });
  });

  test('rejects unknown and repeated members of a query', async () => {
    const lrs = await lrsClient(service);
    const unknown = await lrs.call('GET', 'statements', { query: { verbs: 'x' } });
    assert.deepEqual(unknown.json.errors, [{ pointer: '/query/verbs', detail: 'is not a known member' }]);
    assert.equal((await lrs.call('GET', 'statements?limit=1&limit=2')).status, 400);
    assert.equal(
      (await lrs.call('GET', 'activities/state', { query: { activityId: 'x:y', agent: '{' } })).status,
      400,
    );
  });
});
