import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Lets units on other origins read every response of a route, also one that refuses a request before its handler runs:
 * otherwise they would see a network error. An `onSend` hook.
 */
export async function addCrossOriginHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Retry-After',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
}
