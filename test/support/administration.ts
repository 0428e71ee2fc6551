import assert from 'node:assert/strict';
import { hash } from '@node-rs/argon2';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import type { Database } from '../../src/database/database.ts';
import { administratorServices } from '../../src/identity/administrators/administration.ts';
import { openDatabaseOf } from './database.ts';
import { SILENT_LOGS } from './logs.ts';
import { type Answer, readAnswer } from './service.ts';

/** The password of the tests' administrators, unless a test gives another one. */
export const PASSWORD = 'correct horse battery staple';
export const ADMIN_EMAIL = 'ann@example.com';
export const VIEWER_EMAIL = 'vic@example.com';
export const INTEGRATOR_EMAIL = 'ivy@example.com';

/** Setting and checking such a password takes a hundredth of the time: its hash says how it was made. */
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 } as const;
const SESSION_MS = 3_600_000;

/** The services of administrators on a database, as one instance has them. They log nothing. */
export function administratorServicesOn(database: Database, now = Date.now) {
  return administratorServices({
    database,
    log: SILENT_LOGS.for('AdministratorService'),
    sessionIdleMs: SESSION_MS,
    sessionLifetimeMs: SESSION_MS,
    now,
  });
}

/** Calls a service like a browser on one of its pages: keeps cookies, and sends the page's Origin. */
export class Browser {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  /** `Set-Cookie` of the last response. */
  lastCookies: string[] = [];
  /** Sent with every request. */
  headers: Record<string, string> = {};
  /** The page's origin; null for a request without one. */
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
    const isForm = body instanceof FormData;
    const response = await fetch(this.url + pathAndQuery, {
      method,
      headers: {
        ...(this.origin === null || method === 'GET' ? {} : { origin: this.origin }),
        ...(this.cookies.size === 0 ? {} : { cookie: this.#cookieField() }),
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...this.headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    this.lastCookies = response.headers.getSetCookie();
    for (const cookie of this.lastCookies) this.#keep(cookie);
    return await readAnswer(response);
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

  /** Signs in and returns the response. */
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

/** Creates an administrator while the service is running, as the command line does. */
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
  const { administrators, passwords } = administratorServicesOn(database);
  passwords.hash = (text) => hash(text, CHEAP);
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
