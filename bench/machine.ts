import { availableParallelism, cpus } from 'node:os';

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
