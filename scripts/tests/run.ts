import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import path from 'node:path';
import { testPrograms } from './processes.ts';

/** The checkout that the tests are of. */
export const ROOT = path.join(import.meta.dirname, '../..');

const EVERY_TEST = ['src/**/*.test.ts', 'test/**/*.test.ts'];

/**
 * Options for `node` with which every test runs. Following links takes a seventh of the time in which a process loads the
 * service, and no module is behind one.
 */
export const NODE_OPTIONS = [
  '--preserve-symlinks',
  '--preserve-symlinks-main',
  '--import',
  './bin/compile-cache.js',
  '--import',
  './scripts/light-test-hooks.js',
];

/**
 * Variables with which every test runs. Tests start programs such as the demo and these scripts, which keep no cache of
 * compiled modules by themselves. Compiling them took most of their start.
 */
export const TEST_ENVIRONMENT = { NODE_COMPILE_CACHE: path.join(ROOT, 'node_modules/.cache/coursewire') };

/** The arguments of a test command: options for `node --test` (`--name=value`), and files. */
export interface TestArguments {
  options: string[];
  files: string[];
}

/** Reads the arguments of a test command. */
export function parseTestArguments(args: readonly string[]): TestArguments {
  return {
    options: args.filter((argument) => argument.startsWith('-')),
    files: args.filter((argument) => !argument.startsWith('-')),
  };
}

/** Every test file of the checkout, by path from its root, in order. */
export function allTestFiles(): string[] {
  return globSync(EVERY_TEST, { cwd: ROOT })
    .map((file) => file.replaceAll(path.sep, '/'))
    .sort();
}

/**
 * Runs test files, some of them several in a process, and returns the exit code of the command: 0 only if tests ran and all of them
 * passed. Stays until the tests have ended, even after a signal, so that the caller can clean up after them.
 *
 * @param options.write receives the output of the tests, instead of the outputs of this process
 */
export async function runTests(
  { options, files }: TestArguments,
  environment: NodeJS.ProcessEnv = {},
  { write = null }: { write?: ((text: string) => void) | null } = {},
): Promise<number> {
  if (files.length === 0) {
    console.error('there are no tests to run');
    return 1;
  }
  // Inside a test this variable would have `node` skip every file, and pass.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  using programs = testPrograms(files, ROOT);
  const tests = spawn(process.execPath, [...NODE_OPTIONS, '--test', ...options, ...programs.files], {
    cwd: ROOT,
    env: { ...inherited, ...TEST_ENVIRONMENT, ...environment },
    stdio: write === null ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [tests.stdout, tests.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => write?.(text));
  const end = () => tests.kill('SIGTERM');
  // A terminal's Ctrl-C reaches the tests by itself.
  const stay = () => {};
  process.on('SIGINT', stay).on('SIGTERM', end).on('SIGHUP', end);
  try {
    const [code] = await once(tests, 'close');
    return code ?? 1;
  } finally {
    process.off('SIGINT', stay).off('SIGTERM', end).off('SIGHUP', end);
  }
}
