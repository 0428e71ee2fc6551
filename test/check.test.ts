import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { TEST_TIMEOUT_MS } from './support/deadline.ts';
import {
  assertFails,
  assertPasses,
  commandFolder,
  ROOT,
  runScript,
  writeFiles,
} from './support/npm-scripts.ts';

/** Commands that check a checkout, with options, by the fault that each must find. */
const CHECK_COMMANDS: readonly { command: string; options?: readonly string[]; faults: Fault[] }[] = [
  { command: 'check:types', faults: ['types', 'types of the UI', 'types of the tests of the UI'] },
  { command: 'check:code', faults: ['code', 'import cycle'] },
  { command: 'check', options: ['--only', 'lockfile'], faults: ['lockfile'] },
  { command: 'check', options: ['--only', 'settings'], faults: ['settings page'] },
];
/** With the smallest library, the compiler takes a tenth of the time. */
const TSCONFIG =
  '{ "compilerOptions": { "strict": true, "types": [], "lib": ["es5"] }, "include": ["*.ts"] }\n';
const SOUND_CODE = 'export const answer: number = 42;\n';
const WRONG_TYPE = "export const answer: number = '42';\n";
/** A file that imports a type of the file that imports its own. */
const cyclic = (own: string, other: string, file: string) =>
  `import type { ${other} } from '${file}';\n\nexport interface ${own} {\n  of: ${other};\n}\n`;
const FAULTS = {
  types: { 'sound.ts': WRONG_TYPE },
  'types of the UI': { 'web/sound.ts': WRONG_TYPE },
  'types of the tests of the UI': { 'test/ui/sound.ts': WRONG_TYPE },
  code: { 'loose.ts': 'export var answer:number = 42\n' },
  'import cycle': {
    'question.ts': cyclic('Question', 'Answer', './web/answer.ts'),
    'web/answer.ts': cyclic('Answer', 'Question', '../question.ts'),
  },
  lockfile: {
    'package-lock.json': `${JSON.stringify({
      packages: {
        web: { name: 'web' },
        'node_modules/web': { link: true },
        'node_modules/a': { integrity: 'sha512-a', optionalDependencies: { 'a-linux-x64': '1.0.0' } },
        'node_modules/a/node_modules/b': { version: '1.0.0' },
      },
    })}\n`,
  },
  'settings page': { 'docs/settings.md': 'stale\n' },
};
type Fault = keyof typeof FAULTS;
const FAULT_SAID: Record<Fault, RegExp> = {
  types: /^sound\.ts.*TS2322/m,
  'types of the UI': /^web\/sound\.ts.*TS2322/m,
  'types of the tests of the UI': /^test\/ui\/sound\.ts.*TS2322/m,
  code: /loose\.ts/,
  'import cycle': /question\.ts.*noImportCycles/,
  lockfile: /lacks a-linux-x64, and has no hash of b;/,
  'settings page': /is stale/,
};

/** Writes the smallest checkout for which `npm run check` passes. */
function writeCheckout(folder: string): void {
  writeFiles(folder, {
    'package.json': `${JSON.stringify({ type: 'module' }, null, 2)}\n`,
    'package-lock.json': '{ "packages": {} }\n',
    '.gitignore': 'docs/\n',
  });
  for (const name of ['.', 'web', 'test/ui'])
    writeFiles(path.join(folder, name), { 'tsconfig.json': TSCONFIG, 'sound.ts': SOUND_CODE });
  copyFileSync(path.join(ROOT, 'biome.json'), path.join(folder, 'biome.json'));
  mkdirSync(path.join(folder, 'docs'));
  copyFileSync(path.join(ROOT, 'docs/settings.md'), path.join(folder, 'docs/settings.md'));
}

describe('commands that check a checkout', { timeout: TEST_TIMEOUT_MS }, () => {
  for (const { command, options = [], faults } of CHECK_COMMANDS) {
    it(`"npm run ${[command, ...options].join(' ')}" fails on each of: ${faults.join(', ')}`, async () => {
      for (const fault of faults) {
        using faulty = commandFolder();
        writeCheckout(faulty.path);
        writeFiles(faulty.path, FAULTS[fault]);
        assertFails(await runScript(faulty.path, command, ...options, faulty.path), FAULT_SAID[fault], fault);
      }
    });
  }

  it('"npm run check" passes on a checkout without faults, and names every fault of a checkout that has them all', async () => {
    using folder = commandFolder();
    writeCheckout(folder.path);
    assertPasses(await runScript(folder.path, 'check', folder.path), 'a checkout without a fault');
    for (const files of Object.values(FAULTS)) writeFiles(folder.path, files);
    const outcome = await runScript(folder.path, 'check', folder.path);
    for (const [fault, said] of Object.entries(FAULT_SAID)) assertFails(outcome, said, fault);
  });

  it('"npm run check" fails for an unknown check', async () => {
    using folder = commandFolder();
    assertFails(await runScript(folder.path, 'check', '--only', 'spelling'), /Usage:/, 'an unknown name');
  });

  it('"npm run settings:docs -- --check" fails on a stale page and does not change it', async () => {
    using folder = commandFolder();
    const page = path.join(folder.path, 'settings.md');
    writeFileSync(page, 'stale\n');
    assertFails(await runScript(folder.path, 'settings:docs', '--check', page), /is stale/, 'a stale page');
    assert.equal(readFileSync(page, 'utf8'), 'stale\n');
    assertPasses(await runScript(folder.path, 'settings:docs', page), 'writing the page');
    assert.equal(readFileSync(page, 'utf8'), readFileSync(path.join(ROOT, 'docs/settings.md'), 'utf8'));
  });
});
