import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { after, before, describe, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import {
  ADMIN_EMAIL,
  Browser,
  createAdministrator,
  signedInBrowser,
  VIEWER_EMAIL,
} from '../../support/administration.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { startTarget } from '../../support/target.ts';

interface FoundRoute {
  method: string;
  path: string;
  scope: string | undefined;
  role: string | undefined;
}

/** Collects the routes of every server that starts meanwhile, as Fastify tells of them. */
function collectRoutes(): { routes: FoundRoute[]; stop: () => void } {
  const routes: FoundRoute[] = [];
  const onServer = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url, config }) => {
      const path = url.replace(/:\w+/g, '1').replace('*', '1');
      for (const one of [method].flat()) {
        routes.push({ method: one, path, scope: config?.scope, role: config?.role });
      }
    });
  };
  subscribe('fastify.initialization', onServer);
  return { routes, stop: () => unsubscribe('fastify.initialization', onServer) };
}

/** What anyone may ask for. */
const OPEN_UI = ['GET', 'HEAD', 'POST', 'DELETE'].map((method) => `${method} /ui/api/session`);
const OPEN_SETUP = ['POST /ui/api/setup', 'POST /ui/api/setup/link'];

describe('who may do what', () => {
  let service: TestService;
  let routes: FoundRoute[];
  let admin: Browser;
  let viewer: Browser;
  const restricted = () => routes.filter(({ scope, role }) => scope !== undefined || role !== undefined);
  const forViewers = ({ scope, role }: FoundRoute) => scope === 'content:read' || role === 'viewer';

  before(async () => {
    const collected = collectRoutes();
    service = await startTestService();
    collected.stop();
    routes = collected.routes;
    const { data_dir: dataDir } = service.settings;
    await createAdministrator(dataDir);
    await createAdministrator(dataDir, { email: VIEWER_EMAIL, role: 'viewer' });
    admin = await signedInBrowser(service.url, ADMIN_EMAIL);
    viewer = await signedInBrowser(service.url, VIEWER_EMAIL);
  });
  after(() => service.stop());

  test('every call of the UI’s interface is restricted but signing in and setting up', () => {
    const open = routes
      .filter(
        ({ path, scope, role }) => path.startsWith('/ui/api/') && scope === undefined && role === undefined,
      )
      .map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(open.sort(), [...OPEN_UI, ...OPEN_SETUP].sort());
    assert.ok(restricted().length > 60, `${restricted().length} routes`);
  });

  test('administrators and API clients are for those of role admin alone', () => {
    const found = routes.filter(({ path }) => /^\/ui\/api\/(?:administrators|clients)(?:\/|$)/.test(path));
    assert.ok(found.length >= 12, `${found.length} routes`);
    for (const { method, path, role } of found) assert.equal(role, 'admin', `${method} ${path}`);
  });

  test('without a session and without a token, nobody passes', async () => {
    for (const { method, path } of restricted()) {
      const answer = await new Browser(service.url).call(method, path);
      assert.equal(answer.status, 401, `${method} ${path}`);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer /, `${method} ${path}`);
    }
  });

  test('a viewer is refused everywhere but at reading content and at what is their own', async () => {
    const refused = restricted().filter((route) => !forViewers(route));
    assert.ok(refused.length > 40, `${refused.length} routes`);
    for (const { method, path } of refused) {
      const answer = await viewer.call(method, path);
      assert.equal(answer.status, 403, `${method} ${path}`);
    }
    assert.equal((await viewer.get('/ui/api/session')).status, 200, 'the session stands');
  });

  test('a viewer reads content', async () => {
    for (const path of ['/accounts', '/courses', '/folders', '/bundles', '/equivalents', '/registrations']) {
      assert.equal((await viewer.get(path)).status, 200, path);
    }
  });

  test('an administrator of role admin is refused nowhere for a lack of scope', async () => {
    for (const { method, path } of restricted().filter(({ method }) => method === 'GET')) {
      assert.notEqual((await admin.call(method, path)).status, 403, `${method} ${path}`);
    }
  });

  test('a change with a session must come from the service’s own pages, whatever it changes', async () => {
    const foreign = new Map(admin.cookies);
    const changes = routes.filter(
      ({ method, path, scope, role }) =>
        !['GET', 'HEAD'].includes(method) &&
        (scope !== undefined || role !== undefined || path.startsWith('/ui/api/')),
    );
    assert.ok(changes.length > 30, `${changes.length} routes`);
    const origins = [
      null,
      'null',
      'http://evil.example',
      `${service.url}.evil.example`,
      service.url.replace('http:', 'https:'),
      service.url.replace(/:\d+$/, ''),
      service.url.replace(/:\d+$/, ':1'),
      `${service.url}/`,
      service.url.toUpperCase(),
    ];
    for (const [at, { method, path }] of changes.entries()) {
      const page = new Browser(service.url);
      for (const [name, value] of foreign) page.cookies.set(name, value);
      page.origin = origins[at % origins.length] ?? null;
      const answer = await page.call(method, path);
      assert.equal(answer.status, 403, `${method} ${path} from ${page.origin}`);
    }
    for (const origin of origins) {
      const page = new Browser(service.url);
      page.origin = origin;
      for (const [name, value] of foreign) page.cookies.set(name, value);
      assert.equal((await page.post('/accounts', { name: 'x' })).status, 403, `from ${origin}`);
      assert.equal((await page.signIn()).status, 403, `from ${origin}`);
    }
    assert.equal((await admin.get('/ui/api/session')).status, 200, 'none of them signed the browser out');
    assert.deepEqual((await admin.get('/accounts')).body.data, []);
  });

  test('a page of another site reads nothing either: no answer allows another origin', async () => {
    const answer = await admin.call('GET', '/accounts', undefined, { origin: 'http://evil.example' });
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    assert.equal(answer.headers.get('access-control-allow-credentials'), null);
  });

  test('with an Authorization header the session counts for nothing', async () => {
    for (const authorization of ['Bearer nonsense', 'Basic YTpi', '']) {
      const answer = await admin.call('GET', '/webhooks', undefined, { authorization });
      assert.equal(answer.status, 401, authorization);
    }
    const answer = await admin.call('GET', '/webhooks', undefined, {
      authorization: `Bearer ${service.api.token}`,
    });
    assert.equal(answer.status, 200);
  });

  test('an access token needs no Origin, and is no administrator', async () => {
    const made = await service.api.post('/accounts', { name: 'by a client' });
    assert.equal(made.status, 201);
    const client = new Browser(service.url);
    client.headers = { authorization: `Bearer ${service.api.token}` };
    for (const { method, path } of restricted().filter(({ role }) => role !== undefined)) {
      assert.equal((await client.call(method, path)).status, 403, `${method} ${path}`);
    }
  });

  test('the interface is no part of the automation API’s description', async () => {
    const document = await (await fetch(`${service.url}/openapi.json`)).text();
    assert.doesNotMatch(document, /\/ui\//);
  });
});

