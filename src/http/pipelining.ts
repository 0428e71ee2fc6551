import { AsyncResource } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../problems/problem.ts';

/** Browsers, proxies and HTTP libraries send one request at a time on a connection, benchmarks about ten. */
const MAX_IN_PROGRESS = 16;

/**
 * Handles the requests of a connection one after another, and limits how many it may send without waiting for responses.
 * Node starts all requests of a packet at once. A small packet could otherwise cause a thousand responses, during which the
 * service does nothing else, and open a file for each one that the client does not read.
 *
 * The first request beyond the limit gets an error and ends the connection. Later ones get no response, after which
 * clients send them on another connection (RFC 9112 section 9.3.2).
 */
export function limitPipelining(server: FastifyInstance): void {
  /** What begins each request of a connection that has not ended. The first has begun. */
  const lines = new WeakMap<Socket, (() => void)[]>();
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
    // The response to an earlier request must not pass on its context, such as a trace.
    line.push(line.length === 0 ? done : AsyncResource.bind(() => done()));
    reply.raw.once('close', () => {
      line.shift();
      // After the end of the connection, nobody would receive the response.
      if (socket.writable) line[0]?.();
    });
    if (line.length === 1) done();
  });
}

function tooMany(): ProblemError {
  return new ProblemError(
    'too-many-requests',
    `At most ${MAX_IN_PROGRESS} requests of a connection may wait for their responses`,
    { headers: { Connection: 'close', 'Retry-After': '1' } },
  );
}
