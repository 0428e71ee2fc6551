import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Keeps a connection open while the service works on a response, however long nothing is sent on it. Until the whole
 * request has arrived, and once the response has begun, silence ends the connection: the client stalls. What is
 * written to the connection starts its time of silence again.
 */
export function awaitResponses(server: FastifyInstance): void {
  server.addHook('onRequest', (_request, reply, done) => {
    reply.raw.on('timeout', endStalled);
    done();
  });
}

/** Node.js leaves a silent connection to this function while the response is the next one to be sent on it. */
function endStalled(this: ServerResponse, socket: Socket): void {
  if (!this.req.complete || this.headersSent) socket.destroy();
}
