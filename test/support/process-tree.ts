import { readdirSync, readFileSync } from 'node:fs';

/** Sends a signal to a process and all its children; Linux only, since it reads `/proc`. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => parentOf(each) === pid);
  // The parent first: it must not start further children meanwhile.
  for (const each of [pid, ...children]) process.kill(each, signal);
}

function parentOf(pid: number): number | null {
  try {
    // The name of a program, in parentheses, may hold spaces.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return Number(parent);
  } catch {
    return null;
  }
}
