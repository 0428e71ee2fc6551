import { hostname } from 'node:os';

/** What the program runs on, for those who operate it. */
export interface Runtime {
  /** Without a `v` before it. */
  nodeVersion: string;
  hostName: string;
}

export function describeRuntime(): Runtime {
  return { nodeVersion: process.versions.node, hostName: hostname() };
}
