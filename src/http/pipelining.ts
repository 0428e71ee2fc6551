import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '../problems/problem.ts';
import { connectionClosed } from './connection-closed.ts';
import { hasBody } from './request-deadline.ts';

/** Browsers, proxies and HTTP libraries send one request at a time on a connection, benchmarks about ten. */
const MAX_IN_PROGRESS = 16;

/** A request among those of its connection whose responses have not ended. */
interface Place {
  /** Settled when it is the first. Null if it was from the start. */
  first: PromiseWithResolvers<void> | null;
  hasBody: boolean;
}

const places = new WeakMap<FastifyRequest, Place>();

/**
 * Handles the requests of a connection one after another, and limits how many it may send without waiting for responses.
 * Node starts all requests of a packet at once. A small packet could otherwise cause a thousand responses, during which the
 * service does nothing else, and open a file for each one that the client does not read.
 *
 * The first request beyond the limit gets an error and ends the connection. Later ones get no response, after which
 * clients send them on another connection (RFC 9112 section 9.3.2).
 */
export function limitPipelining(server: FastifyInstance): void {
  const lines = new WeakMap<Socket, Place[]>();
  const refusing = new WeakSet<Socket>();
  server.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    if (refusing.has(socket)) {
      reply.hijack();
      return;
    }
    const line = lines.get(socket) ?? [];
    lines.set(socket, line);
    if (line.length >= MAX_IN_PROGRESS) {
      refusing.add(socket);
      done(tooMany());
      return;
    }
    const place = newPlace(request, line.length === 0);
    line.push(place);
    places.set(request, place);
    reply.raw.once('close', () => {
      line.shift();
      if (socket.writable) line[0]?.first?.resolve();
      else for (const each of line.splice(0)) leave(each);
    });
    done();
  });
  // Bodies arrive before, within their time, so that what a page sends last is handled although the page is gone.
  server.addHook('preHandler', (request, _reply, done) => {
    const begin = () =>
      done(request.raw.socket.destroyed && !hasBody(request) ? connectionClosed() : undefined);
    if (isFirst(request)) begin();
    else comesFirst(request).then(begin, done);
  });
}

/**
 * Resolves when a request is the first of its connection. A request must not have a turn before: the first one could wait
 * for that turn, and would wait forever.
 * @throws {ProblemError} `invalid-request` if the connection has ended and the request brings no data
 */
export async function comesFirst(request: FastifyRequest): Promise<void> {
  await places.get(request)?.first?.promise;
}

/** Whether a request was the first of its connection from the start, as nearly all are. */
function isFirst(request: FastifyRequest): boolean {
  return (places.get(request)?.first ?? null) === null;
}

function newPlace(request: FastifyRequest, isAlone: boolean): Place {
  const first = isAlone ? null : Promise.withResolvers<void>();
  // A request that is refused does not wait for it.
  first?.promise.catch(() => {});
  return { first, hasBody: hasBody(request) };
}

/**
 * Ends the wait of a request whose connection has ended. One that brings data is still handled. Any other is refused, since
 * nobody would receive what it reads.
 */
function leave({ first, hasBody }: Place): void {
  if (hasBody) first?.resolve();
  else first?.reject(connectionClosed());
}

function tooMany(): ProblemError {
  return new ProblemError(
    'too-many-requests',
    `At most ${MAX_IN_PROGRESS} requests of a connection may wait for their responses`,
    { headers: { Connection: 'close', 'Retry-After': '1' } },
  );
}
