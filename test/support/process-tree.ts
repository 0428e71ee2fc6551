import { readdirSync, readFileSync } from 'node:fs';

/** Sends a signal to a process and all its children; Linux only, since it reads `/proc`. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => parentOf(each) === pid);
  // The parent is first, so that it cannot start further children meanwhile.
  for (const each of [pid, ...children]) send(each, signal);
}

/** Sends a signal to a process, unless it has ended. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function parentOf(pid: number): number | null {
  try {
    // The name of a program, in parentheses, may contain spaces.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return Number(parent);
  } catch {
    return null;
  }
}

/** The processes whose command line or environment names a file; Linux only, since it reads `/proc`. */
export function processesAbout(file: string): { pid: number; commandLine: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const commandLine = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const isAbout = (commandLine + readFileSync(`/proc/${name}/environ`, 'utf8')).includes(file);
        return isAbout ? [{ pid: Number(name), commandLine }] : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}
