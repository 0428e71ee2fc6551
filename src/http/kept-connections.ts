import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether each connection is closed after its response, see {@link keepNoConnections}. */
    keepsNoConnections: boolean;
  }
}

/** Closes each connection after its response while the server closes: a kept connection would delay that like a request. */
export function releaseConnections(server: FastifyInstance): void {
  server.decorate('keepsNoConnections', false);
  server.addHook('preClose', async () => keepNoConnections(server));
  server.addHook('onSend', async (_request, reply) => {
    if (server.keepsNoConnections) reply.header('Connection', 'close');
  });
}

/** Closes each connection after its response from now on, so that a load balancer can choose another instance. */
export function keepNoConnections(server: FastifyInstance): void {
  server.keepsNoConnections = true;
}
