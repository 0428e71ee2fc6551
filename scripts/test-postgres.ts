import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { makeTemplate, SERVER_VARIABLE } from '../test/support/postgres.ts';
import { startPostgresServer } from '../test/support/postgres-server.ts';
import { allTestFiles, parseTestArguments, ROOT, runTests } from './run-tests.ts';

/**
 * Runs tests on a PostgreSQL server that is started for them: the given files, or every test that reaches the module
 * which knows about that server, except those that say that they need no second database. `--list` shows those and runs nothing. Other options go to `node --test`.
 */

const KNOWS_POSTGRES = path.join(ROOT, 'test/support/postgres.ts');
const IMPORTED = /^\s*(?:import|export)\b[^;'"]*['"](\.[^'"]+)['"]/gm;
/** In a comment of its own, followed by the reason. */
const NEEDS_ONE_DATABASE = /^\/\/ Runs on SQLite alone: /m;

/** More files at once than `node` takes by itself on a small machine, since they wait for the server most of the time. */
const FILES_AT_ONCE = Math.max(3, availableParallelism());

function testsOnPostgres(): string[] {
  const reaches = new Map<string, boolean>();
  const doesReach = (file: string): boolean => {
    if (file === KNOWS_POSTGRES) return true;
    const known = reaches.get(file);
    if (known !== undefined) return known;
    reaches.set(file, false);
    // The text of a test may hold what looks like an import.
    if (!existsSync(file)) return false;
    const imported = [...readFileSync(file, 'utf8').matchAll(IMPORTED)].map(([, name]) =>
      path.join(path.dirname(file), name!),
    );
    const result = imported.some((each) => each.endsWith('.ts') && doesReach(each));
    reaches.set(file, result);
    return result;
  };
  return (
    allTestFiles()
      // What the browser shows does not depend on the engine behind the same answers.
      .filter((file) => !file.startsWith('test/ui/') && doesReach(path.join(ROOT, file)))
      .filter((file) => !NEEDS_ONE_DATABASE.test(readFileSync(path.join(ROOT, file), 'utf8')))
  );
}

const { options, files } = parseTestArguments(process.argv.slice(2));
if (options.includes('--list')) {
  console.log(testsOnPostgres().join('\n'));
} else {
  const tests = files.length > 0 ? files : testsOnPostgres();
  await using server = await startPostgresServer();
  await makeTemplate(server.url);
  process.exitCode = await runTests(
    { options: [`--test-concurrency=${FILES_AT_ONCE}`, ...options], files: tests },
    { [SERVER_VARIABLE]: server.url },
  );
}
