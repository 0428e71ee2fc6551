import { readFileSync } from 'node:fs';
import type { DropArgument } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../observability/log.ts';
import { OncePerMinute } from '../observability/once-per-minute.ts';

/** Descriptors that connections of clients leave to postbacks, the database and files, if the process may open enough. */
const LEFT_DESCRIPTORS = 2_048;
/** `port` and `content_port`. */
const PORTS = 2;

/**
 * Makes a server close connections beyond `max_connections` immediately, or beyond fewer if the process may not open as
 * many files, and log that once a minute.
 */
export function limitConnections(server: FastifyInstance, maxConnections: number, log: Logger): void {
  const limit = Math.min(maxConnections, affordableConnections());
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

/** Says that the process may not open enough files for `max_connections`, and what to do. Null if it may. */
export function connectionsWarning(maxConnections: number): string | null {
  const affordable = affordableConnections();
  if (maxConnections <= affordable) return null;
  return (
    `max_connections is ${maxConnections}, but this process may only have ${maxDescriptors()} files and connections open: ` +
    `port and content_port accept ${affordable} connections each. Raise the limit (LimitNOFILE of systemd, ulimit -n), or lower max_connections`
  );
}

/** How many connections each port can accept and leave enough descriptors for everything else. */
function affordableConnections(): number {
  const descriptors = maxDescriptors();
  return Math.floor((descriptors - Math.min(LEFT_DESCRIPTORS, descriptors / 2)) / PORTS);
}

/** How many files the process may open. Node has raised that to the hard limit. Infinite if the system does not say it. */
function maxDescriptors(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
