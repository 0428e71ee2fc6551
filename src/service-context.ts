import type { Idempotency } from './http/idempotency.ts';
import type { Logs } from './observability/log.ts';
import type { Metrics } from './observability/metrics.ts';
import type { ServiceStorage } from './service-storage.ts';
import type { Settings } from './settings/settings-table.ts';

/** What every part of a running service shares. */
export interface ServiceContext {
  settings: Settings;
  /** The program's. */
  version: string;
  logs: Logs;
  metrics: Metrics;
  storage: ServiceStorage;
  idempotency: Idempotency;
  /** The address under which clients reach the service, without a slash at its end; known once it listens. */
  baseUrl: () => string;
  /** Epoch milliseconds. */
  now: () => number;
  /** Uniform in [0, 1). */
  random: () => number;
}

/** Removes at most so many rows that are no longer needed, and answers how many it removed. */
export type CleaningStep = (limit: number) => Promise<number>;
