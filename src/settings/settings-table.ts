import type { SettingDefinition } from './setting-definition.ts';
import { ACCESS_SETTINGS, LIMIT_SETTINGS } from './settings-table-access.ts';
import { LOG_SETTINGS, SERVER_SETTINGS, STORAGE_SETTINGS } from './settings-table-server.ts';
import {
  ALERT_SETTINGS,
  DELIVERY_SETTINGS,
  QUEUE_SETTINGS,
  WEBHOOK_SETTINGS,
} from './settings-table-webhooks.ts';

/**
 * Every setting, by its name in the configuration file. The environment variable is the name in upper case. The order
 * is that of the settings reference.
 */
export const SETTINGS_TABLE = {
  ...SERVER_SETTINGS,
  ...STORAGE_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...QUEUE_SETTINGS,
  ...DELIVERY_SETTINGS,
  ...ALERT_SETTINGS,
  ...ACCESS_SETTINGS,
  ...LIMIT_SETTINGS,
  ...LOG_SETTINGS,
} as const satisfies Record<string, SettingDefinition<unknown>>;

/** The name of a setting. */
export type SettingName = keyof typeof SETTINGS_TABLE;

/** The settings of a service, by the names of the table, frozen. Durations are in seconds. */
export type Settings = {
  readonly [N in SettingName]: (typeof SETTINGS_TABLE)[N] extends SettingDefinition<infer T> ? T : never;
};

/** All names, in the order of the table. */
export const SETTING_NAMES = Object.keys(SETTINGS_TABLE) as readonly SettingName[];
