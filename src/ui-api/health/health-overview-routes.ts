import { Type } from 'typebox';
import { problems, type Routes } from '../../http/routes.ts';
import { DateTime, Nullable } from '../../http/schemas.ts';
import type { DescribedSetting } from '../../settings/describe-settings.ts';
import { SETTINGS_TABLE, type SettingDefinition } from '../../settings/settings-table.ts';
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
  clock_ahead_seconds: Nullable(
    Type.Number({
      description: 'How far the clock of this machine is ahead of the database server’s, if that is too far.',
    }),
  ),
  queue: Type.Object({
    engine: Type.String(),
    state: Type.Enum(['delivering', 'polling_disabled', 'webhooks_disabled']),
    obstacle: Nullable(
      Type.String({ description: 'What a person has to do before the queues on Amazon SQS are used again.' }),
    ),
  }),
  content_store: Type.Object({ kind: Type.Enum(['folder', 's3']), answers: Type.Boolean() }),
  settings: Type.Array(
    Type.Object({
      name: Type.String(),
      group: Type.String({ description: 'The heading that it has in the reference.' }),
      meaning: Type.String({ description: 'Names and values stand between backticks.' }),
      value: Type.Unknown({ description: 'Of a secret only whether it is set.' }),
      default: Type.Unknown(),
      default_in_words: Nullable(Type.String({ description: 'Where the default alone does not tell.' })),
      unit: Nullable(
        Type.String({ description: '`seconds`, `days` or `bytes`; null where nothing is counted.' }),
      ),
      is_default: Type.Boolean(),
    }),
  ),
  setting_differences: Type.Array(
    Type.Object({
      setting: Type.String(),
      value: Type.Unknown(),
      other_value: Type.Unknown(),
      other_instance: Type.String(),
      other_host: Type.String(),
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
      const { version, runtime, instance, startedAt, checks, database, clockAheadMs, queue, ...rest } =
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
        clock_ahead_seconds: clockAheadMs === null ? null : Math.round(clockAheadMs / 100) / 10,
        queue,
        content_store: { kind: rest.contentStore, answers: checks.content === 'ok' },
        settings: rest.settings.map(toSetting),
        setting_differences: rest.settingDifferences.map((each) => ({
          setting: each.setting,
          value: each.value,
          other_value: each.otherValue,
          other_instance: each.otherInstance,
          other_host: each.otherHost,
        })),
      };
    },
  );
}

function toSetting({ name, value, default: isDefault }: DescribedSetting) {
  const definition: SettingDefinition<unknown> = SETTINGS_TABLE[name];
  return {
    name,
    group: definition.group,
    meaning: definition.meaning,
    value,
    default: definition.default,
    default_in_words: definition.defaultInWords ?? null,
    unit: definition.parser.unit,
    is_default: isDefault,
  };
}
