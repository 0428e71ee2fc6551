import type { TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Commit } from '../../../web/player/src/commit.ts';

/** A request that a module of the player has sent. */
export interface PageRequest {
  path: string;
  /** The commit; null for a request without a body. */
  body: Commit | null;
  keepalive: boolean;
}

/** The parts of a browser page that the modules of the player use, so that tests can run them in Node.js. */
export interface PageInNode {
  /** The storage, which remains after the page is closed. */
  kept: Storage;
  requests: PageRequest[];
  /** Answers the requests. It may throw, as without a connection. */
  answer: (path: string) => Response | Promise<Response>;
  /** Calls the listeners of an event of the window or the document. */
  fire(event: string, members?: object): Promise<void>;
  /** Does what the browser does when another tab is shown. */
  hide(): Promise<void>;
  /** Does what the browser does when the tab is shown again. */
  show(): Promise<void>;
  /** Lets time pass: timers run, and the work that they started continues. */
  pass(ms: number): Promise<void>;
}

/** The start of the current page, which `performance.now()` counts from. */
const START_MS = 1_000;

/**
 * Replaces the globals of a page for one test. Time only passes when the test lets it.
 * @param options.room how many characters the browser keeps
 */
export function pageInNode(t: TestContext, { room = 5_000_000 }: { room?: number } = {}): PageInNode {
  const listeners = new Map<string, Set<(event: object) => void>>();
  const target = {
    addEventListener: (name: string, listener: (event: object) => void) =>
      listeners.set(name, (listeners.get(name) ?? new Set()).add(listener)),
    removeEventListener: (name: string, listener: (event: object) => void) =>
      listeners.get(name)?.delete(listener),
  };
  let nowMs = START_MS;
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  t.mock.method(performance, 'now', () => nowMs);
  const turn = async () => {
    for (let turns = 0; turns < 10; turns++) await nextTurn();
  };
  const page: PageInNode = {
    kept: storageOf(room),
    requests: [],
    answer: () => Response.json({ outcome: 'recorded' }),
    fire: async (event, members = {}) => {
      for (const listener of listeners.get(event) ?? []) listener(members);
      await turn();
    },
    hide: async () => {
      Object.assign(document, { visibilityState: 'hidden' });
      await page.fire('visibilitychange');
    },
    show: async () => {
      Object.assign(document, { visibilityState: 'visible' });
      await page.fire('visibilitychange');
    },
    pass: async (ms) => {
      nowMs += ms;
      t.mock.timers.tick(ms);
      await turn();
    },
  };
  const globals = {
    localStorage: page.kept,
    sessionStorage: storageOf(room),
    document: { ...target, visibilityState: 'visible' },
    ...target,
  };
  const window = { ...globals, fetch: (...request: Parameters<typeof fetch>) => fetch(...request) };
  for (const [name, value] of Object.entries({ ...globals, window })) {
    const former = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    t.after(() => {
      if (former === undefined) delete (globalThis as Record<string, unknown>)[name];
      else Object.defineProperty(globalThis, name, former);
    });
  }
  t.mock.method(globalThis, 'fetch', async (address: string, init: RequestInit) => {
    const path = address.replace('../', '');
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : null;
    page.requests.push({ path, body, keepalive: init.keepalive === true });
    return await Promise.race([page.answer(path), untilAborted(init.signal)]);
  });
  return page;
}

/** Rejects once a request is aborted. */
function untilAborted(signal: AbortSignal | null = null): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** A storage, whose keys are also its properties. */
function storageOf(room: number): Storage {
  const values: Record<string, string> = {};
  const methods = {
    getItem: (key: string) => values[key] ?? null,
    setItem: (key: string, value: string) => {
      const { [key]: _former, ...others } = values;
      if (JSON.stringify({ ...others, [key]: value }).length > room) throw new Error('QuotaExceededError');
      values[key] = value;
    },
    removeItem: (key: string) => {
      delete values[key];
    },
  };
  return new Proxy(values, {
    get: (_target, name) => methods[name as keyof typeof methods] ?? values[name as string],
  }) as unknown as Storage;
}

/** An answer of something in front of the service. */
export function answerOfProxy(status: number): Response {
  return new Response('<html>proxy', { status, headers: { 'content-type': 'text/html' } });
}

/** An answer of the service that reports a failure. */
export function problem(status: number, members: { reason?: string } = {}): Response {
  return new Response(JSON.stringify(members), {
    status,
    headers: { 'content-type': 'application/problem+json' },
  });
}
