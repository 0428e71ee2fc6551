import { isDeepStrictEqual } from 'node:util';
import { SETTING_NAMES, SETTINGS_TABLE, type SettingName, type Settings } from './settings-table.ts';

/** A setting as the startup log shows it. */
export interface DescribedSetting {
  readonly name: SettingName;
  /** The value, or for a secret only whether it is set. */
  readonly value: unknown;
  /** Whether it has its default value. */
  readonly default: boolean;
}

/** Every setting in the order of the table, without the values of secrets, for the startup log. */
export function describeSettings(settings: Settings): DescribedSetting[] {
  return SETTING_NAMES.map((name) => {
    const definition = SETTINGS_TABLE[name];
    const value = settings[name];
    return {
      name,
      value: definition.secret && value !== null ? '(set, not shown)' : value,
      default: isDeepStrictEqual(value, definition.default),
    };
  });
}
