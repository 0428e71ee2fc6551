import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Logger } from '../observability/log.ts';
import { ProblemError } from '../problems/problem.ts';
import { awaitResponses } from './awaited-responses.ts';
import { firstSegment, withoutBasePath } from './base-path.ts';
import { ignoreExpectations } from './expectations.ts';
import { requireOneHost } from './host-field.ts';
import { acceptJsonBodies } from './json-body.ts';
import { releaseConnections } from './kept-connections.ts';
import { serializeLazily } from './lazy-schemas.ts';
import { installNotModified } from './not-modified.ts';
import { limitPipelining } from './pipelining.ts';
import { installProblemResponses, sendProblem } from './problem-responses.ts';
import { limitRequestTime } from './request-deadline.ts';
import type { Routes } from './routes.ts';
import { REQUEST_DEADLINE_MS, serverOptions } from './server-options.ts';
import { STRICT_TRANSPORT } from './strict-transport.ts';
import { refuseUnknownMembers } from './unknown-members.ts';
import { warnOfUnknownProxies } from './unknown-proxies.ts';
import { outlastBodies } from './unread-bodies.ts';
import { installValidation } from './validation.ts';

/** Creates the server with problems for errors and strict validation, without routes, and not listening yet. */
export function createServer({
  log,
  maxBodyBytes,
  trustedProxies,
  basePath,
  strictTransport = false,
  requestDeadlineMs = REQUEST_DEADLINE_MS,
}: {
  log: Logger;
  maxBodyBytes: number;
  trustedProxies: readonly string[];
  /**
   * The public path of the service. It is added to paths in responses and removed from paths of requests,
   * because a proxy may keep it.
   */
  basePath: string;
  /** Whether responses say that the host must only be reached by HTTPS. @defaultValue false */
  strictTransport?: boolean;
  requestDeadlineMs?: number;
}): Routes {
  const ownSegments = new Set<string>();
  const clashes = () => ownSegments.has(firstSegment(basePath));
  const server = fastify({
    ...serverOptions({ maxBodyBytes, trustedProxies }),
    rewriteUrl: ({ url = '/' }) => (clashes() ? url : withoutBasePath(url, basePath)),
    // The default one would concatenate the texts of all errors, of which hostile input causes a million.
    schemaErrorFormatter: () => new Error('the request does not fit its schema'),
    frameworkErrors: (error, _request, reply) =>
      void sendPathProblem(reply as unknown as FastifyReply, error.code),
  }).withTypeProvider<TypeBoxTypeProvider>();
  server.addHook('onRoute', ({ url }) => void ownSegments.add(firstSegment(url)));
  server.addHook('onReady', async () => {
    if (basePath === '' || !clashes()) return;
    log.warn(
      `the path of base_url starts like one of the service's own, /${firstSegment(basePath)}: the proxy must remove ` +
        'the path, or requests do not reach the service',
    );
  });
  const plain = server as unknown as FastifyInstance;
  warnOfUnknownProxies(plain, log);
  ignoreExpectations(plain);
  outlastBodies(plain);
  requireOneHost(plain);
  limitPipelining(plain);
  awaitResponses(plain);
  limitRequestTime(plain, requestDeadlineMs);
  acceptJsonBodies(plain);
  installValidation(plain);
  refuseUnknownMembers(plain);
  serializeLazily(plain);
  installProblemResponses(plain, log);
  installNotModified(plain);
  releaseConnections(plain);
  server.addHook('onSend', async (_request, reply) => {
    addCommonHeaders(reply);
    if (strictTransport) reply.header('Strict-Transport-Security', STRICT_TRANSPORT);
    const location = reply.getHeader('Location');
    if (typeof location === 'string' && location.startsWith('/'))
      reply.header('Location', basePath + location);
  });
  return server as unknown as Routes;
}

/** Responds to a path that cannot be read. Hooks do not run for requests without a route. */
function sendPathProblem(reply: FastifyReply, code: string): void {
  const problem =
    code === 'FST_ERR_MAX_PARAM_LENGTH'
      ? new ProblemError('not-found', 'No resource exists at this path')
      : new ProblemError('invalid-request', 'The path is malformed');
  addCommonHeaders(reply);
  sendProblem(reply, problem);
}

/**
 * Headers of every response: do not cache it by default, and do not sniff its media type. Proxies must not compress a
 * record, because they would change the tag of its revision.
 */
function addCommonHeaders(reply: FastifyReply): void {
  reply.header('X-Content-Type-Options', 'nosniff');
  if (reply.hasHeader('Cache-Control')) return;
  const hasRevision = String(reply.getHeader('ETag') ?? '').startsWith('"');
  reply.header('Cache-Control', hasRevision ? 'no-store, no-transform' : 'no-store');
}
