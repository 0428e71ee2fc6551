import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { basic } from '../support/basic.ts';
import { createClient, type RunningService, startTestService, type TestService } from '../support/service.ts';

const SIGNATURE = 'http://adlnet.gov/expapi/attachments/signature';

/** A response of the learning record store. */
export interface LrsReply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  json: any;
}

/** Optional parts of a request. */
export interface LrsCall {
  query?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** A client of a learning record store. */
export class LrsClient {
  readonly endpoint: string;
  readonly authorization: string;

  constructor(endpoint: string, authorization: string) {
    this.endpoint = endpoint.replace(/\/$/, '');
    this.authorization = authorization;
  }

  async call(method: string, resource: string, { query, body, headers }: LrsCall = {}): Promise<LrsReply> {
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
    const raw =
      typeof body === 'string' ? body : Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body);
    const response = await fetch(`${this.endpoint}/${resource}${search}`, {
      method,
      headers: {
        authorization: this.authorization,
        'x-experience-api-version': '1.0.3',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw }),
    });
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? jsonOf(text) : null,
    };
  }

  /** Stores statements and returns their ids. */
  async store(...statements: object[]): Promise<string[]> {
    const reply = await this.call('POST', 'statements', { body: statements });
    assert.equal(reply.status, 200, reply.text);
    return reply.json;
  }

  /** The ids of the statements that a query finds. */
  async find(query: Record<string, string> = {}): Promise<string[]> {
    const reply = await this.call('GET', 'statements', { query });
    assert.equal(reply.status, 200, reply.text);
    return reply.json.statements.map(({ id }: { id: string }) => id);
  }

  /** The statements of a registration, the oldest first. */
  async statementsOf(registration: string): Promise<LrsReply['json'][]> {
    const reply = await this.call('GET', 'statements', { query: { registration, ascending: 'true' } });
    assert.equal(reply.status, 200, reply.text);
    return reply.json.statements;
  }

  /** The last part of the verb of each of them. */
  async verbsOf(registration: string): Promise<string[]> {
    return (await this.statementsOf(registration)).map(({ verb }) => verb.id.split('/').at(-1));
  }
}

/** Null if it is no JSON: documents may be labelled as JSON without being it. */
function jsonOf(text: string): LrsReply['json'] {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A client of the records of all launches, with these scopes. */
export async function lrsClient(
  service: RunningService,
  scopes: readonly string[] = ['statements:read', 'statements:write'],
): Promise<LrsClient> {
  const { clientId, clientSecret } = await createClient(service.settings.data_dir, { scopes });
  return new LrsClient(`${service.url}/xapi`, basic(clientId, clientSecret));
}

export const ANN = { mbox: 'mailto:ann@example.com' };
export const BOB = { account: { homePage: 'https://example.com', name: 'bob' } };
export const EVE = { mbox: 'mailto:eve@example.com' };
/** The header of a request of xAPI 2.0. */
export const VERSION_2 = { 'x-experience-api-version': '2.0.0' };
export const ATTEMPTED = { id: 'http://adlnet.gov/expapi/verbs/attempted' };
export const PASSED = { id: 'http://adlnet.gov/expapi/verbs/passed' };
export const VOIDED = { id: 'http://adlnet.gov/expapi/verbs/voided' };

/** An activity of this name. */
export function activity(name: string): { id: string } {
  return { id: `https://example.com/activities/${name}` };
}

/** A statement: Ann attempted an activity, unless the members say otherwise. */
export function statement(members: object = {}): Record<string, unknown> {
  return { actor: ANN, verb: ATTEMPTED, object: activity('golf'), ...members };
}

/** A reference to a statement, as the object of another one. */
export function reference(id: string): object {
  return { objectType: 'StatementRef', id };
}

/** An attachment with this content. @param algorithm of its hash */
export function attachmentOf(content: Buffer, algorithm = 'sha256') {
  return {
    usageType: 'https://example.com/usage',
    display: { en: 'A file' },
    contentType: 'application/octet-stream',
    length: content.length,
    sha2: createHash(algorithm).update(content).digest('hex'),
  };
}

/** A request with a signed statement. One or more of its attachments name the content of the signature. */
export function withSignature(body: object, signature: string, count = 1) {
  const content = Buffer.from(signature);
  const attachment = { ...attachmentOf(content), usageType: SIGNATURE };
  return multipart({ ...body, attachments: Array(count).fill(attachment) }, [{ ...attachment, content }]);
}

/** A request with attachments. */
export function multipart(statements: object, parts: { sha2: string; content: Buffer }[]) {
  const pieces = parts.flatMap(({ sha2, content }) => [
    Buffer.from(
      `\r\n--limit\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n` +
        `X-Experience-API-Hash: ${sha2}\r\n\r\n`,
    ),
    content,
  ]);
  const body = Buffer.concat([
    Buffer.from(`--limit\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(statements)}`),
    ...pieces,
    Buffer.from('\r\n--limit--\r\n'),
  ]);
  return { body, headers: { 'content-type': 'multipart/mixed; boundary=limit' } };
}

/** A service and a client of its learning record store, for the tests of a `describe`. */
export async function openStore(
  parts: AsyncDisposableStack,
  options: Parameters<typeof startTestService>[0] = {},
): Promise<{ service: TestService; lrs: LrsClient }> {
  const service = parts.use(await startTestService(options));
  return { service, lrs: await lrsClient(service) };
}
