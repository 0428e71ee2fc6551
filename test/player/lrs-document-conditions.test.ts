import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { MIB } from '../../src/bytes.ts';
import { formatDateTime } from '../../src/time/date-time.ts';
import { aroundTests } from '../support/around-tests.ts';
import { ManualClock } from '../support/clock.ts';
import { ANN, activity, type LrsCall, type LrsClient, openStore, VERSION_2 } from './lrs-helpers.ts';

// Runs on SQLite in `npm test`: conditions are compared in the process. The tests of documents store them on both.

describe('a document of the learning record store', () => {
  let lrs: LrsClient;
  const clock = new ManualClock();

  aroundTests(async (parts) => {
    ({ lrs } = await openStore(parts, { now: clock.now }));
  });

  const newState = () => ({
    activityId: activity(randomUUID()).id,
    agent: JSON.stringify(ANN),
    stateId: 'bookmark',
  });
  type State = ReturnType<typeof newState>;
  const call = (method: string, query: Record<string, string>, more: LrsCall = {}) =>
    lrs.call(method, 'activities/state', { query, ...more });
  const put = async (query: State, body: unknown, headers: Record<string, string> = {}) =>
    (await call('PUT', query, { body, headers })).status;
  const read = async (query: State) => (await call('GET', query)).json;
  const tagOf = async (query: State) => (await call('GET', query)).headers.get('etag')!;

  test('is not created by a request that expects one to be there', async () => {
    const query = newState();
    assert.equal(await put(query, { page: 1 }, { 'if-match': '*' }), 412);
    assert.equal(await put(query, { page: 1 }, { 'if-match': '"another"' }), 412);
    assert.equal((await call('GET', query)).status, 404);
  });

  test('is not replaced if it is the one that If-None-Match names', async () => {
    const query = newState();
    await put(query, { page: 1 });
    const tag = await tagOf(query);
    assert.equal(await put(query, { page: 2 }, { 'if-none-match': `"another", ${tag}` }), 412);
    assert.equal(await put(query, { page: 3 }, { 'if-none-match': '"another"' }), 204);
    assert.deepEqual(await read(query), { page: 3 });
  });

  test('is replaced by a client that omits the quotation marks of its entity tag', async () => {
    const query = newState();
    await put(query, { page: 1 });
    const tag = (await tagOf(query)).replaceAll('"', '');
    assert.equal(await put(query, { page: 2 }, { 'if-match': tag }), 204);
    assert.equal(await put(query, { page: 3 }, { 'if-match': tag }), 412);
  });

  test('is deleted only if it is the one that the request expects', async () => {
    const query = newState();
    await put(query, { page: 1 });
    const former = await tagOf(query);
    await put(query, { page: 2 });
    const remove = async (tag: string) =>
      (await call('DELETE', query, { headers: { 'if-match': tag } })).status;
    assert.equal(await remove(former), 412);
    assert.deepEqual(await read(query), { page: 2 });
    assert.equal(await remove(await tagOf(query)), 204);
    assert.equal((await call('GET', query)).status, 404);
  });

  test('is not sent again to a client that has it', async () => {
    const query = newState();
    await put(query, { page: 1 });
    const tag = await tagOf(query);
    const { status, text, headers } = await call('GET', query, { headers: { 'if-none-match': tag } });
    assert.deepEqual([status, text, headers.get('etag')], [304, '', tag]);
    assert.match(headers.get('access-control-expose-headers') ?? '', /\bETag\b/);
  });

  test('of state is replaced by a client of xAPI 2.0 only with a condition', async () => {
    const query = newState();
    assert.equal(await put(query, { page: 1 }, VERSION_2), 204, 'there is nothing to replace');
    assert.equal(await put(query, { page: 2 }, VERSION_2), 409);
    assert.equal(await put(query, { page: 2 }, { ...VERSION_2, 'if-match': await tagOf(query) }), 204);
    assert.equal(await put(query, { page: 3 }), 204, 'xAPI 1.0.3 requires none');
  });

  test('is merged only if it, too, is labelled as JSON', async () => {
    const query = newState();
    await put(query, '{"page":1}', { 'content-type': 'text/plain' });
    assert.equal((await call('POST', query, { body: { score: 1 } })).status, 400);
    assert.equal((await call('GET', query)).text, '{"page":1}');
  });

  test('does not grow beyond 4 MiB by merging', async () => {
    const query = newState();
    await put(query, { one: 'x'.repeat(3 * MIB) });
    assert.equal((await call('POST', query, { body: { two: 'x'.repeat(2 * MIB) } })).status, 413);
    assert.deepEqual(Object.keys(await read(query)), ['one']);
  });

  test('is listed if it was stored after the given time, not exactly at it', async () => {
    const { stateId: _, ...all } = newState();
    await put({ ...all, stateId: 'early' }, {});
    const early = clock.now();
    clock.pass(1);
    await put({ ...all, stateId: 'late' }, {});
    const since = async (at: number) => (await call('GET', { ...all, since: formatDateTime(at) })).json;
    assert.deepEqual(await since(early - 1), ['early', 'late']);
    assert.deepEqual(await since(early), ['late']);
  });

  test('of a registration is found in whichever case the registration is written', async () => {
    const registration = randomUUID();
    const query = newState();
    assert.equal(
      await put({ ...query, registration: registration.toUpperCase() } as State, { page: 1 }),
      204,
    );
    assert.deepEqual(await read({ ...query, registration } as State), { page: 1 });
  });

  test('of a profile is deleted by its id, never all at once', async () => {
    for (const [resource, query] of [
      ['activities/profile', { activityId: activity('profiles').id }],
      ['agents/profile', { agent: JSON.stringify(ANN) }],
    ] as [string, Record<string, string>][]) {
      const headers = { 'if-none-match': '*' };
      await lrs.call('PUT', resource, { query: { ...query, profileId: 'p' }, body: {}, headers });
      assert.equal((await lrs.call('DELETE', resource, { query })).status, 400, resource);
      assert.deepEqual((await lrs.call('GET', resource, { query })).json, ['p'], resource);
    }
  });
});
