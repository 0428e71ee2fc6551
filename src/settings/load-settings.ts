import { CROSS_RULES } from './cross-rules.ts';
import { didYouMean } from './did-you-mean.ts';
import { type Parsed, quote } from './parser.ts';
import type { SettingDefinition } from './setting-definition.ts';
import { type SettingProblem, SettingsError } from './settings-error.ts';
import { type FileSetting, readSettingsFile } from './settings-file.ts';
import { SETTING_NAMES, SETTINGS_TABLE, type SettingName, type Settings } from './settings-table.ts';

/** The sources of {@link loadSettings}. */
export interface SettingsSources {
  /** Path of a YAML file. Without one, only the environment is read. */
  readonly configFile?: string | undefined;
  /** Environment variables: the names of the settings in upper case. Others are ignored. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Reads the settings: the environment overrides the file, and the file overrides the defaults. An invalid value is an
 * error even if another source overrides it.
 * @throws {SettingsError} naming every invalid value, unknown name and broken rule.
 */
export function loadSettings(sources: SettingsSources): Settings {
  const problems: SettingProblem[] = [];
  const path = sources.configFile;
  const fileSettings = new Map<string, FileSetting>();
  if (path !== undefined) {
    const file = readSettingsFile(path);
    problems.push(...file.problems);
    for (const [name, setting] of file.settings) {
      if (isSettingName(name)) fileSettings.set(name, setting);
      else problems.push(unknownSetting(name, `line ${setting.line} of ${path}`));
    }
  }

  const values: Record<string, unknown> = {};
  const origins = new Map<SettingName, string>();
  const unusable = new Set<SettingName>();
  for (const name of SETTING_NAMES) {
    const definition: SettingDefinition<unknown> = SETTINGS_TABLE[name];
    values[name] = definition.default;
    const take = (parsed: Parsed<unknown>, given: unknown, origin: string): void => {
      if ('value' in parsed) values[name] = parsed.value;
      else {
        unusable.add(name);
        problems.push(wrongValue(name, given, origin, parsed.refused));
      }
      origins.set(name, origin);
    };

    const inFile = fileSettings.get(name);
    if (inFile !== undefined) {
      take(definition.parser.fromYaml(inFile.value), inFile.value, `line ${inFile.line} of ${path}`);
    }
    const variable = environmentName(name);
    const inEnvironment = sources.env[variable];
    if (inEnvironment !== undefined) {
      take(definition.parser.fromText(inEnvironment), inEnvironment, `the environment variable ${variable}`);
    }
  }

  const settings = deepFreeze(values) as Settings;
  for (const rule of CROSS_RULES) {
    if (unusable.has(rule.setting) || unusable.has(rule.other) || rule.isMet(settings)) continue;
    const holds = (name: SettingName) => {
      const held = SETTINGS_TABLE[name].secret ? withheld(settings[name]) : quote(settings[name]);
      return `${name}, from ${origins.get(name) ?? 'its default'}, is ${held}`;
    };
    problems.push({
      setting: rule.setting,
      text: `${holds(rule.setting)}, while ${holds(rule.other)}; ${rule.setting} must be ${rule.allowed}.`,
    });
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return settings;
}

/** The environment variable that a setting is read from. */
export function environmentName(name: SettingName): string {
  return name.toUpperCase();
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS_TABLE, name);
}

function unknownSetting(name: string, origin: string): SettingProblem {
  const meant = didYouMean(name, SETTING_NAMES);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return { setting: name, text: `${quote(name)}, from ${origin}, is not a setting.${hint}` };
}

function wrongValue(name: SettingName, given: unknown, origin: string, why: string | null): SettingProblem {
  const { parser, secret } = SETTINGS_TABLE[name];
  const held = secret ? withheld(given) : quote(given);
  const because = why === null ? '' : `, which ${why}`;
  return {
    setting: name,
    text: `${name}, from ${origin}, is ${held}${because}; it must be ${parser.allowed}.`,
  };
}

function withheld(given: unknown): string {
  if (typeof given !== 'string') return given === null ? 'nothing' : 'a hidden value';
  const { length } = [...given];
  return `${length} ${length === 1 ? 'character' : 'characters'} (hidden)`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
