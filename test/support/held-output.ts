import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { DEADLINE_MS } from './deadline.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/** What standard output of a program is: `|` of a shell makes a pipe, journald and Node make a socket. */
export type OutputKind = 'pipe' | 'socket';

/** A program whose standard output nobody reads before the test asks for it. */
export interface HeldProgram extends Disposable {
  readonly child: ChildProcess;
  readonly exitCode: Promise<number | null>;
  /** Waits until standard error contains a text. */
  said(text: string): Promise<void>;
  /** Begins to read the log lines on standard output, and ends when the program has. */
  read(): AsyncIterable<LogLine>;
}

/** A parsed line of the log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Starts Node with these arguments. The program is killed on disposal, or if it takes too long. */
export function startHeld(
  kind: OutputKind,
  args: readonly string[],
  { cwd, env }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): HeldProgram {
  using pipe = kind === 'pipe' ? openPipe() : null;
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', pipe?.writeEnd ?? 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env: { ...env } }),
  });
  const exitCode = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  let output: Readable | null = child.stdout;
  return {
    child,
    exitCode,
    said: async (text) => {
      await until(() => {
        assert.ok(child.exitCode === null && child.signalCode === null, `it ended: ${errors}`);
        return errors.includes(text);
      }, `the text ${text} on standard error: ${errors}`);
    },
    async *read() {
      output ??= new Socket({ fd: pipe!.readEnd, readable: true, writable: false });
      for await (const line of createInterface({ input: output })) yield JSON.parse(line);
    },
    [Symbol.dispose]: () => {
      child.kill('SIGKILL');
      if (output !== null) output.destroy();
      else closeSync(pipe!.readEnd);
    },
  };
}

/** A pipe. Its write end is closed on disposal. */
function openPipe(): { readEnd: number; writeEnd: number } & Disposable {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'pipe');
  execFileSync('mkfifo', [file]);
  const readEnd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(file, constants.O_WRONLY);
  return { readEnd, writeEnd, [Symbol.dispose]: () => closeSync(writeEnd) };
}
