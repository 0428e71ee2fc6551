/**
 * Writes docs/settings.md from the settings table. With `--check`, it changes nothing and exits with 1 if the page is
 * outdated. Another path may be given as an argument.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { renderSettingsDocs } from '../src/settings/settings-docs.ts';

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const page = positionals[0] ?? fileURLToPath(new URL('../docs/settings.md', import.meta.url));
const rendered = renderSettingsDocs();

if (!values.check) {
  writeFileSync(page, rendered);
} else if (readFileSync(page, 'utf8') !== rendered) {
  console.error('docs/settings.md is stale; run "npm run settings:docs"');
  process.exitCode = 1;
}
