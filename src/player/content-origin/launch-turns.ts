import type { FastifyInstance } from 'fastify';
import { MIB } from '../../bytes.ts';
import { connectionClosed } from '../../http/connection-closed.ts';
import { comesFirst } from '../../http/pipelining.ts';
import { READ_METHODS } from '../../http/read-methods.ts';
import { hasBody } from '../../http/request-deadline.ts';
import { type Turn, Turns } from '../../http/turns.ts';
import { LAST_REQUEST, type OrderedRequest, RequestOrder } from './request-order.ts';

/** Pages save one request at a time, and browsers open six connections to an origin. */
const MAX_AT_ONCE = 4;
/** As many as a browser sends over one connection of HTTP/2, so that nothing of a real course is refused. */
const MAX_WAITING = 100;
/** Several of the largest responses, so that a slow connection that reads one does not keep others waiting. */
const MAX_UNSENT_BYTES = 32 * MIB;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a request opens something, and thereby ends what earlier pages have open. Their last requests come first. */
    followsLastRequests?: boolean;
  }
  interface FastifyRequest {
    /** Set only in routes whose requests take turns. */
    launchTurn: Turn | null;
    /** Set only for requests that a page sends while it is being closed. */
    lastRequest: OrderedRequest | null;
    /** Whether an earlier request of the page has not arrived: it may still come, or another instance may handle it. */
    isAhead: boolean;
  }
}

/**
 * Lets the requests of a registration take turns: a learner who sends hundreds at once must not keep the service or its
 * database connections from others. The launches of a registration count together.
 *
 * A small body arrives before the turn, see {@link readSmallBodiesEarly}. The request is then handled even if its
 * connection is closed or the server is closing. A slow connection keeps no turn from others. Any other body is read
 * during the turn, because all of them together would fill the memory. So would responses that nobody reads: no turn
 * begins while those of a registration are as large as {@link MAX_UNSENT_BYTES}.
 *
 * The last requests of a page follow each other, see {@link RequestOrder}. The next page of the registration opens
 * after them, unless its connection was closed in the meantime. Such a page would have no user, and would supersede the
 * one that follows.
 * @param order for tests
 */
export function takeTurns(scope: FastifyInstance, order = new RequestOrder()): void {
  const turns = new Turns({ atOnce: MAX_AT_ONCE, waiting: MAX_WAITING, unsentBytes: MAX_UNSENT_BYTES });
  scope.decorateRequest('launchTurn', null);
  scope.decorateRequest('lastRequest', null);
  scope.decorateRequest('isAhead', false);
  scope.addHook('onRequest', async (request) => {
    const { registrationId, launchId } = request.launch;
    const group = registrationId ?? launchId;
    const turn = turns.request(group);
    request.launchTurn = turn;
    // Before its number is noted: a request before it on its connection would wait for it, and it for that request.
    await comesFirst(request);
    request.lastRequest = order.arrive(group, request.headers[LAST_REQUEST]);
    const { earlyBody, lastRequest } = request;
    if (earlyBody !== null) await earlyBody;
    if (lastRequest !== null) request.isAhead = !(await lastRequest.comes());
    if (request.routeOptions.config.followsLastRequests === true) {
      await order.settle(group);
      if (request.raw.socket.destroyed) throw connectionClosed();
    }
    if (earlyBody === null && (hasBody(request) || READ_METHODS.has(request.method))) {
      turn.endWithConnection(request.raw);
    }
    await turn.begin();
  });
  scope.addHook('preHandler', async ({ launchTurn }) => {
    if (launchTurn !== null) launchTurn.isWorking = true;
  });
  scope.addHook('onSend', async ({ launchTurn, lastRequest }, { raw }, payload) => {
    launchTurn?.endWithResponse(payload, raw);
    lastRequest?.end();
  });
  // The server itself waits for connections only.
  scope.addHook('onClose', async () => await turns.idle());
}
