import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '../problems/problem.ts';
import type { Metrics } from './metrics.ts';
import type { ReadinessWatch } from './readiness.ts';

/**
 * Liveness, readiness and metrics, for programs that monitor the service.
 *
 * @param token required to read the metrics and the results of checks; null if everyone may read them
 */
export function healthRoutes(
  server: FastifyInstance,
  {
    readiness,
    metrics,
    token = null,
  }: { readiness: Pick<ReadinessWatch, 'run' | 'isWithdrawn'>; metrics: Metrics; token?: string | null },
): void {
  const mayRead = (request: FastifyRequest) => token === null || presents(request, token);

  probeRoutes(server, { readiness, mayRead });

  server.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!mayRead(request))
      throw new ProblemError('unauthorized', 'The metrics need the monitoring token as a Bearer token', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    return await reply.type(metrics.contentType).send(await metrics.text());
  });
}

/**
 * Liveness and readiness, for load balancers. Every server behind a load balancer has these routes.
 *
 * @param mayRead whether a request may read the results of checks; by default, none may
 */
export function probeRoutes(
  server: FastifyInstance,
  {
    readiness,
    mayRead = () => false,
  }: {
    readiness: Pick<ReadinessWatch, 'run' | 'isWithdrawn'>;
    mayRead?: (request: FastifyRequest) => boolean;
  },
): void {
  server.get('/health/live', { schema: { hide: true } }, async () => ({ status: 'ok' }));

  server.get('/health/ready', { schema: { hide: true } }, async (request, reply) => {
    const checks = await readiness.run();
    const works = Object.values(checks).every((result) => result === 'ok');
    const ready = works && !readiness.isWithdrawn;
    return reply.code(ready ? 200 : 503).send({
      status: readiness.isWithdrawn ? 'stopping' : works ? 'ok' : 'unavailable',
      ...(mayRead(request) ? { checks } : {}),
    });
  });
}

/** Whether a request has this Bearer token, compared in constant time. */
function presents(request: FastifyRequest, token: string): boolean {
  const [scheme = '', presented = ''] = (request.headers.authorization ?? '').split(' ', 2);
  return scheme.toLowerCase() === 'bearer' && timingSafeEqual(digestOf(presented), digestOf(token));
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
