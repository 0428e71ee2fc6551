import type { Settings } from './settings-table.ts';

/** Whether this instance delivers messages. */
export function delivers(settings: Settings): boolean {
  return settings.enable_webhooks_service && settings.enable_queue_polling;
}
