import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ADMIN_EMAIL,
  Browser,
  createAdministrator,
  INTEGRATOR_EMAIL,
  signedInBrowser,
  VIEWER_EMAIL,
} from '../../support/administration.ts';
import { aroundTests } from '../../support/around-tests.ts';
import { createClient, requestToken, startTestService, type TestService } from '../../support/service.ts';
import {
  addressOf,
  collectRoutes,
  type FoundRoute,
  isOfLaunch,
  nameOf,
  UNSENDABLE,
} from './collected-routes.ts';
import { CALLERS, type Caller, LAUNCH_ROUTES, WHO_MAY_CALL } from './who-may-call.ts';

// Runs on SQLite alone: the rights of a known caller do not depend on the database.

/** One of the routes signs this administrator out everywhere, so the other tests use another one. */
const OTHER_ADMIN_EMAIL = 'abe@example.com';

const EMAILS: ReadonlyMap<Caller, string> = new Map([
  ['admin', OTHER_ADMIN_EMAIL],
  ['integrator', INTEGRATOR_EMAIL],
  ['viewer', VIEWER_EMAIL],
]);

describe('who may call what', () => {
  let service: TestService;
  let routes: FoundRoute[];
  let launchRoutes: FoundRoute[];
  let admin: Browser;
  const callers = new Map<Caller, () => Promise<Browser>>();

  aroundTests(async (parts) => {
    const collected = collectRoutes();
    service = parts.use(await startTestService());
    collected.stop();
    routes = collected.routes.filter((route) => !isOfLaunch(route));
    launchRoutes = collected.routes.filter(isOfLaunch);
    const { data_dir: dataDir } = service.settings;
    await createAdministrator(dataDir);
    await createAdministrator(dataDir, { email: OTHER_ADMIN_EMAIL });
    await createAdministrator(dataDir, { email: VIEWER_EMAIL, role: 'viewer' });
    await createAdministrator(dataDir, { email: INTEGRATOR_EMAIL, role: 'integrator' });
    admin = await signedInBrowser(service.url, ADMIN_EMAIL);
    for (const caller of CALLERS) callers.set(caller, await callerOf(caller));
  });

  /** Returns a function that sends as a caller, who signs in again if a call has signed them out. */
  async function callerOf(caller: Caller): Promise<() => Promise<Browser>> {
    const browser = new Browser(service.url);
    const email = EMAILS.get(caller);
    if (email !== undefined) {
      return async () => {
        if (![...browser.cookies.keys()].some((name) => name.endsWith('session'))) {
          assert.equal((await browser.signIn(email)).status, 200);
        }
        return browser;
      };
    }
    if (caller !== 'nobody') {
      const client = await createClient(service.settings.data_dir, { scopes: [caller] });
      const token = await requestToken(service.url, client.clientId, client.clientSecret);
      browser.headers = { authorization: `Bearer ${token}` };
    }
    return async () => browser;
  }

  test('every route of the service is in the table of who may call it, and nothing else is', () => {
    const ofBothServers = ['GET', 'HEAD'].flatMap((method) => [
      `${method} /health/live`,
      `${method} /health/ready`,
    ]);
    assert.deepEqual(routes.map(nameOf).sort(), [...WHO_MAY_CALL.keys(), ...ofBothServers].sort());
  });

  test('every route of the content origin is in its table, and requires the token of a launch', async () => {
    assert.deepEqual(launchRoutes.map(nameOf).sort(), [...LAUNCH_ROUTES].sort());
    for (const caller of CALLERS) {
      const { headers, cookies } = await callers.get(caller)!();
      const browser = new Browser(service.service.contentUrl);
      browser.headers = headers;
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      for (const route of launchRoutes) {
        const { status } = await browser.call(route.method, addressOf(route));
        assert.equal(status, 410, `${nameOf(route)} by ${caller}`);
      }
    }
  });

  for (const caller of CALLERS) {
    test(`${caller}: is accepted where the table allows it, and rejected everywhere else`, async () => {
      const wrong: string[] = [];
      for (const route of routes.filter(({ method }) => method !== UNSENDABLE)) {
        const browser = await callers.get(caller)!();
        const { status, headers } = await browser.call(route.method, addressOf(route));
        const isAllowed = WHO_MAY_CALL.get(nameOf(route))?.includes(caller) ?? false;
        // A caller with an access token has no session there.
        const isUnknown = caller === 'nobody' || route.path === '/ui/api/session';
        const expected = isAllowed ? 'no refusal' : isUnknown ? 401 : 403;
        const isRefused = status === 401 || status === 403;
        if ((isRefused ? status : 'no refusal') !== expected) {
          wrong.push(`${nameOf(route)}: ${status} instead of ${expected}`);
        } else if (status === 401) {
          assert.match(headers.get('www-authenticate') ?? '', /^Bearer /, nameOf(route));
        }
      }
      assert.deepEqual(wrong, []);
    });
  }

  test('a change with a session must come from the service’s own pages, whatever it changes', async () => {
    const foreign = new Map(admin.cookies);
    const changes = routes.filter(
      ({ method, path }) => !['GET', 'HEAD', 'OPTIONS'].includes(method) && path !== '/public/v1/auth',
    );
    assert.ok(changes.length > 40, `${changes.length} routes`);
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
    for (const [at, route] of changes.entries()) {
      const page = new Browser(service.url);
      for (const [name, value] of foreign) page.cookies.set(name, value);
      page.origin = origins[at % origins.length] ?? null;
      const answer = await page.call(route.method, addressOf(route));
      assert.equal(answer.status, 403, `${nameOf(route)} from ${page.origin}`);
    }
    for (const origin of origins) {
      const page = new Browser(service.url);
      page.origin = origin;
      for (const [name, value] of foreign) page.cookies.set(name, value);
      assert.equal((await page.post('/accounts', { name: 'x' })).status, 403, `from ${origin}`);
      assert.equal((await page.signIn()).status, 403, `from ${origin}`);
    }
    assert.equal((await admin.get('/ui/api/session')).status, 200, 'none of them signed the browser out');
    const names = (await admin.get('/accounts')).body.data.map(({ name }: { name: string }) => name);
    assert.ok(!names.includes('x'), 'none of them made an account');
  });

  test('a session does not count for reads that pages of other origins cause, even on the same site', async () => {
    const protectedReads = routes.filter(
      (route) => route.method === 'GET' && !WHO_MAY_CALL.get(nameOf(route))?.includes('nobody'),
    );
    assert.ok(protectedReads.length > 40, `${protectedReads.length} routes`);
    for (const route of protectedReads) {
      for (const site of ['same-site', 'cross-site']) {
        const answer = await admin.call('GET', addressOf(route), undefined, { 'sec-fetch-site': site });
        assert.equal(answer.status, 403, `${nameOf(route)} ${site}`);
        assert.match(answer.body.detail, /another page/);
      }
    }
    for (const site of ['same-origin', 'none']) {
      for (const path of ['/ui/api/session', '/accounts']) {
        const { status } = await admin.call('GET', path, undefined, { 'sec-fetch-site': site });
        assert.equal(status, 200, `${path} ${site}`);
      }
    }
    const { token } = service.api;
    const byClient = { authorization: `Bearer ${token}`, 'sec-fetch-site': 'cross-site' };
    assert.equal((await admin.call('GET', '/accounts', undefined, byClient)).status, 200, 'a token counts');
    const unknown = await new Browser(service.url).call('GET', '/ui/api/session', undefined, {
      'sec-fetch-site': 'cross-site',
    });
    assert.equal(unknown.status, 401, 'without a session');
  });

  test('a page of another site reads nothing either: no response allows another origin', async () => {
    const answer = await admin.call('GET', '/accounts', undefined, { origin: 'http://evil.example' });
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    assert.equal(answer.headers.get('access-control-allow-credentials'), null);
  });

  test('with an Authorization header the session is ignored', async () => {
    for (const authorization of ['Bearer nonsense', '']) {
      const answer = await admin.call('GET', '/webhooks', undefined, { authorization });
      assert.equal(answer.status, 401, authorization);
    }
    const answer = await admin.call('GET', '/webhooks', undefined, {
      authorization: `Bearer ${service.api.token}`,
    });
    assert.equal(answer.status, 200);
  });

  test('a proxy’s credentials are named as the reason why a session does not count', async () => {
    for (const path of ['/webhooks', '/ui/api/administrators']) {
      const answer = await admin.call('GET', path, undefined, { authorization: 'Basic YTpi' });
      // Not 401, because the pages would then ask for the password again and again.
      assert.equal(answer.status, 403, path);
      assert.match(answer.body.detail, /Authorization header of the scheme Basic.*proxy/);
      assert.doesNotMatch(answer.body.detail, /YTpi/);
    }
    const { status } = await new Browser(service.url).call('GET', '/webhooks', undefined, {
      authorization: 'Basic YTpi',
    });
    assert.equal(status, 401, 'without a session');
  });

  test('an access token needs no Origin', async () => {
    assert.equal((await service.api.post('/accounts', { name: 'by a client' })).status, 201);
  });

  test('the interface is not part of the automation API’s description', async () => {
    const document = await (await fetch(`${service.url}/openapi.json`)).text();
    assert.doesNotMatch(document, /\/ui\//);
  });
});
