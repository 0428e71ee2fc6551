import type { FastifyInstance } from 'fastify';
import { hasBody } from '../../http/request-deadline.ts';
import { type Turn, Turns } from '../../http/turns.ts';

/** Pages save one request at a time, and browsers open six connections to an origin. */
const MAX_AT_ONCE = 4;
/** As many as a browser sends over one connection of HTTP/2, so that nothing of a real course is refused. */
const MAX_WAITING = 100;
/** Methods that change nothing. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

declare module 'fastify' {
  interface FastifyRequest {
    /** Set only in routes whose requests take turns. */
    launchTurn: Turn | null;
  }
}

/**
 * Lets the requests of a registration take turns: a learner who sends hundreds at once must not keep the service or its
 * database connections from others. The launches of a registration count together.
 *
 * A small body arrives before the turn, see {@link readSmallBodiesEarly}: the request is then handled even if its
 * connection is closed, and a slow connection keeps no turn from others. Any other body is read during the turn, because
 * all of them together would fill the memory.
 */
export function takeTurns(scope: FastifyInstance): void {
  const turns = new Turns({ atOnce: MAX_AT_ONCE, waiting: MAX_WAITING });
  scope.decorateRequest('launchTurn', null);
  scope.addHook('onRequest', async (request) => {
    const { registrationId, launchId } = request.launch;
    const turn = turns.request(registrationId ?? launchId);
    request.launchTurn = turn;
    if (request.earlyBody !== null) await request.earlyBody;
    else if (hasBody(request) || READS.has(request.method)) turn.endWithConnection(request.raw);
    await turn.begin();
  });
  scope.addHook('preHandler', async ({ launchTurn }) => {
    if (launchTurn !== null) launchTurn.isWorking = true;
  });
  scope.addHook('onSend', async ({ launchTurn }) => launchTurn?.end());
}