describe('what an administrator changes', () => {
  test('has the administrator’s e-mail address as user in messages', async () => {
    await using target = await startTarget();
    await using service = await startTestService();
    await createAdministrator(service.settings.data_dir);
    const browser = await signedInBrowser(service.url);
    const webhook = await browser.post('/webhooks', {
      name: 'w',
      topic: 'ACCOUNT',
      target_url: target.url,
    });
    assert.equal(webhook.status, 201);
    assert.equal((await browser.post('/accounts', { name: 'a' })).status, 201);
    const [postback] = await target.waitFor(1);
    assert.equal(JSON.parse(postback!.body.toString()).user, ADMIN_EMAIL);
  });

  test('is done once for an idempotency key, and another caller’s key is another', async () => {
    await using service = await startTestService();
    await createAdministrator(service.settings.data_dir);
    await createAdministrator(service.settings.data_dir, { email: 'bob@example.com' });
    const ann = await signedInBrowser(service.url);
    const bob = await signedInBrowser(service.url, 'bob@example.com');
    const key = { 'idempotency-key': 'k' };
    const first = await ann.call('POST', '/accounts', { name: 'a' }, key);
    const again = await ann.call('POST', '/accounts', { name: 'a' }, key);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    for (const other of [bob, service.api]) {
      const made = await other.call('POST', '/accounts', { name: 'a' }, key);
      assert.equal(made.status, 201);
      assert.notEqual(made.body.id, first.body.id);
    }
  });
});
