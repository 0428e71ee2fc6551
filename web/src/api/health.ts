import type {
  HealthRecord as Health,
  HealthSummary,
  DifferenceRecord as SettingDifference,
  SettingRecord as SettingInForce,
} from '../../../src/ui-api/health/health-overview-routes.ts';
import { liveQuery } from './queries.ts';

export type { Health, HealthSummary, SettingDifference, SettingInForce };

/** The checks of the health, in the order in which they are shown. */
export const CHECKS = ['database', 'disk', 'content', 'queue'] as const;
export type Check = (typeof CHECKS)[number];

const HEALTH_MS = 10_000;

export const healthQuery = liveQuery<Health>(['health'], '/ui/api/health', HEALTH_MS);

/** Without the settings, which make up most of it. */
export const healthSummaryQuery = liveQuery<HealthSummary>(
  ['health', 'summary'],
  '/ui/api/health?settings=false',
  HEALTH_MS,
);

/** How many things do not work: services that do not respond, and the connection to targets. */
export function countProblems({ checks, connection_trouble }: HealthSummary): number {
  const failed = CHECKS.filter((name) => checks[name] === 'failed').length;
  // An instance of an earlier release sends none.
  return failed + (connection_trouble == null ? 0 : 1);
}
