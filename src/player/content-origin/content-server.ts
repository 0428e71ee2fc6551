import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { MIB } from '../../bytes.ts';
import { launchPagePolicy, refusalPage } from '../../content/registrations/launch-page.ts';
import { awaitResponses } from '../../http/awaited-responses.ts';
import { limitConnections } from '../../http/connection-limit.ts';
import { readSmallBodiesEarly } from '../../http/early-bodies.ts';
import { ignoreExpectations } from '../../http/expectations.ts';
import { requireOneHost } from '../../http/host-field.ts';
import { releaseConnections } from '../../http/kept-connections.ts';
import { limitPipelining } from '../../http/pipelining.ts';
import { installProblemResponses, opensPage, sendProblem } from '../../http/problem-responses.ts';
import { limitRequestTime } from '../../http/request-deadline.ts';
import { REQUEST_DEADLINE_MS, serverOptions } from '../../http/server-options.ts';
import { STRICT_TRANSPORT } from '../../http/strict-transport.ts';
import { traceRequests } from '../../http/traced-requests.ts';
import { outlastBodies } from '../../http/unread-bodies.ts';
import type { LogFields, Logger } from '../../observability/log.ts';
import type { Tracing } from '../../observability/tracing/tracing.ts';
import { ProblemError } from '../../problems/problem.ts';
import type { PlayerLaunch } from '../launches/launch.ts';
import type { LaunchService } from '../launches/launch-service.ts';
import { SLOWEST_BYTES_PER_MS } from '../slow-connection.ts';
import { takeTurns } from './launch-turns.ts';
import { RejectedReports } from './rejected-reports.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The launch that the token in the URL opens. Set only in routes of the content origin. */
    launch: PlayerLaunch;
  }
}

/** Maximum size of a body, unless a route sets another: 1 MB of suspend data with every character escaped. */
const MAX_BODY_BYTES = 8 * MIB;

/**
 * Headers of every response, unless a route sets others. Course files are third-party programs: only pages of their own
 * origin may frame them. URLs contain a token, so pages of the player send no referrer. Courses may save in `unload`,
 * and cannot reach an opener of another origin.
 */
const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'unload=*',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'X-Robots-Tag': 'noindex',
};
const FRAME_POLICY = "frame-ancestors 'self'";

/** Adds routes below a launch's token. `request.launch` is the launch that it opens. Bodies are unparsed Buffers. */
export type LaunchRoutes = (scope: FastifyInstance) => void | Promise<void>;

/** Options of {@link createContentServer}. */
export interface ContentServerOptions {
  launches: LaunchService;
  /** Routes that only serve files. */
  fileRoutes: readonly LaunchRoutes[];
  /** Routes whose requests take turns, see {@link takeTurns}. */
  routes: readonly LaunchRoutes[];
  trustedProxies: readonly string[];
  /** The server closes further connections immediately. */
  maxConnections: number;
  /** Whether browsers use HTTPS to reach it. */
  strictTransport: boolean;
  /** Null if tracing is off. */
  tracing: Tracing | null;
  log: Logger;
  /** For tests. */
  requestDeadlineMs?: number;
}

/**
 * Creates the server of the content origin; it does not listen yet. Except for health checks, which are added later, every
 * URL starts with a token that opens one launch. The server neither reads nor sets cookies, and has no routes of the API or the admin UI.
 */
export async function createContentServer({
  launches,
  fileRoutes,
  routes,
  trustedProxies,
  maxConnections,
  strictTransport,
  tracing,
  log,
  requestDeadlineMs = REQUEST_DEADLINE_MS,
}: ContentServerOptions): Promise<FastifyInstance> {
  const server = fastify({
    ...serverOptions({ maxBodyBytes: MAX_BODY_BYTES, trustedProxies }),
    frameworkErrors: (_error, request, reply) =>
      sendNotFound(request as FastifyRequest, reply as unknown as FastifyReply),
  });
  ignoreExpectations(server);
  outlastBodies(server);
  requireOneHost(server);
  limitPipelining(server);
  awaitResponses(server);
  // A course reads hundreds of files, so reads are not traced. Writes are traced, because they trigger events.
  if (tracing !== null) {
    traceRequests(server, tracing, {
      isTraced: ({ method }) => method !== 'GET' && method !== 'HEAD',
      continuesTrace: () => false,
    });
  }
  limitConnections(server, maxConnections, log);
  limitRequestTime(server, requestDeadlineMs, { slowestBytesPerMs: SLOWEST_BYTES_PER_MS });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const rejected = new RejectedReports(log);
  installProblemResponses(server, log, {
    subjectOf,
    note: (problem, request) => rejected.note(problem, request),
  });
  releaseConnections(server);
  server.addHook('onSend', async (_request, reply) => {
    addCommonHeaders(reply);
    if (strictTransport) reply.header('Strict-Transport-Security', STRICT_TRANSPORT);
  });
  server.addHook('onRequest', async (request) => {
    // A service worker would remain in the browser and could intercept the files of every later launch.
    if (request.headers['service-worker'] !== undefined) {
      throw new ProblemError('forbidden', 'Service workers are not allowed here');
    }
  });
  server.decorateRequest('launch', null as unknown as PlayerLaunch);
  await server.register((scope) => addLaunchRoutes(scope, { launches, fileRoutes, routes }), {
    prefix: '/:token',
  });
  return server;
}

/** Adds the routes below the token of a launch, which finds the launch for them. */
async function addLaunchRoutes(
  scope: FastifyInstance,
  { launches, fileRoutes, routes }: Pick<ContentServerOptions, 'launches' | 'fileRoutes' | 'routes'>,
): Promise<void> {
  readSmallBodiesEarly(scope);
  scope.addHook('onRequest', async (request, reply) => {
    const { token } = request.params as { token: string };
    const found = await launches.find(token, request.host);
    if (found.state !== 'open') return refuse(request, reply, found.state);
    request.launch = found.launch;
  });
  for (const add of fileRoutes) await scope.register(async (inner) => add(inner));
  await scope.register(async (inTurn) => {
    takeTurns(inTurn);
    for (const add of routes) await inTurn.register(async (inner) => add(inner));
  });
}

/** Responds to a path that cannot be read. Hooks do not run for requests without a route. */
function sendNotFound(_request: FastifyRequest, reply: FastifyReply): void {
  addCommonHeaders(reply);
  sendProblem(reply, new ProblemError('not-found', 'No resource exists at this path'));
}

/** The log shows what the launch is of, instead of its token. There is no launch if it could not be read. */
function subjectOf({ launch }: Partial<Pick<FastifyRequest, 'launch'>>): LogFields {
  if (!launch) return {};
  return { registration_id: launch.registrationId, course_id: launch.courseId };
}

/** Rejects a request without an open launch. A browser that opens a page receives a page for the learner. */
function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  state: 'invalid' | 'expired' | 'deleted',
): FastifyReply {
  // A browser comes here only after it has opened the course.
  const { status, html } = refusalPage(state, true);
  if (!opensPage(request)) {
    return sendProblem(
      reply,
      new ProblemError(
        'launch-over',
        'The launch has expired, or its registration or course no longer exists',
        {
          members: { reason: state },
        },
      ),
    );
  }
  return reply
    .code(status)
    .headers({ 'Content-Security-Policy': launchPagePolicy("'self'") })
    .type('text/html; charset=utf-8')
    .send(html);
}

function addCommonHeaders(reply: FastifyReply): void {
  reply.headers(HEADERS);
  if (!reply.hasHeader('Content-Security-Policy')) reply.header('Content-Security-Policy', FRAME_POLICY);
  if (!reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'no-store');
}
