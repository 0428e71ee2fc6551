import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { SCOPES } from '../../../src/identity/scopes.ts';
import {
  ADMIN_EMAIL,
  Browser,
  createAdministrator,
  PASSWORD,
  signedInBrowser,
} from '../../support/administration.ts';
import { aroundTests } from '../../support/around-tests.ts';
import { ManualClock } from '../../support/clock.ts';
import { type Answer, startTestService, type TestService } from '../../support/service.ts';

const SESSION = 'coursewire_session';
const MARK = 'coursewire_browser';

describe('signing in', () => {
  let service: TestService;
  let browser: Browser;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    await createAdministrator(service.settings.data_dir);
  });
  beforeEach(() => {
    browser = new Browser(service.url);
  });

  test('returns the user and what the service offers, and starts a session', async () => {
    const answer = await browser.signIn();
    assert.equal(answer.status, 200);
    const { id } = answer.body.administrator;
    assert.deepEqual(answer.body, {
      administrator: { id, email: ADMIN_EMAIL, name: 'Ann', role: 'admin', scopes: [...SCOPES] },
      service: { version: '0.0.0-test', read_only: false, delivers: true, base_url: service.url },
    });
    const again = await browser.get('/ui/api/session');
    assert.equal(again.status, 200);
    assert.deepEqual(again.body, answer.body);
    assert.equal(again.headers.get('cache-control'), 'no-store');
  });

  test('ignores the case of the e-mail address', async () => {
    assert.equal((await browser.signIn(' ANN@Example.COM ')).status, 200);
  });

  test('sets cookies that no script can read and no other site’s request carries', async () => {
    await browser.signIn();
    assert.equal(browser.lastCookies.length, 2);
    for (const cookie of browser.lastCookies) {
      assert.match(cookie, /^coursewire_\w+=[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    }
  });

  test('without a session, nothing else is revealed', async () => {
    const answer = await browser.get('/ui/api/session');
    assertProblem(answer, 401, 'unauthorized');
    assert.equal('setup_required' in answer.body, false);
    for (const path of ['/ui/api/sessions', '/ui/api/administrators', '/ui/api/clients', '/webhooks']) {
      assertProblem(await browser.get(path), 401, 'unauthorized');
    }
  });

  test('starts a new session each time, whatever cookie was sent', async () => {
    const planted = 'A'.repeat(43);
    browser.cookies.set(SESSION, planted);
    await browser.signIn();
    const first = browser.cookies.get(SESSION);
    assert.notEqual(first, planted);
    const thief = new Browser(service.url);
    thief.cookies.set(SESSION, planted);
    assert.equal((await thief.get('/ui/api/session')).status, 401);

    await browser.signIn();
    assert.notEqual(browser.cookies.get(SESSION), first);
    thief.cookies.set(SESSION, first!);
    assert.equal((await thief.get('/ui/api/session')).status, 401, 'the one before has ended');
  });

  test('signing out ends the session, not only the cookie', async () => {
    await browser.signIn();
    const token = browser.cookies.get(SESSION)!;
    assert.equal((await browser.delete('/ui/api/session')).status, 204);
    assert.equal(browser.cookies.has(SESSION), false);
    browser.cookies.set(SESSION, token);
    assert.equal((await browser.get('/ui/api/session')).status, 401);
    assert.equal((await new Browser(service.url).delete('/ui/api/session')).status, 204);
  });

  test('signing out everywhere ends every session of the administrator, and nobody else’s', async () => {
    await createAdministrator(service.settings.data_dir, { email: 'other@example.com' });
    const other = await signedInBrowser(service.url, 'other@example.com');
    await browser.signIn();
    const elsewhere = await signedInBrowser(service.url);
    assert.equal((await browser.delete('/ui/api/sessions')).status, 204);
    for (const ended of [browser, elsewhere]) {
      assert.equal((await ended.get('/ui/api/session')).status, 401);
    }
    assert.equal((await other.get('/ui/api/session')).status, 200);
  });

  test('ends one session and no other, only at a request of its own pages', async () => {
    await createAdministrator(service.settings.data_dir, { email: 'ender@example.com' });
    await browser.signIn('ender@example.com');
    const phone = await signedInBrowser(service.url, 'ender@example.com');
    const tablet = await signedInBrowser(service.url, 'ender@example.com');
    const path = `/ui/api/sessions/${await currentSession(phone)}`;

    for (const origin of [null, 'https://elsewhere.example']) {
      browser.origin = origin;
      assertProblem(await browser.delete(path), 403, 'forbidden');
    }
    browser.origin = service.url;
    assert.equal((await phone.get('/ui/api/session')).status, 200);

    assert.equal((await browser.delete(path)).status, 204);
    assert.equal((await phone.get('/ui/api/session')).status, 401);
    for (const other of [browser, tablet]) assert.equal((await other.get('/ui/api/session')).status, 200);
    assertProblem(await browser.delete(path), 404, 'not-found');
  });

  test('can end the session that makes the request, with its cookie', async () => {
    await browser.signIn();
    const token = browser.cookies.get(SESSION)!;
    const path = `/ui/api/sessions/${await currentSession(browser)}`;
    assert.equal((await browser.delete(path)).status, 204);
    assert.equal(browser.cookies.has(SESSION), false);
    browser.cookies.set(SESSION, token);
    assert.equal((await browser.get('/ui/api/session')).status, 401);
  });

  test('ends nobody else’s session, whoever makes the request', async () => {
    await createAdministrator(service.settings.data_dir, { email: 'victim@example.com', role: 'viewer' });
    const victim = await signedInBrowser(service.url, 'victim@example.com');
    const path = `/ui/api/sessions/${await currentSession(victim)}`;
    assertProblem(await browser.delete(path), 401, 'unauthorized');
    await browser.signIn();
    for (const none of [path, '/ui/api/sessions/999999', '/ui/api/sessions/-1', '/ui/api/sessions/x']) {
      assertProblem(await browser.delete(none), 404, 'not-found');
    }
    assert.equal((await victim.get('/ui/api/session')).status, 200);
  });

  test('lists one’s own sessions, with their browsers and the current one marked', async () => {
    await createAdministrator(service.settings.data_dir, { email: 'lister@example.com' });
    await signedInBrowser(service.url);
    browser.headers = {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    };
    await browser.signIn('lister@example.com');
    const phone = new Browser(service.url);
    phone.headers = { 'user-agent': '<script>alert(1)</script>' };
    await phone.signIn('lister@example.com');
    const { data } = (await browser.get('/ui/api/sessions')).body;
    assert.deepEqual(
      data.map((session: { browser: string; current: boolean }) => [session.browser, session.current]),
      [
        ['Unknown browser', false],
        ['Firefox on Linux', true],
      ],
    );
    for (const session of data) {
      const members = ['id', 'created_dt', 'last_seen_dt', 'browser', 'address', 'current'];
      assert.deepEqual(Object.keys(session), members);
      assert.equal(session.address, '127.0.0.1');
    }
  });

  test('rejects malformed input, naming it', async () => {
    for (const [body, pointers] of [
      [{}, ['/email', '/password']],
      [{ email: ADMIN_EMAIL, password: 'x'.repeat(257) }, ['/password']],
      [{ email: 'x'.repeat(255), password: PASSWORD }, ['/email']],
      [{ email: ADMIN_EMAIL, password: PASSWORD, remember: true }, ['/remember']],
      [{ email: ['a'], password: null }, ['/email', '/password']],
    ] as const) {
      const answer = await browser.post('/ui/api/session', body);
      assertProblem(answer, 400, 'invalid-request');
      assert.deepEqual(
        answer.body.errors.map((error: { pointer: string }) => error.pointer).sort(),
        pointers,
      );
    }
  });

  test('limits the size of requests of those who have not signed in', async () => {
    const password = '\u{1f511}'.repeat(256);
    assertProblem(await browser.signIn(ADMIN_EMAIL, password), 401, 'unauthorized');
    const padding = 'x'.repeat(20_000);
    for (const [path, body] of [
      ['/ui/api/session', { email: ADMIN_EMAIL, password: padding }],
      ['/ui/api/setup/link', { token: padding }],
      ['/ui/api/setup', { token: padding, password: PASSWORD }],
    ] as const) {
      assertProblem(await browser.post(path, body), 413, 'content-too-large');
    }
  });

  test('treats an unknown cookie like none', async () => {
    const statusWith = async (value: string) => {
      const cookie = `a=b; ${SESSION}=${encodeURI(value)}; c`;
      return (await fetch(`${service.url}/ui/api/session`, { headers: { cookie } })).status;
    };
    for (const value of ['', 'x', 'A'.repeat(43), "' or 1=1 --", 'é'.repeat(43), 'A'.repeat(10_000)]) {
      assert.equal(await statusWith(value), 401, value);
    }
    assert.equal(await statusWith('A'.repeat(20_000)), 431, 'more than a request may bring');
    assert.equal((await browser.signIn()).status, 200, 'the service goes on');
  });
});

