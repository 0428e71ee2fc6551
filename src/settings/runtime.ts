import { hostname } from 'node:os';

/** The runtime of the program, for operators. */
export interface Runtime {
  /** Without a `v` before it. */
  nodeVersion: string;
  hostName: string;
}

/** The runtime of this process. */
export function describeRuntime(): Runtime {
  return { nodeVersion: process.versions.node, hostName: hostname() };
}
