import { availableParallelism } from 'node:os';
import { makeTemplate, SERVER_VARIABLE } from '../../../test/support/postgres.ts';
import { startPostgresServer } from '../../../test/support/postgres-server.ts';
import { keepTemporaryFilesInMemory } from '../../memory-folder.ts';
import { runsOnSqliteAlone, testsOnPostgres } from '../postgres-files.ts';
import { parseTestArguments, runTests } from '../run.ts';

/**
 * Runs tests on a PostgreSQL server that is started for them: the given files, or all tests that import the module of
 * that server, directly or indirectly. Tests marked as running on SQLite alone are omitted, even if they are given. The
 * command fails if no others are given. `--list` prints the files and runs nothing. Other options are passed to
 * `node --test`.
 */

/** More concurrent files than `node` would choose on a small machine, because they mostly wait for the server. */
const FILES_AT_ONCE = Math.max(3, availableParallelism());

const { options, files } = parseTestArguments(process.argv.slice(2));
const omitted = files.filter(runsOnSqliteAlone);
const given = files.filter((file) => !omitted.includes(file));
if (omitted.length > 0)
  console.error(
    `Omitted, because they run on SQLite alone: ${omitted.join(', ')}. Run them with "npm run test:only".`,
  );
if (files.length > 0 && given.length === 0) {
  process.exitCode = 1;
} else if (options.includes('--list')) {
  console.log(testsOnPostgres().join('\n'));
} else {
  const tests = given.length > 0 ? given : testsOnPostgres();
  using _inMemory = keepTemporaryFilesInMemory();
  await using server = await startPostgresServer();
  await makeTemplate(server.url);
  process.exitCode = await runTests(
    { options: [`--test-concurrency=${FILES_AT_ONCE}`, ...options], files: tests },
    { [SERVER_VARIABLE]: server.url },
  );
}
