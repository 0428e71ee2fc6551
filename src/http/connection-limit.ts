import type { DropArgument } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../observability/log.ts';
import { OncePerMinute } from '../observability/once-per-minute.ts';

/** Makes a server close connections beyond a limit immediately, and log that once a minute. */
export function limitConnections(server: FastifyInstance, limit: number, log: Logger): void {
  server.server.maxConnections = limit;
  const lines = new OncePerMinute();
  let closed = 0;
  server.server.on('drop', (dropped?: DropArgument) => {
    closed += 1;
    if (!lines.isDue('')) return;
    log.warn('new connections are closed immediately: as many as allowed are open', {
      open: limit,
      closed,
      address: dropped?.remoteAddress,
    });
    closed = 0;
  });
}
