import { readFileSync } from 'node:fs';

/** Clock ticks per second of Linux on every machine that Node runs on. */
const MS_PER_TICK = 10;

/**
 * The user and system time that a process has used in all its threads, in milliseconds; null if the system does not
 * report it.
 */
function cpuMsOf(pid: number | undefined): number | null {
  try {
    // The name, in brackets, may contain anything. User and system time are the 12th and 13th field after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    // Not Linux.
    return null;
  }
}

/** Returns a function that reads how much CPU time a process has used since now; null if the system does not report it. */
export function cpuSince(pid: number | undefined): () => number | null {
  const before = cpuMsOf(pid);
  return () => {
    const now = cpuMsOf(pid);
    return before === null || now === null ? null : now - before;
  };
}

/** The CPU time of one unit of work as a share of another's; null if one is unknown or too short to be measured. */
export function cpuShare(one: number | null, other: number | null): number | null {
  return one === null || other === null || one === 0 || other === 0 ? null : one / other;
}
