import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { SECOND_MS } from '../time/units.ts';
import { hasBody } from './request-deadline.ts';

/** How long a client may continue to send a body that nobody reads before it is disconnected. */
const LINGER_MS = 10 * SECOND_MS;

/**
 * Discards the rest of a body that nobody has read before the connection is closed behind the response. Node closes it at
 * once, and then a client that is still sending may lose the response (RFC 9112 section 9.6).
 */
export function outlastBodies({ server }: FastifyInstance): void {
  server.prependListener('request', (request) => {
    if (hasBody(request)) postponeClosing(request);
  });
}

/** Node calls `destroySoon` behind the last response of a connection. */
function postponeClosing(request: IncomingMessage): void {
  const { socket } = request;
  const close = () => Socket.prototype.destroySoon.call(socket);
  socket.destroySoon = () => {
    if (request.complete || socket.destroyed) return close();
    const cutOff = setTimeout(close, LINGER_MS).unref();
    socket.once('close', () => clearTimeout(cutOff));
    request.once('end', close);
    request.unpipe();
    request.resume();
  };
}
