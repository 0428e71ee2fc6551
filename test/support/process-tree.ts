import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const KILL_DEADLINE_MS = 10_000;
const KILL_POLL_MS = 10;
/** The state of a process that has ended and whose parent has not noticed. */
const ENDED = 'Z';

/** Sends a signal to a process and all its children; Linux only, since it reads `/proc`. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  const children = processIds().filter((each) => statusOf(each)?.parent === pid);
  // The parent is first, so that it cannot start further children in the meantime.
  for (const each of [pid, ...children]) send(each, signal);
}

/**
 * Kills a process that was started with `detached`, and those that it has left in its group. On Linux it returns once they
 * have ended.
 *
 * @throws {Error} when some have not ended after ten seconds
 */
export function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined || process.platform === 'win32') return;
  send(-pid, 'SIGKILL');
  if (process.platform !== 'linux') return;
  const deadline = performance.now() + KILL_DEADLINE_MS;
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  while (processIds().some((each) => isRunningIn(each, pid))) {
    if (performance.now() > deadline) throw new Error(`processes of group ${pid} did not end`);
    Atomics.wait(nothing, 0, 0, KILL_POLL_MS);
  }
}

/** Sends a signal to a process, or with a negative id to a group, unless it has ended. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether a process is in a group, and has not ended. */
function isRunningIn(pid: number, group: number): boolean {
  const status = statusOf(pid);
  return status !== null && status.group === group && status.state !== ENDED;
}

/** The state of a process, its parent and its group; null if the process does not exist. */
function statusOf(pid: number): { state: string; parent: number; group: number } | null {
  try {
    // The name of a program, in parentheses, may contain spaces.
    const [state, parent, group] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return { state: state!, parent: Number(parent), group: Number(group) };
  } catch {
    return null;
  }
}

function processIds(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** The processes whose command line or environment names a file; Linux only, since it reads `/proc`. */
export function processesAbout(file: string): { pid: number; commandLine: string }[] {
  return processIds().flatMap((pid) => {
    try {
      const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const isAbout = (commandLine + readFileSync(`/proc/${pid}/environ`, 'utf8')).includes(file);
      return isAbout ? [{ pid, commandLine }] : [];
    } catch {
      // It has ended in the meantime.
      return [];
    }
  });
}
