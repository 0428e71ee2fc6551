import { contentBaseUrlOf, contentPortOf } from './base-url.ts';
import { allowedTargetNetworks } from './networks.ts';
import { SETTING_NAMES, SETTINGS_TABLE, type SettingName, type Settings } from './settings-table.ts';

/** Shared settings that have no effect unless Amazon SQS is used. */
const OF_SQS: ReadonlySet<SettingName> = new Set([
  'message_queue_name',
  'dead_letter_queue_name',
  'sqs_region',
  'sqs_endpoint',
]);

/** The values of the settings that all instances of a database must share, without secrets. */
export function sharedSettings(settings: Settings): Partial<Record<SettingName, unknown>> {
  const names = SETTING_NAMES.filter(
    (name) => SETTINGS_TABLE[name].shared && (settings.queue_driver === 'sqs' || !OF_SQS.has(name)),
  );
  const held = Object.fromEntries(names.map((name) => [name, settings[name]]));
  // Their defaults depend on settings that may differ, such as `host`, so the effective values are compared.
  return {
    ...held,
    target_allowed_networks: allowedTargetNetworks(settings),
    content_base_url: contentBaseUrlOf(settings, contentPortOf(settings)),
  };
}
