import { Type } from 'typebox';
import type { Routes } from '../../http/routes.ts';
import type { DescribedSetting } from '../../settings/describe-settings.ts';
import type { SettingDefinition } from '../../settings/setting-definition.ts';
import { SETTINGS_TABLE } from '../../settings/settings-table.ts';
import { formatDateTime } from '../../time/date-time.ts';
import type { HealthOverview, HealthReader } from './health-overview.ts';

/** The health of the service. */
export type HealthRecord = ReturnType<typeof toRecord>;
/** A setting with its current value. */
export type SettingRecord = ReturnType<typeof toSetting>;
/** A setting that differs in another instance of the same database. */
export type DifferenceRecord = HealthRecord['setting_differences'][number];

/** The health without the settings, which are most of it. */
export type HealthSummary = Omit<HealthRecord, 'settings'>;

/** `settings=false`: without the settings. */
const HealthQuery = Type.Object({ settings: Type.Optional(Type.Boolean()) });

/** The health of the service, for administrators. */
export function healthOverviewRoutes(routes: Routes, health: HealthReader): void {
  routes.get(
    '/ui/api/health',
    {
      config: { role: 'admin' },
      schema: { hide: true, querystring: HealthQuery },
    },
    async (request): Promise<HealthRecord | HealthSummary> => {
      const record = toRecord(await health.read());
      if (request.query.settings !== false) return record;
      const { settings: _, ...summary } = record;
      return summary;
    },
  );
}

function toSetting({ name, value, default: isDefault }: DescribedSetting) {
  const definition: SettingDefinition<unknown> = SETTINGS_TABLE[name];
  return {
    name,
    group: definition.group,
    meaning: definition.meaning,
    /** For a secret, only whether it is set. */
    value,
    default: definition.default,
    /** The default in words, if it is not self-explanatory. */
    default_in_words: definition.defaultInWords ?? null,
    unit: definition.parser.unit,
    is_default: isDefault,
  };
}

function toTrouble(trouble: HealthOverview['connectionTrouble']) {
  if (trouble === null) return null;
  const { since, reason, webhooks } = trouble;
  return { since_dt: formatDateTime(since), reason, webhooks };
}

function toRecord(health: HealthOverview) {
  const { version, runtime, instance, startedAt, checks, database, clockAheadMs, queue, ...rest } = health;
  return {
    version,
    node_version: runtime.nodeVersion,
    host_name: runtime.hostName,
    instance,
    started_dt: formatDateTime(startedAt),
    checks,
    database: {
      engine: database.engine,
      size_bytes: database.sizeBytes,
    },
    /** How far the clock of this machine is ahead of the database server's; null while it is right. */
    clock_ahead_seconds: clockAheadMs === null ? null : Math.round(clockAheadMs / 100) / 10,
    queue,
    connection_trouble: toTrouble(rest.connectionTrouble),
    content_store: { kind: rest.contentStore },
    settings: rest.settings.map(toSetting),
    setting_differences: rest.settingDifferences.map((each) => ({
      setting: each.setting,
      value: each.value,
      other_value: each.otherValue,
      other_instance: each.otherInstance,
      other_host: each.otherHost,
    })),
    content_origin_risks: [...rest.contentOriginRisks],
  };
}
