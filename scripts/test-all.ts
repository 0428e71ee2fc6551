import { allTestFiles, parseTestArguments } from './run-tests.ts';
import { runOnBothDatabases } from './test-databases.ts';
import { testsOnPostgres } from './tests-on-postgres.ts';

/**
 * Runs tests on SQLite and on PostgreSQL: the given files, or every test and, on PostgreSQL, those that touch a database.
 * Tests on either go on to their end whatever becomes of the others. Further options go to `node`.
 */

const { options, files } = parseTestArguments(process.argv.slice(2));
process.exitCode = await runOnBothDatabases({
  options,
  sqlite: files.length > 0 ? files : allTestFiles(),
  postgres: files.length > 0 ? files : testsOnPostgres(),
});
