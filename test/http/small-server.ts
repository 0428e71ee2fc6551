import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Type } from 'typebox';
import { Id, Name } from '../../src/http/schemas.ts';
import { createServer } from '../../src/http/server.ts';
import { ProblemError } from '../../src/problems/problem.ts';
import { recordedLogs } from '../support/logs.ts';
import { connectTo, exchangeBytes } from '../support/raw-http.ts';

/** The largest body that the server accepts. */
export const MAX_BODY_BYTES = 1_048_576;

/** The body of an error. */
export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  errors?: { pointer: string; detail: string }[];
}

/** A server with a few small routes, and requests to it. */
export type SmallServer = Awaited<ReturnType<typeof startSmallServer>>;

/** Starts the server without the rest of the service. It closes connections that are silent for `idleTimeoutMs`. */
export async function startSmallServer({
  trustedProxies = [],
  idleTimeoutMs,
}: {
  trustedProxies?: readonly string[];
  idleTimeoutMs?: number;
} = {}) {
  const { logs, lines: logLines } = recordedLogs();
  const server = createServer({
    log: logs.for('HttpServer'),
    maxBodyBytes: MAX_BODY_BYTES,
    trustedProxies,
    basePath: '',
  });
  if (idleTimeoutMs !== undefined) server.server.setTimeout(idleTimeoutMs);
  const Thing = Type.Object(
    {
      name: Name('Its name.'),
      parts: Type.Optional(
        Type.Array(Type.Object({ id: Id('Its id.'), of: Type.Literal('A') }), { maxItems: 3 }),
      ),
      note: Type.Optional(Type.Unknown()),
    },
    { additionalProperties: false },
  );
  server.post('/things', { schema: { body: Thing } }, async (request) => request.body);
  const Numbers = Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
    share: Type.Optional(Type.Number()),
    status: Type.Optional(Type.Array(Type.Integer())),
    name: Type.Optional(Type.String()),
  });
  server.get('/numbers', { schema: { querystring: Numbers } }, async (request) => request.query);
  const Limits = Type.Object({
    code: Type.String({ minLength: 1, maxLength: 3 }),
    secret: Type.String({ minLength: 12 }),
    score: Type.Integer({ minimum: 0, maximum: 100 }),
    tags: Type.Array(Type.String(), { minItems: 1, maxItems: 2, uniqueItems: true }),
  });
  server.post('/limits', { schema: { body: Limits } }, async () => ({ accepted: true }));
  server.get('/things/:id', async ({ params }) => ({ read: (params as { id: string }).id }));
  server.post('/things/:id/touch', async () => ({ touched: true }));
  server.get('/pages/*', (_request, reply) => reply.callNotFound());
  server.get('/after-silence/:bytes', async ({ raw, params }) => {
    await once(raw.socket, 'timeout');
    return Buffer.alloc(Number((params as { bytes: string }).bytes), 'a');
  });
  server.post('/broken', async () => {
    throw new Error('the password is hunter2');
  });
  server.post('/busy', async () => {
    throw new ProblemError('unavailable', 'Too many are busy', { headers: { 'Retry-After': '2' } });
  });
  server.post('/out-of-reach', async () => {
    throw new ProblemError('unavailable', 'The files are unavailable', { cause: new Error('no such share') });
  });
  server.post('/things/:thing_id/parts/:part_id/:token', async () => {
    throw new TypeError('there is no part');
  });
  server.post('/lines/:id/:position', async () => {
    throw new TypeError('there is no line');
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });

  async function send(
    method: string,
    path: string,
    body?: string | Buffer<ArrayBuffer>,
    contentType?: string,
  ) {
    const response = await fetch(url + path, {
      method,
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  async function problemOf(
    method: string,
    path: string,
    body?: string | Buffer<ArrayBuffer>,
    contentType = 'application/json',
  ) {
    const { status, headers, text } = await send(method, path, body, contentType);
    assert.equal(headers.get('content-type'), 'application/problem+json', text);
    const problem = JSON.parse(text) as ProblemBody;
    assert.equal(problem.status, status);
    assert.match(problem.type, /^urn:coursewire:problem:[a-z-]+$/);
    assert.ok(problem.title.length > 0 && problem.detail.length > 0);
    return { ...problem, code: problem.type.slice('urn:coursewire:problem:'.length), headers };
  }

  /** Sends these bytes on a new connection and returns everything that it receives until the end. */
  async function exchange(bytes: string): Promise<string> {
    const socket = connectTo(url);
    let received = '';
    socket.setEncoding('utf8').on('data', (text) => {
      received += text;
      if (/^HTTP\/1\.1 \d/.test(received) && received.includes('\r\n\r\n')) socket.end();
    });
    const closed = Promise.withResolvers<string>();
    socket.once('close', () => closed.resolve(received));
    socket.write(bytes);
    return await closed.promise;
  }

  /** Sends this many requests at once on a new connection, and returns all responses until the end. */
  async function pipeline(count: number): Promise<string> {
    const requests = Array.from({ length: count }, (_, n) => {
      const connection = n === count - 1 ? 'close' : 'keep-alive';
      return `GET /things/${n} HTTP/1.1\r\nHost: service\r\nConnection: ${connection}\r\n\r\n`;
    });
    return await exchangeBytes(url, requests.join(''));
  }

  /** Waits until the server has closed the next connection that it accepts. */
  async function nextConnectionClosed(): Promise<void> {
    const [socket] = (await once(server.server, 'connection')) as [Socket];
    socket.on('error', () => {});
    await once(socket, 'close');
  }

  return {
    url,
    logLines,
    send,
    problemOf,
    exchange,
    pipeline,
    nextConnectionClosed,
    stop: () => server.close(),
  };
}
