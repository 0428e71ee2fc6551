import { readFileSync } from 'node:fs';
import { KIB } from '../../src/bytes.ts';

/** The memory that a process holds, in whole MiB; null where the system does not say. */
export function residentMib(pid: number): number | null {
  return mibOf(pid, 'VmRSS');
}

/** The most memory that a process has held so far, in whole MiB; null where the system does not say. */
export function peakMib(pid: number): number | null {
  return mibOf(pid, 'VmHWM');
}

function mibOf(pid: number, name: 'VmRSS' | 'VmHWM'): number | null {
  try {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(
      readFileSync(`/proc/${pid}/status`, 'utf8'),
    )?.[1];
    return kib === undefined ? null : Math.round(Number(kib) / KIB);
  } catch {
    return null;
  }
}
