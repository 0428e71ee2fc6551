import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { KIB } from '../bytes.ts';
import { connectionClosed } from './connection-closed.ts';

/** The most that a page may send while it closes (`keepalive` in the Fetch standard). */
const MAX_EARLY_BYTES = 64 * KIB;

declare module 'fastify' {
  interface FastifyRequest {
    /** Resolves when the body has arrived. Null if there is none, or it is read later. */
    earlyBody: Promise<Buffer> | null;
  }
}

/**
 * Reads small bodies while they arrive, before the hooks that follow wait. Node.js drops what nobody has read when the
 * connection ends, and a browser that quits ends it as soon as the last save is sent. Node.js itself would keep as much in memory.
 */
export function readSmallBodiesEarly(scope: FastifyInstance): void {
  acceptEarlyBodies(scope);
  scope.addHook('onRequest', (request, _reply, done) => {
    readSmallBodyEarly(request);
    done();
  });
}

/** Lets the routes of a scope use bodies that a hook has read with {@link readSmallBodyEarly}. */
export function acceptEarlyBodies(scope: FastifyInstance): void {
  scope.decorateRequest('earlyBody', null);
  scope.addHook('preParsing', async ({ earlyBody }, _reply, payload) =>
    earlyBody === null ? payload : Readable.from([await earlyBody]),
  );
}

/** Reads the body of a request while it arrives, if it is small. */
export function readSmallBodyEarly(request: FastifyRequest): void {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > 0 && length <= MAX_EARLY_BYTES) request.earlyBody = bodyOf(request.raw);
}

function bodyOf(raw: IncomingMessage): Promise<Buffer> {
  const body = new Promise<Buffer>((resolve, reject) => {
    const parts: Buffer[] = [];
    raw.on('data', (part: Buffer) => parts.push(part));
    raw.once('end', () => resolve(Buffer.concat(parts)));
    // Without an effect after the end.
    raw.once('close', () => reject(connectionClosed()));
  });
  // A request that is refused does not wait for it.
  body.catch(() => {});
  return body;
}
