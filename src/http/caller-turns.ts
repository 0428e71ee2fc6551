import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MIB } from '../bytes.ts';
import { callerOf } from './authorization.ts';
import { comesFirst } from './pipelining.ts';
import { type Turn, Turns } from './turns.ts';

/** Requests of a caller, of each kind, that are handled at once. The largest take 8 MiB and as much work. */
const MAX_AT_ONCE = 4;
/** More than any program sends at once. */
const MAX_WAITING = 100;
/** Several of the largest responses, so that a slow connection that reads one does not keep others waiting. */
const MAX_UNSENT_BYTES = 32 * MIB;

/** What takes turns. */
type TurnKind = 'read' | 'write';

const LIMITS = { atOnce: MAX_AT_ONCE, waiting: MAX_WAITING, unsentBytes: MAX_UNSENT_BYTES };

/** When a route with `hasLargeResponse` returns 429, for the description of the API. */
export const TOO_MANY_READS = 'Too many requests of the caller for large responses wait for their turn.';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a response may have megabytes or be made from as much, so that the requests of a caller take turns. */
    hasLargeResponse?: boolean;
  }
  interface FastifyRequest {
    callerTurn: Turn | null;
  }
}

/**
 * Lets the requests of each caller for large responses, and its large writes, take turns. Otherwise, a caller who sends hundreds at once, or
 * reads none of the responses, would fill the memory and block the service for everybody else.
 */
export class CallerTurns {
  readonly #kinds: Readonly<Record<TurnKind, Turns>> = {
    read: new Turns(LIMITS),
    write: new Turns(LIMITS),
  };

  /** @param server before any plugin is registered, which would lack the member of requests */
  constructor(server: FastifyInstance) {
    server.decorateRequest('callerTurn', null);
    // With a callback, because this hook runs for every request.
    server.addHook('onSend', ({ callerTurn }, { raw }, payload, done) => {
      callerTurn?.endWithResponse(payload, raw);
      done(null, payload);
    });
  }

  /**
   * Lets the requests to the routes of a scope that have `hasLargeResponse` take turns. @param scoped after
   * `requireScopes`
   */
  limitRoutes(scoped: FastifyInstance): void {
    scoped.addHook('onRequest', (request, _reply, done) => {
      if (request.routeOptions.config.hasLargeResponse === true)
        this.take(request, callerOf(request).id).then(() => done(), done);
      else done();
    });
  }

  /**
   * Resolves at the beginning of a request's turn. Requests of different kinds do not wait for each other.
   * @param request without a body, or whose body arrives before or in its turn
   * @throws {ProblemError} `too-many-requests`, `invalid-request` if the connection is closed before
   */
  async take(request: FastifyRequest, callerId: string, kind: TurnKind = 'read'): Promise<void> {
    const turn = this.#kinds[kind].request(callerId);
    request.callerTurn = turn;
    // A slow connection keeps no turn from others, and what has arrived is stored even if its connection ends.
    if (request.earlyBody) await request.earlyBody;
    await comesFirst(request);
    if (!request.raw.readableEnded) turn.endWithConnection(request.raw);
    await turn.begin();
    turn.isWorking = true;
  }
}
