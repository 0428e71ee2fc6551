import { runOnBothDatabases } from '../both-databases.ts';
import { parseTestArguments } from '../run.ts';

/**
 * Runs the contract tests of the message queue on every engine: the database queue and Amazon SQS, each on SQLite and
 * on PostgreSQL. Given files are run instead of the contract tests. Other options are passed to `node`.
 */

const CONTRACT = ['test/queue/database-queue.test.ts', 'test/queue/sqs-queue.test.ts'];

const { options, files } = parseTestArguments(process.argv.slice(2));
const tests = files.length > 0 ? files : CONTRACT;
process.exitCode = await runOnBothDatabases({ options, sqlite: tests, postgres: tests });
