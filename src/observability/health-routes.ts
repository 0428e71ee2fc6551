import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '../problems/problem.ts';
import type { Metrics } from './metrics.ts';

/** How long a readiness check may take before it counts as failed. */
const CHECK_TIMEOUT_MS = 3_000;

/** Something that readiness depends on: resolves when it works, rejects when it does not. */
export type ReadinessCheck = () => Promise<void>;

/**
 * Liveness, readiness and metrics, for programs that monitor the service.
 *
 * @param token required to read the metrics and the results of checks; null if everyone may read them
 */
export function healthRoutes(
  server: FastifyInstance,
  {
    checks,
    metrics,
    token = null,
  }: { checks: Readonly<Record<string, ReadinessCheck>>; metrics: Metrics; token?: string | null },
): void {
  const mayRead = (request: FastifyRequest) => token === null || presents(request, token);

  server.get('/health/live', { schema: { hide: true } }, async () => ({ status: 'ok' }));

  server.get('/health/ready', { schema: { hide: true } }, async (request, reply) => {
    const entries = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await resultOf(check)] as const),
    );
    const ready = entries.every(([, result]) => result === 'ok');
    return reply.code(ready ? 200 : 503).send({
      status: ready ? 'ok' : 'unavailable',
      ...(mayRead(request) ? { checks: Object.fromEntries(entries) } : {}),
    });
  });

  server.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!mayRead(request))
      throw new ProblemError('unauthorized', 'The metrics need the monitoring token as a Bearer token', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    return await reply.type(metrics.contentType).send(await metrics.text());
  });
}

/** Whether a request has this Bearer token, compared in constant time. */
function presents(request: FastifyRequest, token: string): boolean {
  const [scheme = '', presented = ''] = (request.headers.authorization ?? '').split(' ', 2);
  return scheme.toLowerCase() === 'bearer' && timingSafeEqual(digestOf(presented), digestOf(token));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Checks that run once at a time: whoever asks meanwhile gets the result of the one that is under way. A file system that
 * hangs would otherwise hold one more thread of the process with each check, until none is left.
 */
export function sharedChecks(
  checks: Readonly<Record<string, ReadinessCheck>>,
): Readonly<Record<string, ReadinessCheck>> {
  return Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, shared(check)]));
}

function shared(check: ReadinessCheck): ReadinessCheck {
  let underWay: Promise<void> | null = null;
  return () => {
    underWay ??= check().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

/** The result of a check; `failed` also if it takes too long. */
export async function resultOf(check: ReadinessCheck): Promise<'ok' | 'failed'> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'failed'>((resolve) => {
    timer = setTimeout(() => resolve('failed'), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([
      check().then(
        () => 'ok' as const,
        () => 'failed' as const,
      ),
      timeout,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
