import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { borrowTestService, type LentService } from '../support/lent-service.ts';
import type { Answer } from '../support/service.ts';

// Runs on SQLite in `npm test`: requests are refused before anything is stored. Other tests look up the objects that
// requests name on both.

const TARGET = 'https://crm.example.com/hook';

describe('a request with several invalid members', () => {
  let service: LentService;
  let id: number;
  aroundTests(async (parts) => {
    service = parts.use(await borrowTestService());
    id = (
      await service.api.create('/webhooks', {
        name: 'CRM',
        topic: 'ACCOUNT',
        target_url: TARGET,
        authentication: { type: 'BASIC', key: 'coursewire', secret: 'from-the-crm' },
      })
    ).id;
  });

  const assertNames = ({ status, body }: Answer, ...pointers: string[]) => {
    assert.equal(status, 400, JSON.stringify(body));
    const named = body.errors.map(({ pointer }: { pointer: string }) => pointer);
    assert.deepEqual(named.toSorted(), pointers.toSorted());
  };

  test('in its body and its query gets a 400 that names all of them', async () => {
    const { api } = service;
    const wrong = { nam: 'x', name: 'CRM', topic: 'ACCOUNT', target_url: TARGET };
    assertNames(
      await api.put(`/webhooks/${id}?resetStatistics=maybe&reset=1`, wrong),
      '/nam',
      '/query/resetStatistics',
      '/query/reset',
    );
    assertNames(
      await api.post('/webhooks/test?webhook_id=0&subtopic=X', wrong),
      '/nam',
      '/query/webhook_id',
      '/query/subtopic',
    );
  });

  test('gets a 400 that names the subtopic of another topic, too, for a test message', async () => {
    const { api } = service;
    const sample = `/webhooks/${id}/test?subtopic=COURSE_IMPORTED`;
    assertNames(await api.post(`${sample}&typo=1`), '/query/subtopic', '/query/typo');
    assertNames(await api.post(sample, { topic: 'COURSE' }), '/query/subtopic', '/topic');
    assertNames(await api.post(`/webhooks/${id}/test?subtopic=X&typo=1`), '/query/subtopic', '/query/typo');
  });

  test('gets a 400 for times and cursors of characters that JavaScript counts twice', async () => {
    const { api } = service;
    const [time, cursor] = [21, 101].map((count) => encodeURIComponent('🚒'.repeat(count)));
    const both = `until_dt=${time}&cursor=${cursor}`;
    for (const act of ['line/purge', 'deliveries/remove', 'deliveries/redeliver'])
      assertNames(await api.post(`/webhooks/${id}/${act}?${both}`), '/query/until_dt', '/query/cursor');
    assertNames(
      await api.post(`/webhooks/${id}/replay?from_dt=${time}&cursor=${cursor}`),
      '/query/from_dt',
      '/query/cursor',
    );
    assertNames(await api.get(`/accounts?cursor=${cursor}`), '/query/cursor');
  });

  test('gets a 400 that every reader of JSON accepts, even if a name ends with half a character', async () => {
    const { status, body } = await service.api.post('/accounts', '{"nam\\ud83d":"x"}');
    assert.equal(status, 400);
    assert.deepEqual(
      body.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/nam\ufffd'],
    );
    assert.ok(body.detail.isWellFormed());
  });

  test('gets a 400 that names an empty name once', async () => {
    for (const path of ['/accounts', '/folders']) {
      const { body } = await service.api.post(path, { name: '' });
      assert.deepEqual(body.errors, [{ pointer: '/name', detail: 'must not be empty' }]);
    }
    const { body } = await service.api.post('/accounts', { name: ' ' });
    const detail = 'must contain more than white space, and no control characters';
    assert.deepEqual(body.errors, [{ pointer: '/name', detail }]);
  });

  test('gets a 400 that names each item of a list in the query once, even the only one', async () => {
    const { api } = service;
    for (const text of ['x', '1e3'])
      assertNames(
        await api.post(`/webhooks/${id}/deliveries/remove?delivery_id=${text}`),
        '/query/delivery_id/0',
      );
    assertNames(
      await api.get(`/webhooks/${id}/deliveries?response_status=x&response_status=200&response_status=0x100`),
      '/query/response_status/0',
      '/query/response_status/2',
    );
  });

  test('in its query gets a 400 that names limits, times and cursors together', async () => {
    const { api } = service;
    const deliveries = `/webhooks/${id}/deliveries`;
    assertNames(
      await api.get(`${deliveries}?limit=0&from_dt=yesterday&until_dt=x&cursor=zzz`),
      '/query/limit',
      '/query/from_dt',
      '/query/until_dt',
      '/query/cursor',
    );
    for (const action of ['redeliver', 'remove']) {
      assertNames(
        await api.post(`${deliveries}/${action}?cursor=zz&from_dt=x`),
        '/query/cursor',
        '/query/from_dt',
      );
      assertNames(
        await api.post(`${deliveries}/${action}?delivery_id=1&limit=0&cursor=zz&account_id=5`),
        '/query/limit',
        '/query/cursor',
        '/query/account_id',
      );
    }
    assertNames(
      await api.post(`/webhooks/${id}/line/purge?limit=0&until_dt=&cursor=x`),
      '/query/limit',
      '/query/until_dt',
      '/query/cursor',
    );
    assertNames(
      await api.post(`/webhooks/${id}/replay?cursor=x&to_dt=x`),
      '/query/from_dt',
      '/query/to_dt',
      '/query/cursor',
    );
    assertNames(await api.get('/events?from_dt=x&cursor=zz'), '/query/from_dt', '/query/cursor');
    assertNames(
      await api.get('/audit-log?object_id=1&to_dt=x&cursor=zz'),
      '/query/object_id',
      '/query/to_dt',
      '/query/cursor',
    );
  });

  test('gets a 400 that names no valid member, such as the secret that a tested webhook keeps', async () => {
    const { api } = service;
    const body = {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: TARGET,
      authentication: { type: 'BASIC', key: 'coursewire' },
      max_attempts: 0,
    };
    assertNames(await api.post(`/webhooks/test?webhook_id=${id}`, body), '/max_attempts');
    assertNames(
      await api.post(`/webhooks/test?webhook_id=${id}x`, body),
      '/query/webhook_id',
      '/max_attempts',
    );
    assertNames(await api.put(`/webhooks/${id}`, body), '/max_attempts');
  });
});
