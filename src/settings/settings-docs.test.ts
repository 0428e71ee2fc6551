import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadSettings } from './load-settings.ts';
import { LOG_CLASSES } from './log-classes.ts';
import { renderSettingsDocs } from './settings-docs.ts';
import { SETTING_NAMES } from './settings-table.ts';

const page = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');

describe('docs/settings.md', () => {
  it('is up to date (otherwise run: npm run settings:docs)', () => {
    assert.equal(page, renderSettingsDocs());
  });

  it('has every setting and every class that logs', () => {
    for (const name of SETTING_NAMES) assert.ok(page.includes(`### \`${name}\`\n`), name);
    for (const name of Object.keys(LOG_CLASSES)) assert.ok(page.includes(`| \`${name}\` |`), name);
  });

  it('has examples that can be used unchanged', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'coursewire-docs-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const configFile = join(folder, 'example.yaml');
    writeFileSync(configFile, /```yaml\n(.*?)```/s.exec(page)?.[1] ?? '');
    const env = Object.fromEntries(
      (/```sh\n(.*?)```/s.exec(page)?.[1] ?? '')
        .trim()
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );

    assert.deepEqual(loadSettings({ configFile, env: {} }).trusted_proxies, ['10.0.0.5/32']);
    assert.deepEqual(loadSettings({ configFile, env }).custom_log_levels, {
      CourseService: 'debug',
      Database: 'warn',
    });
  });
});
