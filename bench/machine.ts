import { availableParallelism, cpus, loadavg } from 'node:os';

/** The machine of the measurement. */
export interface Machine {
  node: string;
  platform: string;
  cpu: string;
  cores: number;
}

export function describeMachine(): Machine {
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
  };
}

/** The average number of processes that were running or waiting in the last minute, to one decimal. */
export function currentLoad(): number {
  return Math.round(loadavg()[0]! * 10) / 10;
}
