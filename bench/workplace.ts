import { type ChildProcess, type ForkOptions, fork, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
const PROJECT_FOLDER = fileURLToPath(new URL('..', import.meta.url));

/** Processes that were started with a group of their own. */
const groups = new WeakSet<ChildProcess>();

/**
 * A temporary folder and the started processes. Both are removed when the benchmark ends, even if it is interrupted.
 */
export class Workplace implements AsyncDisposable {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'coursewire-bench-'));
  readonly #running = new Set<ChildProcess>();

  /** Starts one of the benchmark's programs, with a channel for messages. */
  fork(program: string, args: readonly string[], options: ForkOptions = {}): ChildProcess {
    const file = fileURLToPath(new URL(program, import.meta.url));
    return this.#keep(fork(file, args, { execArgv: [], ...options }));
  }

  /** Starts Node with these arguments in the project's folder. */
  spawnNode(args: readonly string[], options: SpawnOptions): ChildProcess {
    return this.#keep(spawn(process.execPath, args, { cwd: PROJECT_FOLDER, ...options }));
  }

  /**
   * Runs an npm command in the project's folder, as in a terminal: without the environment that npm gives to this
   * process. The command and its processes are one group.
   */
  spawnNpm(args: readonly string[], { env, ...options }: SpawnOptions): ChildProcess {
    const folders = (process.env.PATH ?? '').split(path.delimiter);
    const child = spawn('npm', args, {
      cwd: PROJECT_FOLDER,
      detached: true,
      ...options,
      env: {
        PATH: folders.filter((folder) => !folder.includes('node_modules')).join(path.delimiter),
        HOME: process.env.HOME,
        // Asks the registry.
        npm_config_update_notifier: 'false',
        ...env,
      },
    });
    groups.add(child);
    return this.#keep(child);
  }

  /** Ends the processes and removes the folder immediately, from a signal handler. */
  abandon(): void {
    for (const child of this.#running) kill(child, 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((child) => endProcess(child, 'SIGKILL')));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #keep(child: ChildProcess): ChildProcess {
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return child;
  }
}

/** Asks a process to end and waits for it. Kills it after `deadlineMs`. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals, deadlineMs = 0): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  kill(child, signal);
  const patience = deadlineMs > 0 ? setTimeout(() => kill(child, 'SIGKILL'), deadlineMs) : undefined;
  await ended;
  clearTimeout(patience);
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (groups.has(child) && child.pid !== undefined) process.kill(-child.pid, signal);
  else child.kill(signal);
}
