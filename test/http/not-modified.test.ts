import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Browser, createAdministrator, signedInBrowser } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

// Runs on SQLite alone: tags are made from responses, which are the same on every database.

describe('a page that repeats a request', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    await createAdministrator(service.settings.data_dir);
    browser = await signedInBrowser(service.url);
  });

  const get = async (path: string, tag?: string | null) => {
    const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, ...(tag === undefined || tag === null ? {} : { 'if-none-match': tag }) };
    const response = await fetch(`${service.url}${path}`, { headers });
    return { status: response.status, tag: response.headers.get('etag'), text: await response.text() };
  };

  test('receives the response once, and 304 without a body until it changes', async () => {
    for (const path of ['/ui/api/dashboard', '/ui/api/accounts', '/accounts']) {
      const first = await get(path);
      assert.equal(first.status, 200);
      assert.match(first.tag ?? '', /^W\/"/, path);
      assert.deepEqual(await get(path, first.tag), { status: 304, tag: first.tag, text: '' }, path);
      assert.equal((await get(path, 'W/"other"')).status, 200, path);
    }
    const before = await get('/ui/api/accounts');
    await service.api.create('/accounts', { name: 'Northwind' });
    const changed = await get('/ui/api/accounts', before.tag);
    assert.equal(changed.status, 200);
    assert.match(changed.text, /Northwind/);
    assert.notEqual(changed.tag, before.tag);
  });

  test('receives 304 while messages wait, although they grow older', async () => {
    const webhook = await service.api.create('/webhooks', {
      name: 'North',
      topic: 'ACCOUNT',
      target_url: 'http://127.0.0.1/',
      paused: true,
    });
    await service.api.create('/accounts', { name: 'Fabrikam' });
    const path = `/webhooks/${webhook.id}/line`;
    // The worker leases the head and puts it on hold, so the first responses may differ in more than an age.
    const unchanged = await until(async () => {
      const { tag, text } = await get(path);
      await until(async () => (await get(path)).text !== text, 'another age');
      const again = await get(path, tag);
      return again.status === 304 && { ...again, wasSent: again.tag === tag };
    }, `a 304 for ${path}`);
    assert.equal(unchanged.text, '');
    assert.ok(unchanged.wasSent);
  });

  test('receives 401 once its session has ended, whatever it has cached', async () => {
    const { tag } = await get('/ui/api/accounts');
    const response = await fetch(`${service.url}/ui/api/accounts`, {
      headers: { 'if-none-match': tag ?? '' },
    });
    assert.equal(response.status, 401);
  });

  test('receives records with their revisions, which If-Match needs, as before', async () => {
    const { id } = await service.api.create('/accounts', { name: 'Contoso' });
    const record = await get(`/accounts/${id}`);
    assert.match(record.tag ?? '', /^"\d+"$/);
    assert.equal((await get(`/accounts/${id}`, record.tag)).status, 200);
  });

  test('receives tags of lists, which API clients do not', async () => {
    const { headers } = await service.api.get('/accounts');
    assert.equal(headers.get('etag'), null);
  });
});
