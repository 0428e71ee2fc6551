import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * Runs the contract of the message queue over every engine: the database queue and Amazon SQS, each on SQLite and on
 * PostgreSQL, the two databases side by side. Each run's report is written when it is over.
 */

const ROOT = path.join(import.meta.dirname, '..');
const FILES = ['test/queue/database-queue.test.ts', 'test/queue/sqs-queue.test.ts'];
const RUNS = [
  { database: 'SQLite', command: ['--test', ...FILES] },
  { database: 'PostgreSQL', command: ['scripts/test-postgres.ts', ...FILES] },
];

const running = new Set<ChildProcess>();

async function run({ database, command }: (typeof RUNS)[number]): Promise<boolean> {
  const tests = spawn(process.execPath, command, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(tests);
  const [[code], out, err] = await Promise.all([
    once(tests, 'close'),
    text(tests.stdout),
    text(tests.stderr),
  ]);
  process.stdout.write(`\n${database}\n${out}${err}`);
  return code === 0;
}

const endTests = () => {
  for (const tests of running) tests.kill('SIGTERM');
};
// This process stays until the tests have ended: a terminal's Ctrl-C reaches them by itself.
process
  .on('SIGINT', () => {})
  .on('SIGTERM', endTests)
  .on('SIGHUP', endTests);
const passed = await Promise.all(RUNS.map(run));
process.exitCode = passed.every(Boolean) ? 0 : 1;
