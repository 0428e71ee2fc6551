import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { WHO_MAY_CALL } from '../identity/administrators/who-may-call.ts';
import { type Browser, createAdministrator, signedInBrowser } from '../support/administration.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { assertInvalid, assertProblem, webhookInput } from '../webhooks/webhook-expectations.ts';

// Runs on SQLite alone: the requests are refused before anything is stored.

/** Pages, files, what machines look at, and the token endpoint take any query; the LRS refuses in its standard's way. */
const FREE =
  /^\w+ \/(?:$|ui$|ui\/(?!api\/)|\.well-known\/|docs|openapi\.json|health\/|metrics$|launch\/|public\/v1\/auth$|xapi\/)/;

describe('a query member that a route does not know', () => {
  let service: TestService;
  let browser: Browser;

  before(async () => {
    service = await startTestService();
    await createAdministrator(service.settings.data_dir);
    browser = await signedInBrowser(service.url);
  });
  after(() => service.stop());

  test('is rejected by every route of the API and of the UI’s interface, before anything is done', async () => {
    let refused = 0;
    for (const route of WHO_MAY_CALL.keys()) {
      if (FREE.test(route) || route.startsWith('HEAD ')) continue;
      const [method = '', path = ''] = route.split(' ');
      const address = `${path.replaceAll(/:\w+/g, '900001')}?resetstatistics=true&limt=3&message_id2`;
      const answer = await browser.call(method, address);
      assert.equal(answer.status, 400, `${route}: ${JSON.stringify(answer.body)}`);
      const pointers = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer);
      for (const name of ['resetstatistics', 'limt', 'message_id2']) {
        assert.ok(pointers.includes(`/query/${name}`), `${route}: ${pointers}`);
      }
      refused += 1;
    }
    assert.ok(refused > 70, `${refused} routes`);
    assert.equal((await browser.call('GET', '/ui/api/session')).status, 200, 'nobody was signed out');
  });

  test('is ignored on routes where links and machines add members of their own', async () => {
    const paths = ['/', '/ui/', '/docs', '/openapi.json', '/.well-known/oauth-authorization-server'];
    for (const path of [...paths, '/health/live', '/health/ready', '/metrics']) {
      const answer = await fetch(`${service.url}${path}?utm_source=x&cb=1`);
      assert.equal(answer.status, 200, path);
      await answer.text();
    }
  });

  test('is named together with all other errors', async () => {
    const { api } = service;
    const webhook = await api.create('/webhooks', webhookInput());
    assertInvalid(await api.put(`/webhooks/${webhook.id}?resetstatistics=true`, webhook), [
      '/query/resetstatistics',
    ]);
    assertInvalid(await api.put(`/webhooks/${webhook.id}?resetstatistics=true`, { ...webhook, name: 7 }), [
      '/query/resetstatistics',
      '/name',
    ]);
    assertInvalid(await api.put(`/webhooks/${webhook.id}?a=1&resetStatistics=x`, webhook), [
      '/query/a',
      '/query/resetStatistics',
    ]);
    assertInvalid(await api.post('/accounts?dry_run=true', { nam: 'x' }), [
      '/query/dry_run',
      '/nam',
      '/name',
    ]);
    assertInvalid(await api.get('/accounts?limit=0&Cursor=x'), ['/query/limit', '/query/Cursor']);
    assertInvalid(await api.get('/accounts?a~b%2Fc=1&__proto__=1'), ['/query/a~0b~1c', '/query/__proto__']);
    assert.equal(
      (await api.get(`/webhooks/${webhook.id}`)).headers.get('etag'),
      '"1"',
      'nothing was changed',
    );
  });

  test('is not named to callers without access, and at most a hundred are named', async () => {
    const unknown = await fetch(`${service.url}/webhooks?x=1`);
    assert.equal(unknown.status, 401);
    const many = Array.from({ length: 500 }, (_, index) => `m${index}=1`).join('&');
    const answer = await service.api.get(`/accounts?${many}`);
    assertProblem(answer, 400, 'invalid-request');
    assert.ok(answer.body.errors.length <= 100);
  });
});
