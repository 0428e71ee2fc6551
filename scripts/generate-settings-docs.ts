// Writes docs/settings.md from the settings table; with --check only says whether it is up to date (exit code 1: no).
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { renderSettingsDocs } from '../src/settings/settings-docs.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const page = new URL('../docs/settings.md', import.meta.url);
const rendered = renderSettingsDocs();

if (!values.check) {
  writeFileSync(page, rendered);
} else if (readFileSync(page, 'utf8') !== rendered) {
  console.error('docs/settings.md is stale: run node scripts/generate-settings-docs.ts');
  process.exitCode = 1;
}
