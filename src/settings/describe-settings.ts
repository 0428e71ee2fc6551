import { isDeepStrictEqual } from 'node:util';
import { SETTING_NAMES, SETTINGS_TABLE, type SettingName, type Settings } from './settings-table.ts';

/** A setting as the start-up log shows it. */
export interface DescribedSetting {
  readonly name: SettingName;
  /** The value; of a secret only whether it is set. */
  readonly value: unknown;
  /** True when it holds what it holds by default. */
  readonly default: boolean;
}

/** Every setting in the order of the table, without what a secret holds: fit for the start-up log. */
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
