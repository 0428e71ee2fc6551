import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { endDeadLeases } from '../reliability/dead-leases.ts';
import { createAdministrator, PASSWORD, signedInBrowser } from '../support/administration.ts';
import { databaseUrlOf, dropDatabaseOf, ON_POSTGRES } from '../support/postgres.ts';
import { type Answer, createClient, readAnswer, requestToken, temporaryFolder } from '../support/service.ts';
import { type ServingProcess, startProcess } from '../support/service-process.ts';

type Settings = Omit<Parameters<typeof startProcess>[0], 'data_dir'>;

/** Someone who calls the service: an API client with a token, or an administrator in a browser. */
export interface Caller {
  /** `user` in messages. */
  email: string;
  /** Header fields that authenticate the caller. */
  headers(url: string): Record<string, string>;
}

/** The response to a call; `wasRepeated` if a kill interrupted the first try. */
export interface CallAnswer extends Answer {
  wasRepeated: boolean;
}

/** Instances that run at the same time. SQLite has one. */
const INSTANCES = ON_POSTGRES ? 2 : 1;
const SECRET = 'a secret of the model'.padEnd(64, '.');

/** The program as an operator runs it: processes that are stopped, killed and restarted with other settings. */
export class Installation implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly #folders: readonly string[];
  readonly #settings: Settings;
  #processes: ServingProcess[] = [];
  #up: Promise<void> = Promise.resolve();
  #calls = 0;
  #deaths = 0;

  private constructor(stack: AsyncDisposableStack, folders: readonly string[], settings: Settings) {
    this.#stack = stack;
    this.#folders = folders;
    this.#settings = settings;
  }

  /** @param settings of all processes, unless a start says otherwise */
  static async start(settings: Settings): Promise<Installation> {
    await using stack = new AsyncDisposableStack();
    const folders = Array.from({ length: INSTANCES }, () => stack.use(temporaryFolder()).path);
    const shared = folders[0]!;
    stack.defer(() => dropDatabaseOf(shared));
    const content = path.join(shared, 'content');
    if (ON_POSTGRES) mkdirSync(content);
    const installation = new Installation(stack.move(), folders, {
      ...settings,
      webhooks_auth_secret: SECRET,
      ...(ON_POSTGRES ? { content_store: content } : {}),
    });
    try {
      await installation.#startAll({});
      return installation;
    } catch (error) {
      await installation[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** API clients and administrators, each with its own e-mail address. */
  async callers(): Promise<Caller[]> {
    const shared = this.#folders[0]!;
    const callers: Caller[] = [];
    for (const email of ['crm@example.com', 'hr+sync@example.org']) {
      const { clientId, clientSecret } = await createClient(shared, { email });
      const token = await requestToken(this.#processes[0]!.url, clientId, clientSecret);
      callers.push({ email, headers: () => ({ authorization: `Bearer ${token}` }) });
    }
    const email = "ann.o'neil@example.com";
    await createAdministrator(shared, { email, role: 'admin', name: 'Ann', password: PASSWORD });
    const { cookies } = await signedInBrowser(this.#processes[0]!.url, email, PASSWORD);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    callers.push({ email, headers: (url) => ({ cookie, origin: url }) });
    return callers;
  }

  /** Calls one of the processes, and repeats the call with the same `Idempotency-Key` if a kill interrupts it. */
  async call(
    caller: Caller,
    method: string,
    pathAndQuery: string,
    { body, key }: { body?: unknown; key?: string } = {},
  ): Promise<CallAnswer> {
    for (let wasRepeated = false; ; wasRepeated = true) {
      await this.#up;
      const deaths = this.#deaths;
      this.#calls += 1;
      const { url } = this.#processes[this.#calls % this.#processes.length]!;
      try {
        return { ...(await send(url, method, pathAndQuery, caller.headers(url), body, key)), wasRepeated };
      } catch (error) {
        // Only the death of the service may interrupt a call.
        if (!(error instanceof TypeError) || this.#deaths === deaths) throw error;
      }
    }
  }

  /** Ends all processes and starts them again. `isKill`: abruptly, in the middle of their work. */
  async restart({ isKill, settings = {} }: { isKill: boolean; settings?: Settings }): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#up = promise;
    try {
      this.#deaths += 1;
      const ends = await Promise.all(this.#processes.map((each) => each.end(isKill ? 'SIGKILL' : 'SIGTERM')));
      if (isKill) await endDeadLeases(this.#folders[0]!);
      else for (const { code } of ends) assert.equal(code, 0, 'a requested stop exits with 0');
      await this.#startAll(settings);
    } finally {
      // Even if it does not start, so that waiting calls fail and do not wait forever.
      resolve();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((each) => each[Symbol.asyncDispose]()));
    await this.#stack.disposeAsync();
  }

  async #startAll(settings: Settings): Promise<void> {
    const shared = ON_POSTGRES ? { database_url: (await databaseUrlOf(this.#folders[0]!))! } : {};
    const started = await Promise.allSettled(
      this.#folders.map((data_dir) => startProcess({ ...this.#settings, ...shared, ...settings, data_dir })),
    );
    this.#processes = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    for (const each of started) if (each.status === 'rejected') throw each.reason;
  }
}

async function send(
  url: string,
  method: string,
  pathAndQuery: string,
  identity: Record<string, string>,
  body: unknown,
  key: string | undefined,
): Promise<Answer> {
  const isForm = body instanceof FormData;
  const response = await fetch(url + pathAndQuery, {
    method,
    headers: {
      ...identity,
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  return await readAnswer(response);
}
