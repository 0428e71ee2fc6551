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
 */
export function limitRequestTime(server: FastifyInstance, deadlineMs: number): void {
  const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
  const letOff = ({ raw }: FastifyRequest) => clearTimeout(timers.get(raw));

  server.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    if (!raw.complete && hasBody(request)) {
      const timer = setTimeout(() => {
        if (!raw.complete) endLateRequest(request, reply);
      }, deadlineMs);
      timers.set(raw, timer.unref());
      raw.once('close', () => clearTimeout(timer));
    }
    done();
  });
  // Runs after everything that decides who may use the route.
  server.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.routeOptions.config.isUpload === true) letOff(request);
    done(null, payload);
  });
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
export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
