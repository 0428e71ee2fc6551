import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMAND_LINE } from '../../../src/audit/actor.ts';
import { ClientService } from '../../../src/identity/clients/client-service.ts';
import { SCOPES } from '../../../src/identity/scopes.ts';
import { HOUR_MS } from '../../../src/time/units.ts';
import { ADMIN_EMAIL, Browser, createAdministrator, signedInBrowser } from '../../support/administration.ts';
import { aroundTests } from '../../support/around-tests.ts';
import { basic } from '../../support/basic.ts';
import { RunningClock } from '../../support/clock.ts';
import { openDatabaseOf } from '../../support/database.ts';
import { createClient, requestToken, startTestService, type TestService } from '../../support/service.ts';
import {
  addressOf,
  collectRoutes,
  type FoundRoute,
  isOfLaunch,
  nameOf,
  UNSENDABLE,
} from './collected-routes.ts';
import { WHO_MAY_CALL } from './who-may-call.ts';

// Runs on SQLite alone: the callers are refused before anything is read.

const OTHER_EMAIL = 'abe@example.com';
const FORMER_EMAIL = 'former@example.com';

/** Callers with something that once was a credential, or looks like one. The service must treat each as unknown. */
const UNKNOWN_CALLERS = [
  'an expired token',
  'a token with another signature',
  'a token of a disabled client',
  'a token of a deleted client',
  'a token as a member of the query',
  'a token as a cookie',
  'the secret of a client as Basic credentials',
  'the password of an administrator as Basic credentials',
  'an empty Authorization field',
  'a session that was ended',
  'a session with another value',
  'a session of a deleted administrator',
  'the value of a session as a token',
] as const;

type UnknownCaller = (typeof UNKNOWN_CALLERS)[number];

interface Call {
  headers?: Record<string, string>;
  cookies?: ReadonlyMap<string, string>;
  query?: string;
}

describe('a caller whose credentials are not valid', () => {
  let service: TestService;
  let routes: FoundRoute[];
  const calls = new Map<UnknownCaller, Call>();

  aroundTests(async (parts) => {
    const clock = new RunningClock();
    const collected = collectRoutes();
    service = parts.use(await startTestService({ now: clock.now }));
    collected.stop();
    // The reference page's own address redirects to itself when it has a query.
    routes = collected.routes.filter(
      (route) =>
        route.method !== UNSENDABLE && !isOfLaunch(route) && route.path !== '/docs/static/index.html',
    );
    const { data_dir: dataDir } = service.settings;
    const bearer = (token: string): Call => ({ headers: { authorization: `Bearer ${token}` } });
    const withBasic = (user: string, password: string): Call => ({
      headers: { authorization: basic(user, password) },
    });
    const newToken = async () => {
      const client = await createClient(dataDir, { scopes: SCOPES });
      return { ...client, token: await requestToken(service.url, client.clientId, client.clientSecret) };
    };
    calls.set('an expired token', bearer(service.api.token));
    clock.aheadMs = 2 * HOUR_MS;

    const valid = await newToken();
    const [disabled, deleted] = [await newToken(), await newToken()];
    await using database = await openDatabaseOf(dataDir);
    const clients = new ClientService({ database, now: Date.now });
    assert.equal(await clients.setEnabled(disabled.clientId, false, COMMAND_LINE), true);
    assert.equal(await clients.delete(deleted.clientId, COMMAND_LINE), true);
    const middle = Math.floor(valid.token.length / 2);
    const forged =
      valid.token.slice(0, middle) +
      (valid.token[middle] === 'A' ? 'B' : 'A') +
      valid.token.slice(middle + 1);
    calls.set('a token with another signature', bearer(forged));
    calls.set('a token of a disabled client', bearer(disabled.token));
    calls.set('a token of a deleted client', bearer(deleted.token));
    calls.set('a token as a member of the query', { query: `?access_token=${valid.token}` });
    calls.set('a token as a cookie', { cookies: new Map([['access_token', valid.token]]) });
    calls.set('the secret of a client as Basic credentials', withBasic(valid.clientId, valid.clientSecret));
    calls.set(
      'the password of an administrator as Basic credentials',
      withBasic(ADMIN_EMAIL, 'correct horse battery staple'),
    );
    calls.set('an empty Authorization field', { headers: { authorization: '' } });

    await createAdministrator(dataDir);
    await createAdministrator(dataDir, { email: OTHER_EMAIL });
    const former = await createAdministrator(dataDir, { email: FORMER_EMAIL });
    const ended = await signedInBrowser(service.url, OTHER_EMAIL);
    const endedCookies = new Map(ended.cookies);
    assert.equal((await ended.delete('/ui/api/session')).status, 204);
    calls.set('a session that was ended', { cookies: endedCookies });
    const admin = await signedInBrowser(service.url);
    const other = new Map([...admin.cookies].map(([name, value]) => [name, value.toUpperCase()]));
    calls.set('a session with another value', { cookies: other });
    const gone = await signedInBrowser(service.url, FORMER_EMAIL);
    const goneCookies = new Map(gone.cookies);
    assert.equal((await admin.delete(`/ui/api/administrators/${former.id}`)).status, 204);
    calls.set('a session of a deleted administrator', { cookies: goneCookies });
    const [session = ''] = [...admin.cookies].flatMap(([name, value]) =>
      name.endsWith('session') ? [value] : [],
    );
    assert.notEqual(session, '');
    calls.set('the value of a session as a token', bearer(session));
  });

  for (const caller of UNKNOWN_CALLERS) {
    test(`is unauthenticated on every route: ${caller}`, async () => {
      const { headers = {}, cookies = new Map(), query = '' } = calls.get(caller)!;
      const wrong: string[] = [];
      // The Experience API takes the credentials of a client themselves, as its specification says.
      const isClient = caller === 'the secret of a client as Basic credentials';
      for (const route of routes.filter(({ path }) => !(isClient && path === '/xapi/*'))) {
        const browser = new Browser(service.url);
        browser.headers = headers;
        for (const [name, value] of cookies) browser.cookies.set(name, value);
        const { status } = await browser.call(route.method, addressOf(route) + query);
        const allowed = WHO_MAY_CALL.get(nameOf(route)) ?? [];
        // Routes without tokens refuse any Authorization field before reading it.
        const takesTokens = allowed.some((each) => each.includes(':'));
        const isRefused =
          status === 401 ||
          (status === 403 && 'authorization' in headers && !takesTokens) ||
          // The query is refused before the session is checked.
          (status === 400 && query !== '' && nameOf(route).endsWith(' /ui/api/session'));
        // An open route may take credentials of its own.
        const isOpen = allowed.includes('nobody');
        if (isOpen ? status >= 500 : !isRefused) wrong.push(`${nameOf(route)}: ${status}`);
      }
      assert.deepEqual(wrong, []);
    });
  }
});
