import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Alerts, createAlerts } from './alerts/alerts.ts';
import { AuditLog } from './audit/audit-log.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { planConnections } from './connection-plan.ts';
import { type Content, openContent } from './content/content.ts';
import { LAUNCH_PATH } from './content/registrations/launch-routes.ts';
import { traceTestMessages } from './delivery/attempt-traces.ts';
import { createNoticeSender, createSender, type Delivery, startDelivery } from './delivery/delivery.ts';
import { Cleaner } from './housekeeping/cleaner.ts';
import { requireScopes } from './http/authorization.ts';
import { basePathOf } from './http/base-path.ts';
import { CallerTurns } from './http/caller-turns.ts';
import { limitConnections } from './http/connection-limit.ts';
import { Idempotency } from './http/idempotency.ts';
import { keepNoConnections } from './http/kept-connections.ts';
import { listen } from './http/listen.ts';
import { describeApi } from './http/openapi.ts';
import { serviceOrigin } from './http/origin.ts';
import type { Routes } from './http/routes.ts';
import { createServer } from './http/server.ts';
import { traceRequests } from './http/traced-requests.ts';
import { createIdentity, type Identity } from './identity/identity.ts';
import { SCOPE_MEANINGS } from './identity/scopes.ts';
import { TOKEN_PATH } from './identity/tokens/token-endpoint.ts';
import { checkDiskReserve, checkDiskSpace } from './observability/disk-space.ts';
import { EventLoopWatch } from './observability/event-loop-watch.ts';
import { healthRoutes, probeRoutes } from './observability/health-routes.ts';
import type { Logger, Logs } from './observability/log.ts';
import { Metrics } from './observability/metrics.ts';
import {
  checkOfAll,
  failureOf,
  type ReadinessCheck,
  ReadinessWatch,
  sharedChecks,
} from './observability/readiness.ts';
import { tracedDatabase } from './observability/tracing/traced-database.ts';
import type { Tracing } from './observability/tracing/tracing.ts';
import { createLearningRecords, type LearningRecords } from './player/lrs/learning-records.ts';
import { deletePartOfRecords } from './player/lrs/records-deletion.ts';
import { createPlayer, type Player } from './player/player.ts';
import { openQueue, type ServiceQueue } from './queue/open-queue.ts';
import type { ServiceContext } from './service-context.ts';
import { openServiceStorage } from './service-storage.ts';
import { addressOf } from './settings/base-url.ts';
import { contentPlaceOf } from './settings/content-place.ts';
import { describeSettings } from './settings/describe-settings.ts';
import { idleSettings } from './settings/idle-settings.ts';
import type { Settings } from './settings/settings-table.ts';
import { SECOND_MS } from './time/units.ts';
import { createUserInterface } from './ui-api/user-interface.ts';
import { readKnownMessages } from './webhooks/history/known-messages.ts';
import { requeueDeadLetters } from './webhooks/history/moved-back.ts';
import { describePostbacks } from './webhooks/messages/postback-description.ts';
import type { SendPostback } from './webhooks/test-messages/test-message.ts';
import { startWebhooks, type Webhooks } from './webhooks/webhooks.ts';

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
 * The composition root: settings in, a running service out. Each part is made in its own slice. Work in progress
 * is finished first, all of it at the same time. Everything that was opened is released in reverse order, even if the
 * startup fails.
 */