describe('the password', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  test('can be changed by someone who knows it; every other session ends', async () => {
    await createAdministrator(service.settings.data_dir);
    const browser = await signedInBrowser(service.url);
    const elsewhere = await signedInBrowser(service.url);
    const before = browser.cookies.get(SESSION)!;
    const markBefore = browser.cookies.get(MARK)!;
    const next = 'a wholly other password';
    const changed = await browser.put('/ui/api/password', {
      current_password: PASSWORD,
      new_password: next,
    });
    assert.equal(changed.status, 204);
    assert.equal((await browser.get('/ui/api/session')).status, 200);
    assert.equal((await elsewhere.get('/ui/api/session')).status, 401);
    assert.notEqual(browser.cookies.get(SESSION), before, 'a token that somebody copied has ended too');
    assert.notEqual(browser.cookies.get(MARK), markBefore, 'this browser stays a known one');
    assert.equal((await new Browser(service.url).signIn()).status, 401);
    assert.equal((await new Browser(service.url).signIn(ADMIN_EMAIL, next)).status, 200);
  });

  test('is kept if the current one is wrong or the new one is invalid', async () => {
    const email = 'stays@example.com';
    await createAdministrator(service.settings.data_dir, { email });
    const browser = await signedInBrowser(service.url, email);
    for (const [current, next, pointer] of [
      ['wrong wrong wrong', 'a wholly other password', '/current_password'],
      [PASSWORD, 'elevenchars', '/new_password'],
      [PASSWORD, 'x'.repeat(257), '/new_password'],
      [PASSWORD, email.toUpperCase(), '/new_password'],
    ] as const) {
      const answer = await browser.put('/ui/api/password', { current_password: current, new_password: next });
      assertProblem(answer, 400, 'invalid-request');
      assert.equal(answer.body.errors[0].pointer, pointer);
    }
    assert.equal((await new Browser(service.url).signIn(email)).status, 200);
  });

  test('has 12 to 256 characters of any kind, compared in normalized form', async () => {
    for (const [at, password] of [
      '12 letters..',
      '密'.repeat(12),
      '🔑'.repeat(256),
      ' '.repeat(12),
    ].entries()) {
      const email = `p${at}@example.com`;
      await createAdministrator(service.settings.data_dir, { email, password });
      await signedInBrowser(service.url, email, password);
    }
    const email = 'composed@example.com';
    await createAdministrator(service.settings.data_dir, {
      email,
      password: 'Ünïcödé pässwörd'.normalize('NFC'),
    });
    await signedInBrowser(service.url, email, 'Ünïcödé pässwörd'.normalize('NFD'));
  });

  test('is not needed to change one’s own name', async () => {
    const email = 'renamed@example.com';
    await createAdministrator(service.settings.data_dir, { email, role: 'viewer' });
    const browser = await signedInBrowser(service.url, email);
    assert.equal((await browser.put('/ui/api/profile', { name: 'Zoë <b>' })).status, 204);
    assert.equal((await browser.get('/ui/api/session')).body.administrator.name, 'Zoë <b>');
    assertProblem(await browser.put('/ui/api/profile', { name: ' ' }), 400, 'invalid-request');
    assertProblem(await browser.put('/ui/api/profile', { name: 'x', role: 'admin' }), 400, 'invalid-request');
  });
});

