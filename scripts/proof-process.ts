import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { killGroup } from '../test/support/process-tree.ts';
import { NODE_OPTIONS, ROOT } from './tests/run.ts';

/** How the tests of a proof ended. `not checked`: nothing ran. `in part`: the notes say what did not. */
export type ProofResult = 'passed' | 'in part' | 'not checked' | 'FAILED';

/** How {@link runProof} runs the tests. */
interface ProofOptions {
  /** An existing, empty folder for the reports of the tests. */
  reports: string;
  /** Receives the output. Null: the outputs of this process do. */
  write: ((text: string) => void) | null;
  /** Stops the tests when it is aborted. The call resolves once they have ended. */
  signal: AbortSignal;
}

const REPORTER = './scripts/passed-tests-reporter.js';

/**
 * Runs the test files of a proof, one after another, until one fails. Each file runs in its own process group, so that none of its
 * processes remains when it ends.
 *
 * @returns the result, and the notes about what the tests did not check
 */
export async function runProof(
  files: readonly string[],
  environment: NodeJS.ProcessEnv,
  { reports, ...options }: ProofOptions,
): Promise<{ result: ProofResult; notes: string }> {
  const [notesFile, passedFile] = [path.join(reports, 'notes'), path.join(reports, 'passed')];
  const notes = () => textOf(notesFile);
  let passed = '';
  for (const file of files) {
    const surroundings = { ...environment, PROOF_NOTES: notesFile };
    const isPassed =
      !options.signal.aborted && (await runFile(file, surroundings, { ...options, passedFile })) === 0;
    if (!isPassed) return { result: 'FAILED', notes: notes() };
    passed += textOf(passedFile);
  }
  if (passed === '') return { result: 'not checked', notes: notes() };
  return { result: notes() === '' ? 'passed' : 'in part', notes: notes() };
}

/** The text of a file, empty if it does not exist. */
function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

async function runFile(
  file: string,
  environment: NodeJS.ProcessEnv,
  { write, signal, passedFile }: Omit<ProofOptions, 'reports'> & { passedFile: string },
): Promise<number> {
  // Inside a test this variable would have the file report to the test's own runner.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const reporters = [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${passedFile}`],
  ];
  const tests = spawn(process.execPath, [...NODE_OPTIONS, ...reporters, file], {
    cwd: ROOT,
    env: { ...inherited, ...environment },
    stdio: write === null ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [tests.stdout, tests.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => write?.(text));
  // PostgreSQL servers are in groups of their own. The tests stop them when they get this signal.
  const stop = () => void tests.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  const closed = once(tests, 'close');
  try {
    const [code] = await once(tests, 'exit');
    return code ?? 1;
  } finally {
    signal.removeEventListener('abort', stop);
    killGroup(tests);
    await closed;
  }
}
