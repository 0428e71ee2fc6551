import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ProblemError } from '../problems/problem.ts';

/** Browsers, proxies and HTTP libraries send one request at a time on a connection, benchmarks about ten. */
const MAX_IN_PROGRESS = 16;

/**
 * Limits how many requests a connection may send without waiting for responses. Node starts all requests of a packet
 * at once, so a small packet could otherwise cause a thousand responses, during which the service does nothing else.
 * The first request beyond the limit gets an error and ends the connection. Later ones get no response, after which
 * clients send them on another connection (RFC 9112 section 9.3.2).
 */
export function limitPipelining(server: FastifyInstance): void {
  const inProgress = new WeakMap<Socket, number>();
  const add = (socket: Socket, change: 1 | -1) => {
    const count = (inProgress.get(socket) ?? 0) + change;
    inProgress.set(socket, count);
    return count;
  };
  server.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const count = add(socket, 1);
    if (count === Number.POSITIVE_INFINITY) {
      reply.hijack();
      return;
    }
    if (count <= MAX_IN_PROGRESS) {
      reply.raw.once('close', () => void add(socket, -1));
      done();
      return;
    }
    inProgress.set(socket, Number.POSITIVE_INFINITY);
    done(
      new ProblemError(
        'too-many-requests',
        `At most ${MAX_IN_PROGRESS} requests of a connection may wait for their responses`,
        { headers: { Connection: 'close', 'Retry-After': '1' } },
      ),
    );
  });
}
