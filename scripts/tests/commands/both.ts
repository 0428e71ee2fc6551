import { buildService } from '../../build-service.ts';
import { runOnBothDatabases } from '../both-databases.ts';
import { testsNeededOnPostgres } from '../postgres-files.ts';
import { allTestFiles, parseTestArguments, ROOT } from '../run.ts';

/**
 * Runs tests on SQLite and on PostgreSQL: the given files, or all tests and, on PostgreSQL, those that use a database and
 * do more than repeat others. The tests on one engine finish even if those on the other fail. `--list` prints the files
 * for PostgreSQL and runs nothing. Other options are passed to `node`.
 */

const { options, files } = parseTestArguments(process.argv.slice(2));
const postgres = files.length > 0 ? files : testsNeededOnPostgres();
if (options.includes('--list')) {
  console.log(postgres.join('\n'));
} else {
  // Tests start more than a hundred services, each in two thirds of the time if it runs from a bundle of the current sources.
  await buildService(ROOT);
  const sqlite = files.length > 0 ? files : allTestFiles();
  process.exitCode = await runOnBothDatabases({ options, sqlite, postgres });
}
