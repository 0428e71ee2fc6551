import assert from 'node:assert/strict';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { administratorServices } from '../../src/identity/administrators/administration.ts';
import { createLogs } from '../../src/observability/log.ts';
import { openDatabaseOf } from './database.ts';
import type { Answer } from './service.ts';

/** Of the tests' administrators, unless a test says another one. */
export const PASSWORD = 'correct horse battery staple';
export const ADMIN_EMAIL = 'ann@example.com';
export const VIEWER_EMAIL = 'vic@example.com';
export const INTEGRATOR_EMAIL = 'ivy@example.com';

const SESSION_MS = 3_600_000;

/** Calls a service as a browser does that shows one of its pages: keeps cookies, says the page's Origin. */
export class Browser {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  /** `Set-Cookie` of the last answer. */
  lastCookies: string[] = [];
  /** Sent with every request. */
  headers: Record<string, string> = {};
  /** The page's origin; null for a request that says none. */
  origin: string | null;

  constructor(url: string) {
    this.url = url;
    this.origin = new URL(url).origin;
  }

  async call(
    method: string,
    pathAndQuery: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.url + pathAndQuery, {
      method,
      headers: {
        ...(this.origin === null || method === 'GET' ? {} : { origin: this.origin }),
        ...(this.cookies.size === 0 ? {} : { cookie: this.#cookieField() }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...this.headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    this.lastCookies = response.headers.getSetCookie();
    for (const cookie of this.lastCookies) this.#keep(cookie);
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    };
  }

  get(pathAndQuery: string): Promise<Answer> {
    return this.call('GET', pathAndQuery);
  }

  post(pathAndQuery: string, body?: unknown): Promise<Answer> {
    return this.call('POST', pathAndQuery, body);
  }

  put(pathAndQuery: string, body: unknown): Promise<Answer> {
    return this.call('PUT', pathAndQuery, body);
  }

  delete(pathAndQuery: string): Promise<Answer> {
    return this.call('DELETE', pathAndQuery);
  }

  /** Signs in and returns what came back. */
  signIn(email = ADMIN_EMAIL, password = PASSWORD): Promise<Answer> {
    return this.post('/ui/api/session', { email, password });
  }

  #cookieField(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(cookie: string): void {
    const [pair = ''] = cookie.split(';', 1);
    const [name = '', value = ''] = pair.split('=', 2);
    if (/; Max-Age=0(?:;|$)/.test(cookie)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** Makes an administrator beside a running service, as the command line does. */
export async function createAdministrator(
  dataDir: string,
  {
    email = ADMIN_EMAIL,
    role = 'admin',
    name = 'Ann',
    password = PASSWORD,
  }: { email?: string; role?: string; name?: string; password?: string } = {},
): Promise<{ id: number; email: string }> {
  await using database = await openDatabaseOf(dataDir);
  const { administrators } = administratorServices({
    database,
    log: createLogs({ level: 'silent', customLevels: {}, destination: { write: () => {} } }).for(
      'AdministratorService',
    ),
    sessionIdleMs: SESSION_MS,
    sessionLifetimeMs: SESSION_MS,
    now: Date.now,
  });
  return await administrators.create({ email, role, name, password }, COMMAND_LINE);
}

/** A browser in which someone has signed in. */
export async function signedInBrowser(
  url: string,
  email = ADMIN_EMAIL,
  password = PASSWORD,
): Promise<Browser> {
  const browser = new Browser(url);
  const answer = await browser.signIn(email, password);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return browser;
}
