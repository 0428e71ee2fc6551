import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

const STOP_MS = 5_000;

/** The path of a program in the folders of `PATH`, or null if there is none. */
export function findProgram(...names: readonly string[]): string | null {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
      const candidate = path.join(folder, name);
      try {
        accessSync(candidate, constants.X_OK);
        return candidate;
      } catch {}
    }
  }
  return null;
}

/** Ends a program that this process has started, with the programs that it has started itself. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, name);
    } catch {}
  };
  signal('SIGTERM');
  const timer = setTimeout(() => signal('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
  // Processes that the program has left behind.
  signal('SIGKILL');
}

/** Starts an X server without a screen, for browsers that cannot do without one, and returns its `DISPLAY`. */
export async function startDisplay(parts: AsyncDisposableStack): Promise<string> {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1500x1100x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    detached: true,
  });
  parts.defer(() => stop(server));
  const [number] = await once(server.stdio[3] as NodeJS.ReadableStream, 'data');
  return `:${String(number).trim()}`;
}