describe('a session over https', () => {
  test('ends after the idle time although a page that nobody uses repeats its requests', async () => {
    const clock = new ManualClock(Date.now());
    await using service = await startTestService({
      settings: { session_idle_timeout: 3_600 },
      now: clock.now,
    });
    await createAdministrator(service.settings.data_dir);
    const browser = await signedInBrowser(service.url);
    browser.headers = { 'coursewire-unattended': '1' };
    const minutes = async (count: number) => {
      for (let minute = 0; minute < count; minute++) {
        clock.pass(60_000);
        await browser.get('/ui/api/session');
        await browser.get('/webhooks');
      }
      return (await browser.get('/webhooks')).status;
    };
    assert.equal(await minutes(40), 200);
    browser.headers = {};
    assert.equal((await browser.get('/webhooks')).status, 200);
    browser.headers = { 'coursewire-unattended': '1' };
    assert.equal(await minutes(40), 200, 'it was used in between');
    assert.equal(await minutes(20), 401);
  });

  test('has cookies that are Secure, with names that no neighbouring host can set', async () => {
    const base_url = 'https://wire.example.com/learning';
    await using service = await startTestService({ settings: { base_url } });
    await createAdministrator(service.settings.data_dir);
    const browser = new Browser(service.url);
    assert.equal((await browser.signIn()).status, 403, 'the address behind the proxy is not the page’s');
    browser.origin = 'https://wire.example.com';
    const answer = await browser.signIn();
    assert.equal(answer.status, 200);
    assert.equal(answer.body.service.base_url, base_url);
    for (const cookie of browser.lastCookies) {
      assert.match(cookie, /^__Host-coursewire_\w+=.*; Path=\/; .*; HttpOnly; SameSite=Strict; Secure$/);
    }
    assert.equal((await browser.get('/ui/api/session')).status, 200);
    const token = browser.cookies.get('__Host-coursewire_session')!;
    browser.cookies.clear();
    browser.cookies.set(SESSION, token);
    assert.equal(
      (await browser.get('/ui/api/session')).status,
      401,
      'the name without its prefix counts for nothing',
    );
  });
});

/** The id of the session that a browser holds. */
async function currentSession(of: Browser): Promise<number> {
  const { data } = (await of.get('/ui/api/sessions')).body;
  return data.find(({ current }: { current: boolean }) => current).id;
}

function assertProblem(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(answer.body.type, `urn:coursewire:problem:${code}`);
}