export async function startService(settings: Settings, dependencies: ServiceDependencies): Promise<Service> {
  const { logs, version, announce, tracing = null } = dependencies;
  const endIfStopped = () => dependencies.signal?.throwIfAborted();
  const log = logs.for('Service');
  log.info('starting', { version, settings: describeSettings(settings) });
  for (const text of idleSettings(settings)) log.warn(text);
  const { warning: tooFewFiles } = planConnections(settings);
  if (tooFewFiles !== null) log.warn(tooFewFiles);
  await using stack = new AsyncDisposableStack();

  const server = createHttpServer(settings, logs.for('HttpServer'));
  if (tracing !== null)
    traceRequests(server, tracing, {
      isTraced: isWorthTracing,
      continuesTrace: (request) => !isLaunch(request),
    });
  const opened = stack.use(
    await openServiceStorage(settings, {
      logs,
      now: dependencies.now,
      onLost: dependencies.onLost ?? (() => {}),
      signal: dependencies.signal,
    }),
  );
  const storage =
    tracing === null ? opened : { ...opened, database: tracedDatabase(opened.database, tracing) };
  const { database, cipher, now } = storage;
  const metrics = new Metrics({ engine: settings.queue_driver, version });
  const eventLoop = stack.use(new EventLoopWatch(log, (seconds) => metrics.eventLoopBusy(seconds)));
  metrics.observeEventLoop(() => eventLoop.read());
  const idempotency = new Idempotency({ database, cipher, now });
  const context: ServiceContext = {
    settings,
    version,
    logs,
    metrics,
    tracing,
    storage,
    idempotency,
    baseUrl: () => settings.base_url ?? urlOf(server, settings),
    now,
    random: dependencies.random ?? Math.random,
  };

  const queue = stack.use(await openServiceQueue(context, dependencies.signal));
  const { guard, sender } = createSender(context);
  stack.use(sender);
  const send: SendPostback = (postback) => sender.send(postback);
  const webhooks = stack.use(
    startWebhooks(context, {
      queue: queue.queue,
      checkTargetUrl: (url) => guard.checkUrl(url),
      send: tracing === null ? send : traceTestMessages(tracing, send),
    }),
  );
  const identity = await createIdentity(context);
  const { events, onDeleted } = webhooks;
  const content = stack.use(
    await openContent(context, { events, onDeleted, partOfRecords: deletePartOfRecords }),
  );
  endIfStopped();
  // Not before it is known that the database and the course files belong together: it may be an outdated database.
  const delivery = stack.use(startDelivery(context, { queue: queue.queue, sender, webhooks }));
  const records = createLearningRecords(context, identity);
  const player = await createPlayer(context, content, records);
  const audit = new AuditLog({ database, days: settings.audit_log_days, now });
  const checks = readinessChecks(context, { queue, content, delivery });
  const readiness = stack.use(
    new ReadinessWatch({ checks, loggedElsewhere: ['database', 'queue'], metrics, log }),
  );
  const noticeSender = stack.use(createNoticeSender(context, guard));
  const alerts = stack.use(
    createAlerts(context, {
      webhooks: webhooks.troubles,
      checks: {
        ...checks,
        ...checkOfAll('queue', [checks.queue ?? null, delivery.checkOutcomes]),
        ...sharedChecks({ disk: () => checkDiskReserve(foldersInUse(settings)) }),
      },
      queueObstacle: () => queue.obstacle(),
      checkTargetUrl: (url) => guard.checkUrl(url),
      post: (request) => noticeSender.send({ ...request, credentials: null }),
    }),
  );
  const cleaner = stack.use(
    new Cleaner({
      steps: [
        ...webhooks.cleaningSteps,
        { name: 'audit log entries', run: (limit) => audit.forgetOld(limit) },
        { name: 'responses to idempotent requests', run: (limit) => idempotency.forgetOld(limit) },
        ...identity.cleaningSteps,
        ...player.cleaningSteps,
        ...alerts.cleaningSteps,
      ],
      leases: storage.leases,
      log: logs.for('Cleaner'),
      now,
    }),
  );
  cleaner.start();

  await addRoutes(server, context, {
    queue,
    webhooks,
    identity,
    content,
    records,
    player,
    audit,
    alerts,
    delivery,
    readiness,
  });
  stack.defer(() => finishWork({ servers: [server, player.server], delivery }, settings));
  probeRoutes(player.server, { readiness });
  endIfStopped();
  const { url: contentUrl, port: contentPort } = await player.listen();
  await listen(server, { host: settings.host, port: settings.port, portSetting: 'port' });
  // No load balancer has seen it ready, so nothing waits for shutdown_delay.
  endIfStopped();

  readiness.start();
  // Notices have links, and so need the address.
  alerts.start();
  const url = urlOf(server, settings);
  log.info(`ready at ${context.baseUrl()}`, { url, contentUrl, contentPort });
  if (announce !== undefined) {
    const setupUrl = await identity.firstSetupUrl(context.baseUrl());
    if (setupUrl !== null) announce(`${FIRST_ADMINISTRATOR}\n  ${setupUrl}\n\n`);
  }
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

/** Opens the queue that the settings choose, and shows it in the metrics. @throws what `openQueue` throws */
async function openServiceQueue(
  { settings, logs, metrics, storage, now }: ServiceContext,
  signal: AbortSignal | undefined,
): Promise<ServiceQueue> {
  const opened = await openQueue(settings, {
    database: storage.database,
    log: logs.for('MessageQueue'),
    readHistory: readKnownMessages,
    requeueHistory: requeueDeadLetters,
    onFailure: () => metrics.queueFailed(),
    now,
    signal,
  });
  metrics.observeQueue(async () => {
    const { waitingSince, ...counts } = await opened.queue.lines.totals();
    const oldestAgeSeconds = waitingSince === null ? 0 : Math.max(0, now() - waitingSince) / SECOND_MS;
    return { ...counts, oldestAgeSeconds };
  });
  return opened;
}

/** Adds the routes of all parts, each once the description of the API can see it. */
async function addRoutes(
  server: FastifyInstance,
  context: ServiceContext,
  parts: {
    queue: ServiceQueue;
    webhooks: Webhooks;
    identity: Identity;
    content: Content;
    records: LearningRecords;
    player: Player;
    audit: AuditLog;
    alerts: Alerts;
    delivery: Delivery;
    readiness: ReadinessWatch;
  },
): Promise<void> {
  const { settings, version, metrics } = context;
  const { queue, webhooks, identity, content, records, player, audit, alerts, delivery, readiness } = parts;
  const { authorize } = identity;
  const ui = createUserInterface(context, {
    queue,
    webhooks,
    runChecks: async () => {
      const results = await readiness.run();
      const { checkOutcomes } = delivery;
      // One webhook that waits must not make the instance unready, but the System page shows it.
      const isRefused = checkOutcomes !== null && (await failureOf(checkOutcomes)) !== null;
      return isRefused ? { ...results, queue: 'failed' } : results;
    },
    contentOriginRisks: () => player.contentOriginRisks(),
  });
  const turns = new CallerTurns(server);
  const originOf = serviceOrigin(null);
  await describeApi(server, {
    version,
    addressFor: (request) => settings.base_url ?? originOf(request),
    basePath: basePathOf(settings.base_url),
    scopes: SCOPE_MEANINGS,
    tokenPath: TOKEN_PATH,
    postbacks: describePostbacks(),
  });
  healthRoutes(server, { readiness, metrics, token: settings.monitoring_token });
  content.addOpenRoutes(server, (launch) => player.play(launch));
  await ui.addOpenRoutes(server);
  await identity.addOpenRoutes(server);
  await records.addRoutes(server, turns);
  await server.register(async (scoped) => {
    const routes = scoped as unknown as Routes;
    requireScopes(scoped, authorize);
    turns.takeThose(scoped);
    identity.addRoutes(routes);
    await content.addRoutes(routes, player.learning);
    player.addRoutes(routes);
    webhooks.addRoutes(routes);
    auditRoutes(routes, audit);
    alerts.addRoutes(routes);
    ui.addRoutes(routes);
  });
}

/** What readiness depends on. */
function readinessChecks(
  { settings, storage }: ServiceContext,
  { queue, content, delivery }: { queue: ServiceQueue; content: Content; delivery: Delivery },
): Readonly<Record<string, ReadinessCheck>> {
  return {
    database: () => storage.databaseWatch.check(),
    ...sharedChecks({
      content: content.check,
      ...(storage.database.dialect === 'sqlite' ? { disk: () => checkDiskSpace(settings.data_dir) } : {}),
    }),
    ...checkOfAll('queue', [queue.check, delivery.check]),
  };
}

/** The folders whose disks must not become full. */
function foldersInUse(settings: Settings): string[] {
  const content = contentPlaceOf(settings);
  return [settings.data_dir, ...(content?.kind === 'folder' ? [content.folder] : [])];
}

/** Not what monitoring and browsers ask for all the time: probes, metrics, and the pages of the admin UI. */
function isWorthTracing({ url }: FastifyRequest): boolean {
  return !/^\/(?:health|metrics|ui)(?:[/?]|$)/.test(url);
}

/** Learners open launch links. Anyone else is an API client or an administrator, or is refused. */
function isLaunch({ routeOptions: { url } }: FastifyRequest): boolean {
  return url?.startsWith(LAUNCH_PATH) === true;
}

function createHttpServer(settings: Settings, log: Logger): FastifyInstance {
  const server = createServer({
    log,
    maxBodyBytes: settings.max_request_body,
    trustedProxies: settings.trusted_proxies,
    basePath: basePathOf(settings.base_url),
    strictTransport: settings.base_url?.startsWith('https:') ?? false,
  }) as unknown as FastifyInstance;
  limitConnections(server, planConnections(settings).limit, log);
  return server;
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

/** Lets requests in progress finish within the limit. A client that does not read its response must not delay a stop. */
async function closeServer(server: FastifyInstance, boundMs: number): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), boundMs);
  await server.close();
  clearTimeout(cut);
}
