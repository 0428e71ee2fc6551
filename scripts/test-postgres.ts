import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { makeTemplate, SERVER_VARIABLE } from '../test/support/postgres.ts';
import { startPostgresServer } from '../test/support/postgres-server.ts';

/**
 * Runs tests on a PostgreSQL server that is started for them: the given files, or every test that reaches the module
 * which knows about that server. Options for `node --test` stand before the files.
 */

const ROOT = path.join(import.meta.dirname, '..');
const KNOWS_POSTGRES = path.join(ROOT, 'test/support/postgres.ts');
const IMPORTED = /^\s*(?:import|export)\b[^;'"]*['"](\.[^'"]+)['"]/gm;

/** Files at once: more than `node` takes by itself on a small machine, since they wait for the server most of the time. */
const AT_ONCE = Math.max(3, availableParallelism());

function testsOnPostgres(): string[] {
  const reaches = new Map<string, boolean>();
  const doesReach = (file: string): boolean => {
    if (file === KNOWS_POSTGRES) return true;
    const known = reaches.get(file);
    if (known !== undefined) return known;
    reaches.set(file, false);
    const imported = [...readFileSync(file, 'utf8').matchAll(IMPORTED)].map(([, name]) =>
      path.join(path.dirname(file), name!),
    );
    const result = imported.some((each) => each.endsWith('.ts') && doesReach(each));
    reaches.set(file, result);
    return result;
  };
  return (
    globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: ROOT })
      // What the browser shows does not depend on the engine behind the same answers.
      .filter((file) => !file.startsWith('test/ui/') && doesReach(path.join(ROOT, file)))
      .sort()
  );
}

const given = process.argv.slice(2);
const files = given.some((argument) => !argument.startsWith('-')) ? [] : testsOnPostgres();

await using server = await startPostgresServer();
await makeTemplate(server.url);
const tests = spawn(
  process.execPath,
  ['--import', './bin/compile-cache.js', '--test', `--test-concurrency=${AT_ONCE}`, ...given, ...files],
  {
    cwd: ROOT,
    env: { ...process.env, [SERVER_VARIABLE]: server.url },
    stdio: 'inherit',
  },
);
// This process stays until the tests and the server have ended: a terminal's Ctrl-C reaches the tests by itself.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => tests.kill('SIGTERM'));
process.on('SIGHUP', () => tests.kill('SIGTERM'));
const [code] = await once(tests, 'close');
process.exitCode = code ?? 1;
