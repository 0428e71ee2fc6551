import { Type } from 'typebox';
import { problems, type Routes } from '../../http/routes.ts';
import { DateTime, Nullable } from '../../http/schemas.ts';
import { formatDateTime } from '../../time/date-time.ts';
import type { HealthReader } from './health-overview.ts';

const HealthRecord = Type.Object({
  version: Type.String(),
  node_version: Type.String(),
  host_name: Type.String(),
  instance: Type.String(),
  started_dt: DateTime('When this instance started.'),
  checks: Type.Record(Type.String(), Type.Enum(['ok', 'failed']), {
    description: 'What readiness depends on, by name.',
  }),
  database: Type.Object({
    engine: Type.String(),
    answers: Type.Boolean(),
    size_bytes: Nullable(Type.Integer()),
  }),
  queue: Type.Object({
    engine: Type.String(),
    state: Type.Enum(['delivering', 'polling_disabled', 'webhooks_disabled']),
  }),
  content_store: Type.Object({ kind: Type.Enum(['folder', 's3']), answers: Type.Boolean() }),
  settings: Type.Array(
    Type.Object({
      name: Type.String(),
      value: Type.Unknown({ description: 'Of a secret only whether it is set.' }),
      is_default: Type.Boolean(),
    }),
  ),
});

/** How the service is, for administrators. */
export function healthOverviewRoutes(routes: Routes, health: HealthReader): void {
  routes.get(
    '/ui/api/health',
    {
      config: { role: 'admin' },
      schema: { hide: true, response: { 200: HealthRecord, ...problems() } },
    },
    async () => {
      const { version, runtime, instance, startedAt, checks, database, queue, contentStore, settings } =
        await health.read();
      return {
        version,
        node_version: runtime.nodeVersion,
        host_name: runtime.hostName,
        instance,
        started_dt: formatDateTime(startedAt),
        checks,
        database: {
          engine: database.engine,
          answers: checks.database === 'ok',
          size_bytes: database.sizeBytes,
        },
        queue,
        content_store: { kind: contentStore, answers: checks.content === 'ok' },
        settings: settings.map((setting) => ({
          name: setting.name,
          value: setting.value,
          is_default: setting.default,
        })),
      };
    },
  );
}
