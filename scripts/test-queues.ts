import { parseTestArguments } from './run-tests.ts';
import { runOnBothDatabases } from './test-databases.ts';

/**
 * Runs the contract of the message queue over every engine: the database queue and Amazon SQS, each on SQLite and on
 * PostgreSQL. Files that are given are run in its place. Further options go to `node`.
 */

const CONTRACT = ['test/queue/database-queue.test.ts', 'test/queue/sqs-queue.test.ts'];

const { options, files } = parseTestArguments(process.argv.slice(2));
const tests = files.length > 0 ? files : CONTRACT;
process.exitCode = await runOnBothDatabases({ options, sqlite: tests, postgres: tests });
