import { parseTestArguments } from './run-tests.ts';
import { runOnBothDatabases } from './test-databases.ts';

/**
 * Runs tests on SQLite and then on PostgreSQL: the given files, or every test and, on PostgreSQL, those that touch a
 * database. Both runs go on to their end whatever becomes of the other. Further options go to `node --test`.
 */

const both = parseTestArguments(process.argv.slice(2));
process.exitCode = await runOnBothDatabases(both, { sideBySide: false });
