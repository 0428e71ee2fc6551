import type { FastifyInstance } from 'fastify';

/**
 * Handles requests with an `Expect` header that Node does not know as if they had none (RFC 9110 section 10.1.1). Node
 * would answer them with 417 and an empty body.
 */
export function ignoreExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
}
