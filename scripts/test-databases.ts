import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT, type TestArguments } from './run-tests.ts';

const RUNS = [
  { database: 'SQLite', script: 'scripts/test.ts' },
  { database: 'PostgreSQL', script: 'scripts/test-postgres.ts' },
];

/** A run of tests on one database. */
interface Run {
  database: string;
  tests: ChildProcess;
  /** What it wrote and nobody has seen yet. */
  unseen: Buffer[];
  code: Promise<number>;
}

/**
 * Runs tests on SQLite and on PostgreSQL, each to its end whatever becomes of the other, and reports on SQLite first. Returns
 * the exit code for the command: 0 only if both runs passed.
 * @param sideBySide whether both run at once; tests of a whole service or browser then wait too long for the processor
 */
export async function runOnBothDatabases(
  { options, files }: TestArguments,
  { sideBySide }: { sideBySide: boolean },
): Promise<number> {
  const started: Run[] = [];
  let isInterrupted = false;
  const start = (at: number) => (started[at] ??= startRun(RUNS[at]!, [...options, ...files]));
  // This process stays until the tests have ended. A terminal's Ctrl-C reaches them by itself.
  const interrupt = () => {
    isInterrupted = true;
  };
  const end = () => {
    interrupt();
    for (const { tests } of started) tests.kill('SIGTERM');
  };
  process.on('SIGINT', interrupt).on('SIGTERM', end).on('SIGHUP', end);
  if (sideBySide) for (const at of RUNS.keys()) start(at);
  const results: { database: string; code: number }[] = [];
  for (const at of RUNS.keys()) {
    if (isInterrupted && started[at] === undefined) {
      results.push({ database: RUNS[at]!.database, code: 1 });
      continue;
    }
    const run = start(at);
    process.stdout.write(`\n${run.database}\n`);
    showReport(run);
    results.push({ database: run.database, code: await run.code });
  }
  process.off('SIGINT', interrupt).off('SIGTERM', end).off('SIGHUP', end);
  process.stdout.write(
    `\n${results.map(({ database, code }) => `${database}: ${code === 0 ? 'passed' : 'FAILED'}`).join('\n')}\n`,
  );
  return results.every(({ code }) => code === 0) ? 0 : 1;
}

function startRun({ database, script }: (typeof RUNS)[number], args: readonly string[]): Run {
  const tests = spawn(process.execPath, [script, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const unseen: Buffer[] = [];
  for (const stream of [tests.stdout, tests.stderr]) stream.on('data', (chunk: Buffer) => unseen.push(chunk));
  return { database, tests, unseen, code: once(tests, 'close').then(([code]) => code ?? 1) };
}

/** Writes what a run has written so far, and what it writes from now on. */
function showReport({ tests, unseen }: Run): void {
  for (const chunk of unseen) process.stdout.write(chunk);
  for (const stream of [tests.stdout, tests.stderr])
    stream?.removeAllListeners('data').on('data', (chunk: Buffer) => process.stdout.write(chunk));
}
