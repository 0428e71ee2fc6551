import { isDeepStrictEqual } from 'node:util';
import { contentPlaceOf } from './content-place.ts';
import { SETTINGS_TABLE, type SettingName, type Settings } from './settings-table.ts';

/** Settings that have no effect unless another setting has a certain value. */
interface Dependence {
  readonly settings: readonly SettingName[];
  /** The condition, with the names of settings and values between backticks. */
  readonly needs: string;
  isMet(settings: Settings): boolean;
}

const DEPENDENCES: readonly Dependence[] = [
  {
    settings: ['sqs_region', 'sqs_endpoint', 'message_queue_name', 'dead_letter_queue_name'],
    needs: '`queue_driver` is `sqs`',
    isMet: (settings) => settings.queue_driver === 'sqs',
  },
  {
    settings: ['database_connections'],
    needs: '`database_url` is set',
    isMet: (settings) => settings.database_url !== null,
  },
  {
    settings: ['smtp_port', 'smtp_security', 'smtp_user', 'smtp_password', 'smtp_from'],
    needs: '`smtp_host` is set',
    isMet: (settings) => settings.smtp_host !== null,
  },
  {
    settings: ['alert_check_interval'],
    needs: '`enable_alerts` is `true`',
    isMet: (settings) => settings.enable_alerts,
  },
  {
    settings: ['content_store_endpoint'],
    needs: '`content_store` is an S3 bucket',
    isMet: (settings) => contentPlaceOf(settings)?.kind === 's3',
  },
];

/** The condition under which a setting has an effect, in words. Null for settings that always have one. */
export function needsOf(name: SettingName): string | null {
  return DEPENDENCES.find(({ settings }) => settings.includes(name))?.needs ?? null;
}

/**
 * A sentence for each group of settings that differ from their defaults but have no effect because of other settings.
 */
export function idleSettings(settings: Settings): string[] {
  return DEPENDENCES.filter((dependence) => !dependence.isMet(settings)).flatMap((dependence) => {
    const idle = dependence.settings.filter(
      (name) => !isDeepStrictEqual(settings[name], SETTINGS_TABLE[name].default),
    );
    if (idle.length === 0) return [];
    const needs = dependence.needs.replaceAll('`', '');
    return `${idle.join(', ')} ${idle.length === 1 ? 'does' : 'do'} nothing: only used if ${needs}`;
  });
}
