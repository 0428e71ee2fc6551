import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, createReadStream, openSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { DEADLINE_MS } from './deadline.ts';
import type { LogLine } from './logs.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

/**
 * The kinds of standard output: a shell's `|` makes a pipe, journald and Node make a socket, and `docker run -t` and
 * ssh make a terminal.
 */
export const OUTPUT_KINDS = ['pipe', 'socket', 'terminal'] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

/** Why this machine cannot make such an output; false if it can. */
export function whyNot(kind: OutputKind): string | false {
  if (kind !== 'terminal') return false;
  if (process.platform !== 'linux') return 'the terminal is opened as on Linux';
  const { error } = spawnSync('perl', ['-e', '1']);
  return error === undefined ? false : 'perl, which opens the terminal, is missing';
}

/** Connects standard output to the terminal whose other end is descriptor 3, and becomes the program in the arguments. */
const ON_TERMINAL = `
  use Fcntl;
  open my $end, '+<&=', 3 or die $!;
  my ($locked, $number) = (pack('i', 0), pack('i', 0));
  ioctl $end, 0x40045431, $locked or die $!;
  ioctl $end, 0x80045430, $number or die $!;
  sysopen my $terminal, '/dev/pts/' . unpack('i', $number), O_WRONLY | O_NOCTTY or die $!;
  open STDOUT, '>&', $terminal or die $!;
  close $terminal;
  close $end;
  exec @ARGV or die $!;
`;

/** A program whose standard output nobody reads before the test asks for it. */
export interface HeldProgram extends Disposable {
  readonly child: ChildProcess;
  readonly exitCode: Promise<number | null>;
  /** Everything on standard error, after the program has ended. */
  errors(): Promise<string>;
  /** Waits until standard error contains a text. */
  said(text: string): Promise<void>;
  /** Begins to read the log lines on standard output, and ends when the program has. */
  read(): AsyncIterable<LogLine>;
}

/** Starts Node with these arguments. The program is killed on disposal, or if it takes too long. */
export function startHeld(
  kind: OutputKind,
  args: readonly string[],
  { cwd, env }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): HeldProgram {
  using pipe = kind === 'pipe' ? openPipe() : null;
  const terminal = kind === 'terminal' ? openSync('/dev/ptmx', constants.O_RDWR | constants.O_NOCTTY) : null;
  const [command, ...commandArgs] =
    terminal === null ? [process.execPath, ...args] : ['perl', '-e', ON_TERMINAL, process.execPath, ...args];
  const child = spawn(command!, commandArgs, {
    stdio: ['ignore', pipe?.writeEnd ?? 'pipe', 'pipe', ...(terminal === null ? [] : [terminal])],
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
  const closed = once(child.stderr!, 'close');
  let output: Readable | null = terminal === null ? child.stdout : null;
  return {
    child,
    exitCode,
    errors: async () => {
      await closed;
      return errors;
    },
    said: async (text) => {
      await until(() => {
        assert.ok(child.exitCode === null && child.signalCode === null, `it ended: ${errors}`);
        return errors.includes(text);
      }, `the text ${text} on standard error: ${errors}`);
    },
    async *read() {
      output ??=
        terminal === null
          ? new Socket({ fd: pipe!.readEnd, readable: true, writable: false })
          : Readable.from(textOf(terminal));
      for await (const line of createInterface({ input: output })) yield JSON.parse(line);
    },
    [Symbol.dispose]: () => {
      child.kill('SIGKILL');
      if (output !== null) output.destroy();
      else closeSync(terminal ?? pipe!.readEnd);
    },
  };
}

/** What programs write to a terminal. Once none of them uses it any more, reading fails. */
async function* textOf(terminal: number): AsyncIterable<Buffer> {
  try {
    yield* createReadStream('', { fd: terminal });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EIO') throw error;
  }
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
