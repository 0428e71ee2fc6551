import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

/** How long a readiness check may take before it counts as failed. */
const CHECK_TIMEOUT_MS = 3_000;

/** Something that readiness depends on: resolves when it works, rejects when it does not. */
export type ReadinessCheck = () => Promise<void>;

/** Liveness, readiness and metrics, for the machines that watch over the service. */
export function healthRoutes(
  server: FastifyInstance,
  { checks, metrics }: { checks: Readonly<Record<string, ReadinessCheck>>; metrics: Metrics },
): void {
  server.get('/health/live', { schema: { hide: true } }, async () => ({ status: 'ok' }));

  server.get('/health/ready', { schema: { hide: true } }, async (_request, reply) => {
    const entries = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await resultOf(check)] as const),
    );
    const ready = entries.every(([, result]) => result === 'ok');
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ok' : 'unavailable', checks: Object.fromEntries(entries) });
  });

  server.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}

/** How a check went; `failed` also when it takes too long. */
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
