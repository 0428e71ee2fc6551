import type { DropArgument } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../observability/log.ts';
import { MINUTE_MS } from '../time/units.ts';

/**
 * Makes a server close connections beyond a limit immediately, and log that: the first one, and then each minute how many
 * there were.
 */
export function limitConnections(server: FastifyInstance, limit: number, log: Logger): void {
  server.server.maxConnections = limit;
  let closed = 0;
  let address: string | undefined;
  let minute: NodeJS.Timeout | null = null;
  const report = () => {
    minute = null;
    if (closed === 0) return;
    log.warn('new connections are closed immediately: as many as allowed are open', {
      open: limit,
      closed,
      address,
    });
    closed = 0;
    minute = setTimeout(report, MINUTE_MS).unref();
  };
  server.server.on('drop', (dropped?: DropArgument) => {
    closed += 1;
    address = dropped?.remoteAddress;
    if (minute === null) report();
  });
}
