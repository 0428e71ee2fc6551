import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { planConnections } from './connection-plan.ts';
import { LAUNCH_PATH } from './content/registrations/launch-routes.ts';
import { basePathOf } from './http/base-path.ts';
import { limitConnections } from './http/connection-limit.ts';
import { Idempotency } from './http/idempotency.ts';
import { keepNoConnections } from './http/kept-connections.ts';
import { listen } from './http/listen.ts';
import { createServer } from './http/server.ts';
import { traceRequests } from './http/traced-requests.ts';
import type { Identity } from './identity/identity.ts';
import { EventLoopWatch } from './observability/event-loop-watch.ts';
import type { Logger, Logs } from './observability/log.ts';
import { Metrics } from './observability/metrics.ts';
import { tracedDatabase } from './observability/tracing/traced-database.ts';
import type { Tracing } from './observability/tracing/tracing.ts';
import type { ServiceContext } from './service-context.ts';
import { openServiceParts } from './service-parts.ts';
import { addRoutes } from './service-routes.ts';
import { openServiceStorage } from './service-storage.ts';
import { addressOf } from './settings/base-url.ts';
import { describeSettings } from './settings/describe-settings.ts';
import { idleSettings } from './settings/idle-settings.ts';
import type { Settings } from './settings/settings-table.ts';
import { SECOND_MS } from './time/units.ts';
import { within } from './time/within.ts';

const FIRST_ADMINISTRATOR =
  '\nThere is no administrator yet. Create the first one here. The link works once, within 24 hours, and the next startup prints a new one:\n';

/**
 * A running service. Disposing of it fails readiness for `shutdown_delay`, then accepts no more requests, finishes those and
 * deliveries in progress, and releases everything.
 */
export interface Service extends AsyncDisposable {
  /** Where it listens. */
  url: string;
  /** Where learners' browsers reach the content origin. */
  contentUrl: string;
}

/** Dependencies other than settings. */
export interface ServiceDependencies {
  logs: Logs;
  version: string;
  /** Receives plain text that only the person who starts the service may read, and no log. */
  announce?: (text: string) => void;
  /** Set if the environment asks for traces. @defaultValue null */
  tracing?: Tracing | null;
  /** Epoch milliseconds. @defaultValue the database's clock, which all of its instances share */
  now?: () => number;
  /** Uniform in [0, 1). */
  random?: () => number;
  /** Called, perhaps more than once, when the service can only continue after a restart. @defaultValue it refuses all changes */
  onLost?: (error: Error) => void;
  /** Ends the start before it is ready, also while a migration waits for others. The start then fails with its reason. */
  signal?: AbortSignal;
}

/**
 * The composition root: settings in, a running service out. Work in progress is finished first, all of it at the same
 * time. Everything that was opened is released in reverse order, even if the startup fails.
 */
export async function startService(settings: Settings, dependencies: ServiceDependencies): Promise<Service> {
  const { logs, version, announce, tracing = null, signal } = dependencies;
  const log = logs.for('Service');
  log.info('starting', { version, settings: describeSettings(settings) });
  warnAbout(settings, log);
  await using stack = new AsyncDisposableStack();

  const server = createHttpServer(settings, { logs, tracing });
  const context = await openContext(server, settings, dependencies, stack);
  const parts = stack.use(await openServiceParts(context, { signal }));
  await addRoutes(server, context, parts);
  const { identity, delivery, player, readiness, alerts } = parts;
  stack.defer(() => finishWork({ servers: [server, player.server], delivery }, settings));
  signal?.throwIfAborted();
  const { url: contentUrl, port: contentPort } = await player.listen();
  await listen(server, { host: settings.host, port: settings.port, portSetting: 'port' });
  // No load balancer has seen it ready, so nothing waits for shutdown_delay.
  signal?.throwIfAborted();

  readiness.start();
  // Notices have links, and so need the address.
  alerts.start();
  const url = urlOf(server, settings);
  log.info(`ready at ${context.baseUrl()}`, { url, contentUrl, contentPort });
  if (announce !== undefined) await announceSetup(identity, context, announce);
  stack.defer(() => log.info('stopping'));
  const started = stack.move();
  return {
    url,
    contentUrl,
    async [Symbol.asyncDispose]() {
      if (settings.shutdown_delay > 0) {
        log.info('no longer ready: stopping after shutdown_delay', { seconds: settings.shutdown_delay });
        readiness.withdraw();
        for (const each of [server, player.server]) keepNoConnections(each);
        await delay(settings.shutdown_delay * SECOND_MS);
      }
      await started.disposeAsync();
      log.info('stopped');
    },
  };
}

