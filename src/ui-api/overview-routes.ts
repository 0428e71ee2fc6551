import type { Reader } from '../database/database.ts';
import type { Idempotency } from '../http/idempotency.ts';
import type { Routes } from '../http/routes.ts';
import type { LineReader } from '../queue/message-queue.ts';
import type { EventService } from '../webhooks/events/event-service.ts';
import type { DeadLetterSteps } from '../webhooks/history/dead-letter-steps.ts';
import { clientListRoutes } from './clients/client-list-routes.ts';
import { accountListRoutes } from './content/account-list-routes.ts';
import { addableAccountsRoutes } from './content/addable-accounts-routes.ts';
import { addableContentRoutes } from './content/addable-content-routes.ts';
import { contentListRoutes } from './content/content-list-routes.ts';
import { contentUsageRoutes } from './content/content-usage-routes.ts';
import { folderOverviewRoutes } from './content/folder-overview-routes.ts';
import type { Dashboard } from './dashboard/dashboard.ts';
import { dashboardRoutes } from './dashboard/dashboard-routes.ts';
import type { HealthReader } from './health/health-overview.ts';
import { healthOverviewRoutes } from './health/health-overview-routes.ts';
import { assetSearchRoutes } from './search/asset-search-routes.ts';
import { deadLetterRoutes } from './webhooks/dead-letter-routes.ts';
import { eventListRoutes } from './webhooks/event-list-routes.ts';
import { waitingReasonRoutes } from './webhooks/waiting-reason-routes.ts';
import { webhookListRoutes } from './webhooks/webhook-list-routes.ts';

/** Dependencies of the overviews. */
export interface OverviewRoutesOptions {
  reader: Reader;
  lines: LineReader;
  dashboard: Dashboard;
  health: HealthReader;
  deadLetters: DeadLetterSteps;
  idempotency: Idempotency;
  events: EventService;
  /** Whether webhooks are read only. */
  readOnly: boolean;
  /** Whether any instance delivers. */
  delivers: () => boolean;
  now: () => number;
}

/** Reads across slices for the admin UI: lists with search and numbered pages, the dashboard, health, searches. */
export function overviewRoutes(routes: Routes, options: OverviewRoutesOptions): void {
  const { reader } = options;
  webhookListRoutes(routes, options);
  deadLetterRoutes(routes, options);
  eventListRoutes(routes, options);
  waitingReasonRoutes(routes, options);
  contentListRoutes(routes, reader);
  contentUsageRoutes(routes, reader);
  folderOverviewRoutes(routes, reader);
  accountListRoutes(routes, reader);
  addableAccountsRoutes(routes, reader);
  addableContentRoutes(routes, reader);
  clientListRoutes(routes, reader);
  assetSearchRoutes(routes, reader);
  dashboardRoutes(routes, options);
  healthOverviewRoutes(routes, options.health);
}
