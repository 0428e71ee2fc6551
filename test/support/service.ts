import assert from 'node:assert/strict';
import path from 'node:path';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { ClientService } from '../../src/identity/clients/client-service.ts';
import { SCOPES } from '../../src/identity/scopes.ts';
import type { Service } from '../../src/service.ts';
import { CROSS_RULES } from '../../src/settings/cross-rules.ts';
import { loadSettings } from '../../src/settings/load-settings.ts';
import type { Settings } from '../../src/settings/settings-table.ts';
import { basic } from './basic.ts';
import { openDatabaseAt } from './database.ts';
import { type LogLine, recordedLogs, SILENT_LOGS } from './logs.ts';
import { databaseUrlOf, dropDatabaseOf } from './postgres.ts';
import { writeMigratedDatabase } from './sqlite-template.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

export { temporaryFolder, until };

/**
 * Settings for tests: any free port, quick retries, short waits; `overrides` win. Combinations that the service would
 * reject are rejected here, too: with a longer initial delay than `retry_max_delay`, retries would still be quick.
 */
export function testSettings(dataDir: string, overrides: Partial<Settings> = {}): Settings {
  const settings: Settings = {
    ...loadSettings({ env: {} }),
    port: 0,
    data_dir: dataDir,
    retry_initial_delay: 0.05,
    retry_max_delay: 0.2,
    shutdown_timeout: 1,
    // So few that no computer warns that its processes may not open enough files.
    max_connections: 1_000,
    ...overrides,
  };
  for (const { setting, allowed, isMet } of CROSS_RULES) {
    assert.ok(isMet(settings), `${setting} must be ${allowed}`);
  }
  return settings;
}

/** A response of the API: its status, header fields, and body if it is JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
}

/** Reads a response completely. */
export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = text !== '' && /\bjson\b/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** Calls the API as a client would. */
export class Api {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
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
        authorization: `Bearer ${this.token}`,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: isForm ? body : typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return await readAnswer(response);
  }

  get(pathAndQuery: string): Promise<Answer> {
    return this.call('GET', pathAndQuery);
  }

  post(pathAndQuery: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.call('POST', pathAndQuery, body, headers);
  }

  put(pathAndQuery: string, body: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.call('PUT', pathAndQuery, body, headers);
  }

  delete(pathAndQuery: string, headers?: Record<string, string>): Promise<Answer> {
    return this.call('DELETE', pathAndQuery, undefined, headers);
  }

  /** Posts and returns the created record. */
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape.
  async create(pathAndQuery: string, body: unknown): Promise<any> {
    const answer = await this.post(pathAndQuery, body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  }
}

/** A running service with an API client of all scopes and its token. */
export interface TestService extends AsyncDisposable {
  service: Service;
  url: string;
  api: Api;
  clientId: string;
  clientSecret: string;
  settings: Settings;
  /** The log lines so far. */
  logLines: LogLine[];
  /** Stops it; the data folder stays. */
  stop(): Promise<void>;
}

/** The parts that are needed to call a running service and to read its database. */
export interface RunningService {
  url: string;
  api: Api;
  settings: Pick<Settings, 'data_dir'>;
}

/** The e-mail address of the tests' API client: `user` in messages. */
export const CLIENT_EMAIL = 'integration@example.com';

/** Starts a service in its own folder (or the given one) on a free port. */
export async function startTestService(
  options: {
    settings?: Partial<Settings>;
    dataDir?: string;
    now?: () => number;
    announce?: (text: string) => void;
  } = {},
): Promise<TestService> {
  await using stack = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? stack.use(temporaryFolder()).path;
  if (options.dataDir === undefined) stack.defer(() => dropDatabaseOf(dataDir));
  const settings = testSettings(dataDir, {
    database_url: await databaseUrlOf(dataDir),
    ...options.settings,
  });
  if (options.dataDir === undefined && settings.database_url === null)
    await writeMigratedDatabase(path.join(dataDir, 'coursewire.db'));
  const { logs, lines: logLines } = recordedLogs(settings.log_level, settings.custom_log_levels);
  // Loaded only here, because it takes longer than all else, and many programs of tests need other parts of this module alone.
  const { startService } = await import('../../src/service.ts');
  const service = await startService(settings, {
    logs,
    version: '0.0.0-test',
    ...(options.now ? { now: options.now } : {}),
    ...(options.announce ? { announce: options.announce } : {}),
  });
  stack.use(service);
  const { clientId, clientSecret } = await createClientIn(settings);
  const token = await requestToken(service.url, clientId, clientSecret);
  const kept = stack.move();
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= kept.disposeAsync();
    return stopping;
  };
  return {
    service,
    url: service.url,
    api: new Api(service.url, token),
    clientId,
    clientSecret,
    settings,
    logLines,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Starts a service on a data folder as an operator does: without a client of the API. It logs nothing. */
export async function startServiceOn(dataDir: string, settings: Partial<Settings> = {}): Promise<Service> {
  const { startService } = await import('../../src/service.ts');
  return await startService(testSettings(dataDir, settings), { logs: SILENT_LOGS, version: '0.0.0-test' });
}

/** Creates an API client while the service is running, as the command line does. */
export async function createClient(
  dataDir: string,
  options: { email?: string; scopes?: readonly string[] } = {},
): Promise<{ clientId: string; clientSecret: string }> {
  return await createClientIn({ data_dir: dataDir, database_url: await databaseUrlOf(dataDir) }, options);
}

async function createClientIn(
  place: Pick<Settings, 'data_dir' | 'database_url'>,
  { email = CLIENT_EMAIL, scopes = SCOPES }: { email?: string; scopes?: readonly string[] } = {},
): Promise<{ clientId: string; clientSecret: string }> {
  await using database = openDatabaseAt(place);
  const clients = new ClientService({ database, now: Date.now });
  const { client, clientSecret } = await clients.create({ name: 'tests', email, scopes }, COMMAND_LINE);
  return { clientId: client.clientId, clientSecret };
}

/** Requests an access token over HTTP. */
export async function requestToken(url: string, clientId: string, clientSecret: string): Promise<string> {
  const response = await fetch(`${url}/public/v1/auth`, {
    method: 'POST',
    headers: { authorization: basic(clientId, clientSecret) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const body = (await response.json()) as { access_token: string };
  assert.equal(response.status, 200, JSON.stringify(body));
  return body.access_token;
}
