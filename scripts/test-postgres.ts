import { availableParallelism } from 'node:os';
import { makeTemplate, SERVER_VARIABLE } from '../test/support/postgres.ts';
import { startPostgresServer } from '../test/support/postgres-server.ts';
import { keepTemporaryFilesInMemory } from './memory-folder.ts';
import { parseTestArguments, runTests } from './run-tests.ts';
import { testsOnPostgres } from './tests-on-postgres.ts';

/**
 * Runs tests on a PostgreSQL server that is started for them: the given files, or every test that reaches the module
 * which knows about that server, except those that say that they need no second database. `--list` shows those and runs nothing. Other options go to `node --test`.
 */

/** More files at once than `node` takes by itself on a small machine, since they wait for the server most of the time. */
const FILES_AT_ONCE = Math.max(3, availableParallelism());

const { options, files } = parseTestArguments(process.argv.slice(2));
if (options.includes('--list')) {
  console.log(testsOnPostgres().join('\n'));
} else {
  const tests = files.length > 0 ? files : testsOnPostgres();
  using _inMemory = keepTemporaryFilesInMemory();
  await using server = await startPostgresServer();
  await makeTemplate(server.url);
  process.exitCode = await runTests(
    { options: [`--test-concurrency=${FILES_AT_ONCE}`, ...options], files: tests },
    { [SERVER_VARIABLE]: server.url },
  );
}
