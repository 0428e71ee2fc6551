import { AsyncResource } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '../problems/problem.ts';
import { hasBody } from './request-deadline.ts';
import { connectionClosed } from './turns.ts';

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
  const lines = new WeakMap<Socket, Place[]>();
  const places = new WeakMap<FastifyRequest, Place>();
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
    const place: Place = { begin: null, hasBody: hasBody(request) };
    line.push(place);
    places.set(request, place);
    reply.raw.once('close', () => {
      line.shift();
      if (socket.writable) line[0]?.begin?.();
      else for (const each of line.splice(0)) each.begin?.(afterEnd(each));
    });
    done();
  });
  // Bodies arrive before, within their time, so that what a page sends last is handled although the page is gone.
  server.addHook('preHandler', (request, _reply, done) => {
    const place = places.get(request);
    const line = lines.get(request.raw.socket) ?? [];
    if (place === undefined || line[0] === place) done();
    else if (!line.includes(place)) done(afterEnd(place));
    // The response to an earlier request must not pass on its context, such as a trace.
    else place.begin = AsyncResource.bind((problem?: ProblemError) => done(problem));
  });
}

/** A request among those of its connection whose responses have not ended. */
interface Place {
  /** Begins it. Null until its body has arrived. @param problem the response instead */
  begin: ((problem?: ProblemError) => void) | null;
  hasBody: boolean;
}

/** The response to a request whose connection has ended, unless it brings data: nobody would receive what it reads. */
function afterEnd(place: Place): ProblemError | undefined {
  return place.hasBody ? undefined : connectionClosed();
}

function tooMany(): ProblemError {
  return new ProblemError(
    'too-many-requests',
    `At most ${MAX_IN_PROGRESS} requests of a connection may wait for their responses`,
    { headers: { Connection: 'close', 'Retry-After': '1' } },
  );
}
