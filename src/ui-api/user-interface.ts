import type { FastifyInstance } from 'fastify';
import type { ConnectionTrouble } from '../delivery/connection-troubles.ts';
import { basePathOf } from '../http/base-path.ts';
import type { Routes } from '../http/routes.ts';
import type { CheckResult } from '../observability/readiness.ts';
import type { ServiceQueue } from '../queue/open-queue.ts';
import type { ServiceContext } from '../service-context.ts';
import { readUiBuild, UI_BUILD_FOLDER } from '../ui/ui-build.ts';
import { uiRoutes } from '../ui/ui-routes.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { Dashboard } from './dashboard/dashboard.ts';
import { HealthReader } from './health/health-overview.ts';
import { overviewRoutes } from './overview-routes.ts';

/** The admin UI: its files, and the reads that only it needs. */
export interface UserInterface {
  /** Adds the routes that need no sign-in: the UI's files. */
  addOpenRoutes(server: FastifyInstance): Promise<void>;
  /** Adds the routes under the hook of `requireScopes`. */
  addRoutes(routes: Routes): void;
}

/** Dependencies of the UI part. */
export interface UserInterfaceOptions {
  queue: ServiceQueue;
  webhooks: Webhooks;
  /** Runs the checks of readiness. */
  runChecks: () => Promise<Record<string, CheckResult>>;
  /** Why this instance is unable to connect to targets; null if it is not. */
  connectionTrouble: () => ConnectionTrouble | null;
  contentOriginRisks: () => readonly string[];
}

/** Assembles the UI part. */
export function createUserInterface(
  { settings, version, logs, storage, idempotency, now }: ServiceContext,
  {
    queue: { queue, obstacle },
    webhooks,
    runChecks,
    connectionTrouble,
    contentOriginRisks,
  }: UserInterfaceOptions,
): UserInterface {
  const { database, instance, instances, runtime, clockWatch } = storage;
  const { reader } = database;
  const delivers = () => instances.anyDelivers;
  return {
    async addOpenRoutes(server) {
      const build = readUiBuild(UI_BUILD_FOLDER);
      if (build === null) logs.for('Service').warn('the admin UI is not built: run "npm run build:ui"');
      await server.register(uiRoutes, { build, basePath: basePathOf(settings.base_url) });
    },
    addRoutes(routes) {
      overviewRoutes(routes, {
        reader,
        lines: queue.lines,
        dashboard: new Dashboard({ reader, lines: queue.lines, trends: webhooks.trends, delivers }),
        health: new HealthReader({
          database,
          queue: { engine: queue.engine, obstacle },
          runChecks,
          connectionTrouble,
          clock: clockWatch,
          instances,
          contentOriginRisks,
          settings,
          about: { version, runtime, instance, startedAt: now() },
        }),
        deadLetters: webhooks.deadLetters,
        idempotency,
        events: webhooks.eventLog,
        readOnly: !settings.enable_webhooks_service,
        delivers,
        now,
      });
    },
  };
}
