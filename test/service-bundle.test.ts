import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { bundlesFolder, PACKAGE_FILES } from '../bin/service-bundle.js';
import { MINUTE_MS, SECOND_MS } from '../src/time/units.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const ROOT = path.join(import.meta.dirname, '..');
const MAIN = `
import { Type } from 'typebox';
import { greeting } from './greetings/greeting.ts';
console.log(greeting, Type.String().type, import.meta.dirname);
if (process.argv.includes('fail')) throw new Error('on line 5');
`;

/** Prints at the end how often folders were listed, before a program that runs after it. */
const COUNT_LISTINGS = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  let listings = 0;
  const { readdirSync } = fs;
  fs.readdirSync = (...args) => {
    listings += 1;
    return readdirSync(...args);
  };
  syncBuiltinESMExports();
  process.on('exit', () => console.log(listings));
`)}`;

/** A small installation that starts as this program does, with packages of this checkout. */
function installation() {
  const folder = temporaryFolder();
  const at = (...names: string[]) => path.join(folder.path, ...names);
  const write = (file: string, text: string) => writeFileSync(at(file), text);
  for (const each of ['src/greetings', 'node_modules', 'scripts']) mkdirSync(at(each), { recursive: true });
  for (const each of ['bin', 'scripts/build-service.ts', ...PACKAGE_FILES])
    cpSync(path.join(ROOT, each), at(each), { recursive: true });
  for (const each of readdirSync(path.join(ROOT, 'node_modules')).filter((name) => name !== '.cache'))
    symlinkSync(path.join(ROOT, 'node_modules', each), at('node_modules', each));
  write('src/main.ts', MAIN);
  write('src/greetings/greeting.ts', "export const greeting: string = 'hello';\n");
  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: folder.path, encoding: 'utf8', env: {} });
  return {
    write,
    path: folder.path,
    start: (...args: string[]) => run('bin/coursewire.js', ...args),
    build() {
      const { status, stderr } = run('scripts/build-service.ts');
      assert.equal(status, 0, stderr);
    },
    /** Builds the bundle. Returns how often, at least, the sources were read to name it. */
    buildAndCount: () => Number(run('--import', COUNT_LISTINGS, 'scripts/build-service.ts').stdout),
    bundles: () => readdirSync(bundlesFolder(folder.path)),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe('the program', () => {
  it('starts from its bundle, whose modules have the paths of their sources', () => {
    using program = installation();
    const fromSources = program.start().stdout;
    assert.equal(fromSources, `hello string ${path.join(program.path, 'src')}\n`);
    program.build();
    const [bundle] = program.bundles();
    const main = path.join(bundlesFolder(program.path), bundle!, 'main.mjs');
    writeFileSync(main, readFileSync(main, 'utf8').replace('hello', 'bundled'));
    assert.equal(program.start().stdout, fromSources.replace('hello', 'bundled'));
  });

  it('is bundled without reading all sources again for each module', () => {
    using program = installation();
    const listings = program.buildAndCount();
    assert.ok(listings > 0 && listings < 10, `folders were listed ${listings} times`);
    assert.equal(program.bundles().length, 1);
  });

  it('starts from sources that have changed since they were bundled', () => {
    using program = installation();
    program.build();
    program.write('src/greetings/greeting.ts', "export const greeting: string = 'good morning';\n");
    assert.match(program.start().stdout, /^good morning /);
    program.build();
    assert.match(program.start().stdout, /^good morning /);
    assert.equal(program.bundles().length, 2);
  });

  it('is bundled again after an update of packages, even of those that only other packages use', () => {
    using program = installation();
    program.build();
    program.write('package-lock.json', '{ "lockfileVersion": 3 }');
    program.build();
    assert.equal(program.bundles().length, 2);
  });

  it('starts while an editor keeps a link to nothing among the sources', () => {
    using program = installation();
    program.build();
    symlinkSync('ann@laptop.4711', path.join(program.path, 'src/.#main.ts'));
    const { status, stdout } = program.start();
    assert.equal(status, 0);
    assert.match(stdout, /^hello /);
  });

  it('keeps the bundles of former sources for an hour', () => {
    using program = installation();
    program.build();
    const [former] = program.bundles();
    const ageBy = (minutes: number) => {
      const then = (Date.now() - minutes * MINUTE_MS) / SECOND_MS;
      utimesSync(path.join(bundlesFolder(program.path), former!), then, then);
    };
    ageBy(59);
    program.write('src/greetings/greeting.ts', "export const greeting: string = 'good morning';\n");
    program.build();
    assert.ok(program.bundles().includes(former!));
    ageBy(61);
    program.write('src/greetings/greeting.ts', "export const greeting: string = 'good evening';\n");
    program.build();
    assert.ok(!program.bundles().includes(former!));
    assert.equal(program.bundles().length, 2);
  });

  it('names the lines of the sources in errors of its bundle', () => {
    using program = installation();
    program.build();
    const { stderr } = program.start('fail');
    assert.match(stderr, /src\/main\.ts:5/);
    assert.doesNotMatch(stderr, /main\.mjs/);
  });
});
