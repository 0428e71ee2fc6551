import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { parseTestArguments, ROOT } from './run-tests.ts';

/**
 * Runs the contract of the message queue over every engine: the database queue and Amazon SQS, each on SQLite and on
 * PostgreSQL, the two databases side by side. Files that are given are run in its place. Each run's report is written
 * when the run is over.
 */

const CONTRACT = ['test/queue/database-queue.test.ts', 'test/queue/sqs-queue.test.ts'];
const RUNS = [
  { database: 'SQLite', script: 'scripts/test.ts' },
  { database: 'PostgreSQL', script: 'scripts/test-postgres.ts' },
];

const { options, files } = parseTestArguments(process.argv.slice(2));
const running = new Set<ChildProcess>();

async function run({ database, script }: (typeof RUNS)[number]): Promise<boolean> {
  const tests = spawn(process.execPath, [script, ...options, ...(files.length > 0 ? files : CONTRACT)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(tests);
  const [[code], out, err] = await Promise.all([
    once(tests, 'close'),
    text(tests.stdout),
    text(tests.stderr),
  ]);
  running.delete(tests);
  process.stdout.write(`\n${database}\n${out}${err}`);
  return code === 0;
}

const end = () => {
  for (const tests of running) tests.kill('SIGTERM');
};
// This process stays until the tests have ended: a terminal's Ctrl-C reaches them by itself.
process
  .on('SIGINT', () => {})
  .on('SIGTERM', end)
  .on('SIGHUP', end);
const passed = await Promise.all(RUNS.map(run));
process.exitCode = passed.every(Boolean) ? 0 : 1;
