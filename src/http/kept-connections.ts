import type { FastifyInstance } from 'fastify';

/** The HTTP servers that keep no connection after a response. */
const releasing = new WeakSet<FastifyInstance['server']>();

/** Closes each connection after its response while the server closes: a kept connection would delay that like a request. */
export function releaseConnections(server: FastifyInstance): void {
  server.addHook('preClose', async () => keepNoConnections(server));
  server.addHook('onSend', async (_request, reply) => {
    if (releasing.has(server.server)) reply.header('Connection', 'close');
  });
}

/** Closes each connection after its response from now on, so that a load balancer can choose another instance. */
export function keepNoConnections(server: FastifyInstance): void {
  releasing.add(server.server);
}
