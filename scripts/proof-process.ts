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

const REPORTER = './scripts/test-results-reporter.js';

/** What the tests of a proof found. */
export interface ProofOutcome {
  result: ProofResult;
  /** What they did not check, a line each. */
  notes: string;
  /** The names of those that failed, each with the reason. */
  failures: readonly string[];
}

/**
 * Runs the test files of a proof, one after another, until one fails. Each file runs in its own process group, so that none of its
 * processes remains when it ends.
 */
export async function runProof(
  files: readonly string[],
  environment: NodeJS.ProcessEnv,
  { reports, ...options }: ProofOptions,
): Promise<ProofOutcome> {
  const [notesFile, resultsFile] = [path.join(reports, 'notes'), path.join(reports, 'results')];
  const notes = () => textOf(notesFile);
  let hasRun = false;
  for (const file of files) {
    const surroundings = { ...environment, PROOF_NOTES: notesFile };
    if (options.signal.aborted) return { result: 'FAILED', notes: notes(), failures: [] };
    const code = await runFile(file, surroundings, { ...options, resultsFile });
    const results = resultsIn(resultsFile);
    if (code !== 0) {
      const failures = failuresOf(results);
      if (failures.length === 0 && !options.signal.aborted)
        failures.push(`${file}: exit code ${code} without a failed test`);
      return { result: 'FAILED', notes: notes(), failures };
    }
    hasRun ||= results.length > 0;
  }
  const result = !hasRun ? 'not checked' : notes() === '' ? 'passed' : 'in part';
  return { result, notes: notes(), failures: [] };
}

/** A test that ran: whether it passed, its name, and the reason if it failed. */
type TestResult = ['passed' | 'failed', string, string?];

/** What `test-results-reporter.js` wrote. The last line is unfinished if the tests were ended. */
function resultsIn(file: string): TestResult[] {
  const lines = textOf(file).split('\n').slice(0, -1);
  return lines.map((line): TestResult => JSON.parse(line));
}

function failuresOf(results: readonly TestResult[]): string[] {
  return results.filter(([what]) => what === 'failed').map(([, name, reason]) => `${name}: ${reason}`);
}

/** The text of a file, empty if it does not exist. */
function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

async function runFile(
  file: string,
  environment: NodeJS.ProcessEnv,
  { write, signal, resultsFile }: Omit<ProofOptions, 'reports'> & { resultsFile: string },
): Promise<number> {
  // Inside a test this variable would have the file report to the test's own runner.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const reporters = [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${resultsFile}`],
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
