import { parseTestArguments } from './run-tests.ts';
import { runOnBothDatabases } from './test-databases.ts';

/**
 * Runs the contract of the message queue over every engine: the database queue and Amazon SQS, each on SQLite and on
 * PostgreSQL. Files that are given are run in its place. Options go to `node --test`.
 */

const CONTRACT = ['test/queue/database-queue.test.ts', 'test/queue/sqs-queue.test.ts'];

const { options, files } = parseTestArguments(process.argv.slice(2));
process.exitCode = await runOnBothDatabases(
  { options, files: files.length > 0 ? files : CONTRACT },
  { sideBySide: true },
);