/** Warns about settings that have no effect, and about a process that may open too few files. */
function warnAbout(settings: Settings, log: Logger): void {
  for (const text of idleSettings(settings)) log.warn(text);
  const { warning: tooFewFiles } = planConnections(settings);
  if (tooFewFiles !== null) log.warn(tooFewFiles);
}

/** Opens what all parts share. `stack` releases it. @throws what `openServiceStorage` throws */
async function openContext(
  server: FastifyInstance,
  settings: Settings,
  { logs, version, tracing = null, now: givenNow, random = Math.random, onLost, signal }: ServiceDependencies,
  stack: AsyncDisposableStack,
): Promise<ServiceContext> {
  const opened = stack.use(
    await openServiceStorage(settings, { logs, now: givenNow, onLost: onLost ?? (() => {}), signal }),
  );
  const storage =
    tracing === null ? opened : { ...opened, database: tracedDatabase(opened.database, tracing) };
  const { database, cipher, now } = storage;
  const metrics = new Metrics({ engine: settings.queue_driver, version });
  const eventLoop = stack.use(
    new EventLoopWatch(logs.for('Service'), (seconds) => metrics.eventLoopBusy(seconds)),
  );
  metrics.observeEventLoop(() => eventLoop.read());
  // It is kept, because a stopping server no longer has an address, but still completes requests that need it.
  let url = settings.base_url;
  return {
    settings,
    version,
    logs,
    metrics,
    tracing,
    storage,
    idempotency: new Idempotency({ database, cipher, now }),
    baseUrl() {
      url ??= urlOf(server, settings);
      return url;
    },
    now,
    random,
  };
}

/** Prints the link for the first administrator, if there is none yet. */
async function announceSetup(
  identity: Identity,
  { baseUrl }: ServiceContext,
  announce: (text: string) => void,
): Promise<void> {
  const setupUrl = await identity.firstSetupUrl(baseUrl());
  if (setupUrl !== null) announce(`${FIRST_ADMINISTRATOR}\n  ${setupUrl}\n\n`);
}

function createHttpServer(
  settings: Settings,
  { logs, tracing }: { logs: Logs; tracing: Tracing | null },
): FastifyInstance {
  const log = logs.for('HttpServer');
  const server = createServer({
    log,
    maxBodyBytes: settings.max_request_body,
    trustedProxies: settings.trusted_proxies,
    basePath: basePathOf(settings.base_url),
    strictTransport: settings.base_url?.startsWith('https:') ?? false,
  }) as unknown as FastifyInstance;
  limitConnections(server, planConnections(settings).limit, log);
  if (tracing !== null)
    traceRequests(server, tracing, {
      isTraced: isWorthTracing,
      continuesTrace: (request) => !isLaunch(request),
    });
  return server;
}

/** Not the requests that monitoring and browsers send all the time: probes, metrics, and the pages of the admin UI. */
function isWorthTracing({ url }: FastifyRequest): boolean {
  return !/^\/(?:health|metrics|ui)(?:[/?]|$)/.test(url);
}

/** Learners open launch links. Anyone else is an API client or an administrator, or is refused. */
function isLaunch({ routeOptions: { url } }: FastifyRequest): boolean {
  return url?.startsWith(LAUNCH_PATH) === true;
}

function urlOf(server: FastifyInstance, settings: Settings): string {
  const { port } = server.server.address() as AddressInfo;
  return addressOf(settings.host, port);
}

/**
 * Accepts no new work, and lets requests and postbacks in progress finish within `shutdown_timeout`. All have the same
 * deadline, so that the process ends before its supervisor kills it.
 */
async function finishWork(
  { servers, delivery }: { servers: readonly FastifyInstance[]; delivery: AsyncDisposable },
  settings: Settings,
): Promise<void> {
  const closed = servers.map((server) => closeServer(server, settings.shutdown_timeout * SECOND_MS));
  const ends = await Promise.allSettled([delivery[Symbol.asyncDispose](), ...closed]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/**
 * Lets requests in progress finish within the limit, also those whose connection is closed. A client that does not read
 * its response must not delay a stop.
 */
async function closeServer(server: FastifyInstance, boundMs: number): Promise<void> {
  await within(boundMs, server.close(), () => server.server.closeAllConnections());
}
