import type { AddressInfo, Socket } from 'node:net';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { readSmallBodiesEarly } from '../../src/http/early-bodies.ts';
import { takeTurns } from '../../src/player/content-origin/launch-turns.ts';
import { RequestOrder } from '../../src/player/content-origin/request-order.ts';
import type { PlayerLaunch } from '../../src/player/launches/launch.ts';
import { connectTo, textUntilClosed } from '../support/raw-http.ts';

const PATIENCE_MS = 10_000;

/** Sends a save, or its beginning. Resolves with the socket and the response, if one arrives. */
export function beginSave(
  base: string,
  {
    body = '',
    length = body.length || 2,
    order,
  }: {
    body?: string;
    length?: number;
    /** The id of a page that is being closed, and the number of the request. */
    order?: string;
  } = {},
): { socket: Socket; answer: Promise<string | null> } {
  const { host, pathname } = new URL(base);
  const socket = connectTo(base);
  socket.write(
    `POST ${pathname}/commit HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${length}\r\nConnection: close\r\n${order === undefined ? '' : `Coursewire-Last-Request: ${order}\r\n`}\r\n${body}`,
  );
  const answer = textUntilClosed(socket).then((text) => text || null);
  return { socket, answer };
}

/** Sends a read and does not read its response. @param socket a connection that nobody reads; by default, a new one */
export function beginRead(
  base: string,
  { registration = 'r', socket }: { registration?: string; socket?: Socket } = {},
): Socket {
  const { host, pathname } = new URL(base);
  const connection = socket ?? connectTo(base).pause();
  connection.write(
    `GET ${pathname}/commit HTTP/1.1\r\nHost: ${host}\r\nX-Registration: ${registration}\r\n\r\n`,
  );
  return connection;
}

/** A server with a path whose requests take turns. */
export async function startTurns({
  find = async () => {},
  work = async () => {},
  onRead = () => {},
  onOpen = () => 'opened',
  beforeSending = async () => {},
  patienceMs = PATIENCE_MS,
}: {
  /** Runs before the launch is known. */
  find?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  /** Does the work of a request. */
  work?: (body: string) => Promise<unknown>;
  /** Called for each read that is handled. Returns the response, if it is not a short one. */
  onRead?: () => unknown;
  /** Called for each request that opens a page. Returns the response. */
  onOpen?: () => string;
  beforeSending?: (reply: FastifyReply) => Promise<unknown>;
  /** How long the last requests of a page wait for each that is missing. */
  patienceMs?: number;
}) {
  const server = fastify({ bodyLimit: 200_000 });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.decorateRequest('launch', null as unknown as PlayerLaunch);
  readSmallBodiesEarly(server);
  server.addHook('onRequest', async (request, reply) => {
    await find(request, reply);
    const name = String(request.headers['x-registration'] ?? 'r');
    // A preview has no registration.
    const preview = { registrationId: null, launchId: name };
    request.launch = (
      name.startsWith('preview') ? preview : { registrationId: name, launchId: 'l' }
    ) as PlayerLaunch;
  });
  await server.register(async (scope) => {
    takeTurns(scope, new RequestOrder(patienceMs));
    scope.addHook('onSend', async (_request, reply) => {
      await beforeSending(reply);
    });
    scope.post('/launch/commit', async ({ body }) => {
      await work(String(body));
      return 'done';
    });
    scope.post('/launch/open', { config: { followsLastRequests: true } }, async () => onOpen());
    scope.get('/launch/commit', async () => {
      const response = onRead();
      return Buffer.isBuffer(response) ? response : 'read';
    });
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/launch`;
  const save = async (registration = 'r') => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const headers = { 'x-registration': registration };
    return (await fetch(`${base}/commit`, { method: 'POST', headers, body: '{}', signal })).status;
  };
  const dispose = async () => {
    // A test that fails may still hold requests.
    server.server.closeAllConnections();
    await server.close();
  };
  return { base, save, [Symbol.asyncDispose]: dispose };
}
