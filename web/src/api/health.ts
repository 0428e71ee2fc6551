import { queryOptions } from '@tanstack/react-query';
import { polling } from './polling.ts';
import { request } from './request.ts';

/** A setting as the service runs with it. */
export interface SettingInForce {
  name: string;
  group: string;
  meaning: string;
  /** Of a secret only whether it is set. */
  value: unknown;
  /** What leaving it out comes to. */
  default: unknown;
  /** In words, where the default alone does not tell. */
  default_in_words: string | null;
  unit: 'seconds' | 'days' | 'bytes' | null;
  is_default: boolean;
}

export const CHECKS = ['database', 'content', 'queue'] as const;
export type Check = (typeof CHECKS)[number];

/** A setting that another instance of the same database holds another value of. */
export interface SettingDifference {
  setting: string;
  value: unknown;
  other_value: unknown;
  other_instance: string;
  other_host: string;
}

/** How the service is. */
export interface Health {
  version: string;
  node_version: string;
  host_name: string;
  instance: string;
  started_dt: string;
  /** What readiness depends on; the queue only where it is a service of its own. */
  checks: Partial<Record<Check, 'ok' | 'failed'>>;
  database: { engine: string; answers: boolean; size_bytes: number | null };
  /** How far the clock of this machine is ahead of the database server's; null while it is right. */
  clock_ahead_seconds: number | null;
  queue: {
    engine: string;
    state: 'delivering' | 'polling_disabled' | 'webhooks_disabled';
    /** What a person has to do before the queue is used again, in a sentence of the service. */
    obstacle: string | null;
  };
  content_store: { kind: 'folder' | 's3'; answers: boolean };
  settings: SettingInForce[];
  /** Settings that all instances must share and of which another one holds another value. */
  setting_differences: SettingDifference[];
}

const HEALTH_MS = 10_000;

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => request<Health>('GET', '/ui/api/health', { signal }),
  ...polling(HEALTH_MS),
});

/** Those that the service depends on and that do not answer. */
export function failedChecks({ checks }: Health): Check[] {
  return CHECKS.filter((name) => checks[name] === 'failed');
}
