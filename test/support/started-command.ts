import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { TEST_TIMEOUT_MS } from './deadline.ts';
import { ROOT } from './npm-scripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A command that runs. */
export interface Run extends AsyncDisposable {
  child: ChildProcess;
  /** What it has written so far. */
  output: { stdout: string; stderr: string };
  /** What it has left in the folder for temporary ones. */
  left(): string[];
  /** Its exit code once it has ended. */
  ended(): Promise<number | null>;
}

/** Starts a command with a folder of its own for temporary files; it is stopped when disposed of. */
export function startCommand(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Run {
  const folder = temporaryFolder();
  const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...env, TMPDIR: folder.path } });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const closed = once(child, 'close', { signal: AbortSignal.timeout(TEST_TIMEOUT_MS) });
  closed.catch(() => {});
  return {
    child,
    output,
    left: () => readdirSync(folder.path).filter((name) => name.startsWith('coursewire-')),
    ended: async () => ((await closed) as [number | null])[0],
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      folder[Symbol.dispose]();
    },
  };
}
