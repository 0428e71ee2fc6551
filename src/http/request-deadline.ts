import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { respondToClientError } from './client-errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a body may take longer if the caller may use the route. The route then limits its time and speed. */
    isUpload?: boolean;
  }
}

/**
 * Ends requests whose body does not arrive completely in time, even if the response does not need it.
 * Otherwise, a client that sends a byte now and then would occupy a connection and memory forever. Uploads are
 * exempt once their caller is known.
 * @param options.slowestBytesPerMs the speed of a slow connection. Once the caller is known, a body also gets the
 *   time that it takes at this speed. Without it, it gets no extra time
 */
export function limitRequestTime(
  server: FastifyInstance,
  deadlineMs: number,
  { slowestBytesPerMs }: { slowestBytesPerMs?: number } = {},
): void {
  const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
  const stop = (raw: IncomingMessage) => clearTimeout(timers.get(raw));
  const start = (request: FastifyRequest, reply: FastifyReply, ms: number) => {
    const { raw } = request;
    stop(raw);
    const timer = setTimeout(() => {
      if (!raw.complete) endLateRequest(request, reply);
    }, ms);
    timers.set(raw, timer.unref());
  };

  server.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    if (!raw.complete && hasBody(request)) {
      start(request, reply, deadlineMs);
      raw.once('close', () => stop(raw));
    }
    done();
  });
  // Runs after everything that decides who may use the route.
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { raw, routeOptions } = request;
    if (routeOptions.config.isUpload === true) stop(raw);
    else if (slowestBytesPerMs !== undefined && timers.has(raw) && !raw.destroyed)
      start(request, reply, deadlineMs + acceptedBytes(request) / slowestBytesPerMs);
    done(null, payload);
  });
}

/** The size of a body that the route accepts. Zero if it is too large, or the header does not say it. */
function acceptedBytes({ headers, routeOptions: { bodyLimit } }: FastifyRequest): number {
  const bytes = Number(headers['content-length'] ?? 0);
  return bytes <= (bodyLimit ?? 0) ? bytes : 0;
}

/** Ends a request whose body takes too long, with 408 if there is no response yet. */
export function endLateRequest({ raw }: FastifyRequest, reply: FastifyReply): void {
  const late = Object.assign(new Error('the request did not arrive in time'), {
    code: 'ERR_HTTP_REQUEST_TIMEOUT',
  });
  if (reply.raw.headersSent) raw.socket.destroy();
  else respondToClientError(late, raw.socket);
}

/** Whether a request has a body (RFC 9112 section 6.3). */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
