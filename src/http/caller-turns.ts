// How a request to the API or of the admin UI is handled. Those at `/xapi` take their turns in `player/lrs/client-turns.ts`, those
// of courses in `player/content-origin/launch-turns.ts`.
// 1. `onRequest`: it gets a place on its connection (`pipelining.ts`). Its caller is found. A large read waits for its place,
//    then its turn.
// 2. Its body arrives and is checked. A small one of a course arrives earlier (`early-bodies.ts`).
// 3. `preHandler`: it waits until it is the first of its connection. All but large reads, uploads and tests wait for their turn.
// 4. The handler runs.
// 5. `onSend`: its turn ends, also with an error. The bytes of a large response count until it is sent.
// 6. If its body was refused, what still arrives of it is read before the connection is closed (`unread-bodies.ts`).

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MIB } from '../bytes.ts';
import { MINUTE_MS } from '../time/units.ts';
import { callerOf } from './authorization.ts';
import { comesFirst } from './pipelining.ts';
import { READ_METHODS } from './read-methods.ts';
import { type Turn, type TurnLimits, Turns } from './turns.ts';

/** Large requests of a caller, of each kind, that are handled at once. The largest take 8 MiB and as much work. */
const MAX_LARGE_AT_ONCE = 4;
/** More than any program sends at once. */
const MAX_LARGE_WAITING = 100;
/** Several of the largest responses, so that a slow connection that reads one does not keep others waiting. */
const MAX_UNSENT_BYTES = 32 * MIB;
/**
 * Other reads of a caller that are handled at once. A page of the admin UI sends more, but some of them take much longer
 * than others.
 */
const MAX_READS_AT_ONCE = 8;
/**
 * Changes of a caller that are handled at once. Each takes a connection on PostgreSQL, of twelve by default. On SQLite,
 * changes run one after another, and the largest take a tenth of a second.
 */
const CHANGES_AT_ONCE = 4;
/**
 * While they are quick, more are handled at once: on SQLite, they share commits, so that a caller makes twice as many a second.
 * A change of another caller waits about as long as one of these.
 */
const MORE_CHANGES = { most: 32, quickMs: 20 };

/**
 * How long a request may wait for its turn. If the database does not respond, or a record is locked, those that wait would
 * otherwise fail one after another, for many minutes.
 */
const MAX_WAIT_MS = MINUTE_MS;

/** What takes turns. Requests of different kinds do not wait for each other. */
type TurnKind = 'large-read' | 'large-write' | 'read' | 'change';

const LARGE: TurnLimits = {
  atOnce: MAX_LARGE_AT_ONCE,
  waiting: MAX_LARGE_WAITING,
  unsentBytes: MAX_UNSENT_BYTES,
};

/** When a route with `hasLargeResponse` returns 429, for the description of the API. */
export const TOO_MANY_READS = 'Too many requests of the caller for large responses wait for their turn.';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a response may have megabytes or be made from as much, so that the requests of a caller take turns. */
    hasLargeResponse?: boolean;
    /** Whether a response waits for other systems, so that the request keeps no turn from others of its caller. */
    waitsForOthers?: boolean;
  }
  interface FastifyRequest {
    callerTurn: Turn | null;
  }
}

/**
 * Lets the requests of each caller take turns. Otherwise, a caller who sends hundreds at once, or reads none of the
 * responses, would fill the memory, and delay the requests of everybody else and all deliveries.
 */
export class CallerTurns {
  readonly #kinds: Readonly<Record<TurnKind, Turns>> = {
    'large-read': new Turns(LARGE),
    'large-write': new Turns(LARGE),
    // Any number may wait, each for at most `MAX_WAIT_MS`.
    read: new Turns({ atOnce: MAX_READS_AT_ONCE }),
    change: new Turns({ atOnce: CHANGES_AT_ONCE, growth: MORE_CHANGES }),
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
   * Lets the requests to the routes of a scope take turns, except uploads, whose files do so themselves, and routes that
   * have `waitsForOthers`.
   * @param scoped after `requireScopes`
   */
  limitRoutes(scoped: FastifyInstance): void {
    scoped.addHook('onRequest', (request, _reply, done) => {
      if (request.routeOptions.config.hasLargeResponse === true)
        this.take(request, callerOf(request).id, 'large-read').then(() => done(), done);
      else done();
    });
    // Once the body has arrived: a slow connection keeps no turn from others.
    scoped.addHook('preHandler', (request, _reply, done) => {
      const { isUpload, waitsForOthers } = request.routeOptions.config;
      if (request.callerTurn !== null || isUpload === true || waitsForOthers === true) return done();
      const kind = READ_METHODS.has(request.method) ? 'read' : 'change';
      this.take(request, callerOf(request).id, kind).then(() => done(), done);
    });
  }

  /**
   * Resolves at the beginning of a request's turn.
   * @param request without a body, or whose body arrives before or in its turn
   * @throws {ProblemError} `too-many-requests`, `invalid-request` if the connection is closed before, `unavailable` if the turn
   *   does not begin in time
   */
  async take(request: FastifyRequest, callerId: string, kind: TurnKind): Promise<void> {
    const turn = this.#kinds[kind].request(callerId);
    request.callerTurn = turn;
    // A slow connection keeps no turn from others, and what has arrived is stored even if its connection ends.
    if (request.earlyBody) await request.earlyBody;
    await comesFirst(request);
    if (!request.raw.readableEnded) turn.endWithConnection(request.raw);
    await turn.beginWithin(MAX_WAIT_MS, 'Earlier requests of the caller take too long');
    turn.isWorking = true;
  }
}
