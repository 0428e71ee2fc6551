import type { FastifyInstance } from 'fastify';

/** Closes each connection after its response while the server closes: a kept connection would delay that like a request. */
export function releaseConnections(server: FastifyInstance): void {
  let isClosing = false;
  server.addHook('preClose', async () => {
    isClosing = true;
  });
  server.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('Connection', 'close');
  });
}
