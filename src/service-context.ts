import type { Idempotency } from './http/idempotency.ts';
import type { Logs } from './observability/log.ts';
import type { Metrics } from './observability/metrics.ts';
import type { Tracing } from './observability/tracing/tracing.ts';
import type { ServiceStorage } from './service-storage.ts';
import type { Settings } from './settings/settings-table.ts';

/** What every part of a running service shares. */
export interface ServiceContext {
  settings: Settings;
  /** The program's. */
  version: string;
  logs: Logs;
  metrics: Metrics;
  /** Null if nothing is traced. */
  tracing: Tracing | null;
  storage: ServiceStorage;
  idempotency: Idempotency;
  /** The address at which clients reach the service, without a trailing slash. Known once it listens. */
  baseUrl: () => string;
  /** Epoch milliseconds. */
  now: () => number;
  /** Uniform in [0, 1). */
  random: () => number;
}
