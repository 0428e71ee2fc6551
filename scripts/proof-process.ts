import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { killGroup } from '../test/support/process-tree.ts';
import { NODE_OPTIONS, ROOT } from './tests/run.ts';

/**
 * Runs the test files of a proof, one after another, and returns the exit code: 0 only if all of them passed. Each file runs in
 * its own process group, so that none of its processes remains when it ends.
 *
 * @param options.write receives the output. @defaultValue the outputs of this process
 * @param options.signal stops the tests when it is aborted. The call resolves once they have ended
 */
export async function runProof(
  files: readonly string[],
  environment: NodeJS.ProcessEnv,
  { write, signal }: { write: ((text: string) => void) | null; signal: AbortSignal },
): Promise<number> {
  for (const file of files) {
    if (signal.aborted) return 1;
    const code = await runFile(file, environment, { write, signal });
    if (code !== 0) return code;
  }
  return 0;
}

async function runFile(
  file: string,
  environment: NodeJS.ProcessEnv,
  { write, signal }: { write: ((text: string) => void) | null; signal: AbortSignal },
): Promise<number> {
  // Inside a test this variable would have the file report to the test's own runner.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const tests = spawn(process.execPath, [...NODE_OPTIONS, '--test-reporter=spec', file], {
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
