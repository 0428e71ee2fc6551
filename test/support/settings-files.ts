import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadSettings } from '../../src/settings/load-settings.ts';
import { SettingsError } from '../../src/settings/settings-error.ts';
import type { Settings } from '../../src/settings/settings-table.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Loads settings from a configuration file with this content. */
export function load(content: string | Uint8Array, env: NodeJS.ProcessEnv = {}): Settings {
  return withFile(content, (configFile) => loadSettings({ configFile, env }));
}

/** The problems of settings from a configuration file with this content, which is called FILE in them. */
export function refused(content: string | Uint8Array, env: NodeJS.ProcessEnv = {}): string[] {
  return withFile(content, (configFile) =>
    problems(() => loadSettings({ configFile, env })).map((text) => text.replaceAll(configFile, 'FILE')),
  );
}

/** The problems of settings from environment variables. */
export function refusedEnv(env: NodeJS.ProcessEnv): string[] {
  return problems(() => loadSettings({ env }));
}

/** The problems of settings that must be refused. */
export function problems(act: () => unknown): string[] {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    for (const { text } of error.problems) assert.ok(error.message.includes(`\n- ${text}`));
    return error.problems.map(({ text }) => text);
  }
  assert.fail('the settings were taken');
}

function withFile<T>(content: string | Uint8Array, act: (file: string) => T): T {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'coursewire.yaml');
  writeFileSync(file, content);
  return act(file);
}
