import path from 'node:path';
import { contentPortOf } from './base-url.ts';
import { contentPlaceOf } from './content-place.ts';
import { allowedTargetNetworks } from './networks.ts';
import { SETTING_NAMES, SETTINGS_TABLE, type SettingName, type Settings } from './settings-table.ts';

/** Shared settings that have no effect unless Amazon SQS is used. */
const OF_SQS: ReadonlySet<SettingName> = new Set([
  'message_queue_name',
  'dead_letter_queue_name',
  'sqs_region',
  'sqs_endpoint',
]);

/** The values of the settings that all instances of a database must share, without secrets. `hostName` is that of this machine. */
export function sharedSettings(settings: Settings, hostName: string): Partial<Record<SettingName, unknown>> {
  const names = SETTING_NAMES.filter(
    (name) => SETTINGS_TABLE[name].shared && (settings.queue_driver === 'sqs' || !OF_SQS.has(name)),
  );
  const held = Object.fromEntries(names.map((name) => [name, settings[name]]));
  return {
    ...held,
    // Its default depends on `host`, which may differ, so the effective value is compared.
    target_allowed_networks: allowedTargetNetworks(settings),
    // Without `content_base_url`, links to courses name this port.
    ...(settings.content_base_url === null ? { content_port: contentPortOf(settings) } : {}),
    content_store: comparedContentStore(settings, hostName),
  };
}

/** Each machine has its own data folder, but may mount the same share at its own path. */
function comparedContentStore(settings: Settings, hostName: string): string {
  const place = contentPlaceOf(settings);
  if (place === null) return `not set (${path.resolve(settings.data_dir, 'content')} on ${hostName})`;
  return place.kind === 's3' ? String(settings.content_store) : 'a folder';
}
