import { buildService } from '../../build-service.ts';
import { runOnBothDatabases } from '../both-databases.ts';
import { testsOnPostgres } from '../postgres-files.ts';
import { allTestFiles, parseTestArguments, ROOT } from '../run.ts';

/**
 * Runs tests on SQLite and on PostgreSQL: the given files, or all tests and, on PostgreSQL, those that use a database.
 * The tests on one engine finish even if those on the other fail. Other options are passed to `node`.
 */

// Tests start more than a hundred services, each in two thirds of the time if it runs from a bundle of the current sources.
await buildService(ROOT);
const { options, files } = parseTestArguments(process.argv.slice(2));
process.exitCode = await runOnBothDatabases({
  options,
  sqlite: files.length > 0 ? files : allTestFiles(),
  postgres: files.length > 0 ? files : testsOnPostgres(),
});
