import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launch, makeParties, register } from '../content/registration-helpers.ts';
import { Browser, createAdministrator } from '../support/administration.ts';
import { type PrefixHandling, type PrefixProxy, startPrefixProxy } from '../support/prefix-proxy.ts';
import { Api, requestToken, startTestService, type TestService } from '../support/service.ts';
import { assertInvalid, assertProblem, webhookInput } from '../webhooks/webhook-expectations.ts';

// Runs on SQLite alone: paths are read before anything is stored.

const PREFIX = '/learning/wire';

for (const handling of ['takes it off', 'hands it on'] satisfies PrefixHandling[]) {
  describe(`a service below a path, behind a proxy that ${handling}`, () => {
    let proxy: PrefixProxy;
    let service: TestService;
    let api: Api;

    before(async () => {
      proxy = await startPrefixProxy(PREFIX, handling);
      service = await startTestService({ settings: { base_url: proxy.url } });
      proxy.target = service.url;
      api = new Api(proxy.url, await requestToken(proxy.url, service.clientId, service.clientSecret));
    });
    after(async () => {
      await service.stop();
      await proxy[Symbol.asyncDispose]();
    });

    const read = async (address: string) => {
      const answer = await fetch(address);
      return { status: answer.status, url: answer.url, text: await answer.text() };
    };

    test('serves its API, and a Location header leads to the new record', async () => {
      const made = await api.post('/webhooks', webhookInput());
      assert.equal(made.status, 201);
      const location = made.headers.get('location') ?? '';
      assert.equal(location, `${PREFIX}/webhooks/${made.body.id}`);
      const found = await fetch(new URL(location, proxy.url), {
        headers: { authorization: `Bearer ${api.token}` },
      });
      assert.deepEqual(await found.json(), made.body);
      assert.equal((await api.get('/webhooks?limit=1')).body.data.length, 1);
      assertInvalid(await api.get('/webhooks?limt=1'), ['/query/limt']);
      assertProblem(await api.get('/nothing'), 404, 'not-found');
      const refused = await api.call('PATCH', '/webhooks');
      assertProblem(refused, 405, 'method-not-allowed');
      assert.equal(refused.headers.get('allow'), 'GET, HEAD, POST');
    });

    test('returns the first response to a request that is repeated with its key', async () => {
      const headers = { 'idempotency-key': 'below-a-path' };
      const first = await api.post('/accounts', { name: 'Northwind' }, headers);
      const second = await api.post('/accounts', { name: 'Northwind' }, headers);
      assert.equal(first.status, 201);
      assert.equal(second.body.id, first.body.id);
      assert.equal(second.headers.get('location'), `${PREFIX}/accounts/${first.body.id}`);
    });

    test('serves the admin UI with its files, and / leads to it', async () => {
      for (const path of ['/', '/ui', '/ui/']) {
        const page = await read(proxy.url + path);
        assert.deepEqual([page.status, page.url], [200, `${proxy.url}/ui/`]);
        assert.match(page.text, new RegExp(`<base href="${PREFIX}/ui/"`));
        const files = [...page.text.matchAll(/(?:src|href)="(\.\/assets\/[^"]+)"/g)].map(([, file]) => file!);
        assert.ok(files.length > 0, page.text);
        for (const file of files) assert.equal((await read(new URL(file, page.url).href)).status, 200, file);
      }
    });

    test('lets people sign in, and receives their cookies', async () => {
      await createAdministrator(service.settings.data_dir);
      const browser = new Browser(proxy.url);
      assert.equal((await browser.signIn()).status, 200);
      for (const cookie of browser.lastCookies) assert.match(cookie, /; Path=\/;/);
      const session = await browser.get('/ui/api/session');
      assert.deepEqual([session.status, session.body.service.base_url], [200, proxy.url]);
    });

    test('serves the API reference and the OpenAPI description', async () => {
      const docs = await read(`${proxy.url}/docs`);
      assert.equal(docs.status, 200);
      assert.ok(docs.url.startsWith(`${proxy.url}/docs`), docs.url);
      const files = [...docs.text.matchAll(/(?:src|href)="([^"]+\.(?:js|css|png))"/g)].map(
        ([, file]) => file!,
      );
      assert.ok(files.length > 2, docs.text);
      let initializer = '';
      for (const file of files) {
        const found = await read(new URL(file, docs.url).href);
        assert.equal(found.status, 200, file);
        if (file.includes('initializer')) initializer = found.text;
      }
      assert.ok(initializer.includes(`"${PREFIX}/openapi.json"`), initializer);
      const description = JSON.parse((await read(`${proxy.url}/openapi.json`)).text);
      assert.deepEqual(description.servers, [{ url: proxy.url }]);
      assert.equal(
        description.components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl,
        `${proxy.url}/public/v1/auth`,
      );
    });

    test('opens its launch links', async () => {
      const parties = await makeParties(service);
      const { registration_id } = await register(service, parties);
      const link = await launch(service, registration_id);
      assert.ok(link.startsWith(`${proxy.url}/launch/`), link);
      const page = await read(link);
      assert.equal(page.status, 200);
      const { origin, pathname } = new URL(page.url);
      assert.notEqual(origin, new URL(proxy.url).origin, 'the player is on the content origin');
      assert.match(pathname, /\/player\/$/);
    });

    test('serves health and metrics with the path and without', async () => {
      for (const path of ['/health/live', '/health/ready', '/metrics']) {
        assert.equal((await read(proxy.url + path)).status, 200, path);
        assert.equal((await read(service.url + path)).status, 200, path);
        assert.equal((await read(`${service.url}${PREFIX}${path}`)).status, 200, path);
        assert.equal((await read(`${service.url}${PREFIX}x${path}`)).status, 404, path);
      }
    });
  });
}

describe('a service below a path that begins like one of its own', () => {
  test('is reached through a proxy that strips the path, and says so at start', async () => {
    await using proxy = await startPrefixProxy('/webhooks');
    await using service = await startTestService({ settings: { base_url: proxy.url } });
    proxy.target = service.url;
    const api = new Api(proxy.url, await requestToken(proxy.url, service.clientId, service.clientSecret));
    const { id } = await api.create('/webhooks', webhookInput());
    assert.equal((await api.get(`/webhooks/${id}`)).body.id, id);
    const warned = service.logLines.filter(({ msg }) => msg.includes('must remove the path'));
    assert.equal(warned.length, 1);
    assert.match(warned[0]!.msg, /\/webhooks/);
  });

  test('logs nothing of that kind at start below another path', async () => {
    await using service = await startTestService({
      settings: { base_url: 'https://wire.example.com/learning' },
    });
    assert.ok(!service.logLines.some(({ msg }) => msg.includes('must remove the path')));
  });
});
