import { randomUUIDv7 } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { accountContentRoutes } from './content/account-content/account-content-routes.ts';
import {
  AccountContentService,
  accountsHolding,
  deleteContentOfAccount,
} from './content/account-content/account-content-service.ts';
import { accountRoutes } from './content/accounts/account-routes.ts';
import { AccountService } from './content/accounts/account-service.ts';
import { readAssetNames } from './content/assets/asset-names.ts';
import type { OnDeleted } from './content/assets/deletion.ts';
import { bundleRoutes } from './content/bundles/bundle-routes.ts';
import { BundleService, bundlesHolding, bundlesInFolder } from './content/bundles/bundle-service.ts';
import { courseRoutes } from './content/courses/course-routes.ts';
import { CourseService, coursesInFolder } from './content/courses/course-service.ts';
import { courseUploadRoutes } from './content/courses/course-upload-routes.ts';
import { OrphanCleaner } from './content/courses/orphan-cleaner.ts';
import { PackageIntake } from './content/courses/package-intake.ts';
import { UploadFolders } from './content/courses/upload-folders.ts';
import { equivalentRoutes } from './content/equivalents/equivalent-routes.ts';
import {
  EquivalentService,
  equivalentsHoldingCourse,
  equivalentsInFolder,
} from './content/equivalents/equivalent-service.ts';
import { claimContentStore } from './content/files/claim-content-store.ts';
import { openContentStore } from './content/files/open-content-store.ts';
import { folderRoutes } from './content/folders/folder-routes.ts';
import { FolderService } from './content/folders/folder-service.ts';
import { launchRoutes, launchUrlOf } from './content/registrations/launch-routes.ts';
import { LaunchTokens } from './content/registrations/launch-tokens.ts';
import { registrationRoutes } from './content/registrations/registration-routes.ts';
import { RegistrationService } from './content/registrations/registration-service.ts';
import {
  deleteRegistrationsOfAccount,
  registrationsOfCourse,
} from './content/registrations/registrations-of.ts';
import { type DeliveryMetrics, DeliveryWorker } from './delivery/delivery-worker.ts';
import { PostbackSender } from './delivery/postback-sender.ts';
import { TargetGuard } from './delivery/target-guard.ts';
import { Instances } from './housekeeping/instances.ts';
import { TaskLeases } from './housekeeping/task-leases.ts';
import { requireScopes } from './http/authorization.ts';
import { basePathOf } from './http/base-path.ts';
import { Idempotency } from './http/idempotency.ts';
import { describeApi } from './http/openapi.ts';
import type { Routes } from './http/routes.ts';
import { createServer } from './http/server.ts';
import { createAdministration } from './identity/administrators/administration.ts';
import { clientRoutes } from './identity/clients/client-routes.ts';
import { ClientService } from './identity/clients/client-service.ts';
import { GuessLimiter } from './identity/guess-limiter.ts';
import { SCOPE_MEANINGS } from './identity/scopes.ts';
import { AccessTokens } from './identity/tokens/access-tokens.ts';
import { TOKEN_PATH, tokenEndpoint } from './identity/tokens/token-endpoint.ts';
import { deriveTokenKeys } from './identity/tokens/token-keys.ts';
import { ClockWatch } from './observability/clock-watch.ts';
import { DatabaseWatch } from './observability/database-watch.ts';
import { healthRoutes } from './observability/health-routes.ts';
import type { Logs } from './observability/log.ts';
import { Metrics } from './observability/metrics.ts';
import { openQueue } from './queue/open-queue.ts';
import { secretFindings } from './secrets/secret-check.ts';
import { addressOf } from './settings/base-url.ts';
import { contentPlaceOf } from './settings/content-place.ts';
import { describeSettings } from './settings/describe-settings.ts';
import { idleSettings } from './settings/idle-settings.ts';
import { allowedTargetNetworks } from './settings/networks.ts';
import { describeRuntime } from './settings/runtime.ts';
import type { Settings } from './settings/settings-table.ts';
import { sharedSettings } from './settings/shared-settings.ts';
import { openStorage } from './storage.ts';
import { readUiBuild, UI_BUILD_FOLDER } from './ui/ui-build.ts';
import { uiRoutes } from './ui/ui-routes.ts';
import { Dashboard } from './ui-api/dashboard/dashboard.ts';
import { HealthReader } from './ui-api/health/health-overview.ts';
import { overviewRoutes } from './ui-api/overview-routes.ts';
import { DeliveryTargets } from './webhooks/configuration/delivery-targets.ts';
import { webhookRoutes } from './webhooks/configuration/webhook-routes.ts';
import { WebhookService } from './webhooks/configuration/webhook-service.ts';
import { DeadLetterRedelivery } from './webhooks/history/dead-letter-redelivery.ts';
import { DeliveryListing } from './webhooks/history/delivery-listing.ts';
import { DeliveryLog } from './webhooks/history/delivery-log.ts';
import { deliveryRoutes } from './webhooks/history/delivery-routes.ts';
import { HistoryCleaner } from './webhooks/history/history-cleaner.ts';
import { LineService } from './webhooks/history/line-service.ts';
import { EventLog, LoggedEvents } from './webhooks/messages/event-log.ts';
import { describePostbacks } from './webhooks/messages/postback-description.ts';
import { TestMessages } from './webhooks/messages/test-message.ts';
import { testMessageRoutes } from './webhooks/messages/test-message-routes.ts';
import { silentPublisher, WebhookPublisher } from './webhooks/messages/webhook-publisher.ts';
import { TrendRecorder } from './webhooks/trends/trend-recorder.ts';
import { trendRoutes } from './webhooks/trends/trend-routes.ts';
import { TrendService } from './webhooks/trends/trend-service.ts';

const MS_PER_SECOND = 1_000;

const FIRST_ADMINISTRATOR =
  '\nThere is no administrator yet. Make the first one here (once, within 24 hours; the next start makes another link):\n';

/** A running service; disposing of it stops taking requests, finishes deliveries and releases everything. */
export interface Service extends AsyncDisposable {
  /** Where it listens. */
  url: string;
}

/** What a service is made with beside its settings. */
export interface ServiceDependencies {
  logs: Logs;
  version: string;
  /** Takes what only the person who starts the service may read, and no log: plain text. */
  announce?: (text: string) => void;
  /** Epoch milliseconds. @defaultValue the database's clock, which all of its instances share */
  now?: () => number;
  /** Uniform in [0, 1). */
  random?: () => number;
}

/**
 * The composition root: settings in, a running service out. What was opened is released last in, first out,
 * also when the start fails half-way.
 */
export async function startService(settings: Settings, dependencies: ServiceDependencies): Promise<Service> {
  const { logs, version, announce, random = Math.random } = dependencies;
  const log = logs.for('Service');
  log.info('starting', { version, settings: describeSettings(settings) });
  for (const text of idleSettings(settings)) log.warn(text);
  await using stack = new AsyncDisposableStack();

  const storage = stack.use(
    await openStorage(settings, { exclusive: true, now: dependencies.now ?? Date.now }),
  );
  const { database, cipher } = storage;
  const now = dependencies.now ?? (() => database.clock.now());
  const leases = new TaskLeases({ database, now });
  const databaseLog = logs.for('Database');
  const clockWatch = new ClockWatch(database.clock, databaseLog);
  const databaseWatch = stack.use(
    new DatabaseWatch({ database, tryChange: () => leases.tryChange(), log: databaseLog }),
  );
  databaseLog.info('opened the database', { engine: database.dialect });
  if (storage.migrated.length > 0)
    databaseLog.info('migrated the database', { migrations: storage.migrated });
  for (const { serious, text } of secretFindings(storage.secretUse, cipher.hasFormer)) {
    if (serious) log.error(text);
    else log.warn(text);
  }

  const runtime = describeRuntime();
  const instance = randomUUIDv7();
  const instances = stack.use(
    new Instances({
      database,
      settings: sharedSettings(settings),
      about: { instance, hostName: runtime.hostName },
      log,
      now,
    }),
  );
  // The embedded database is one instance's.
  if (database.dialect === 'postgres') await instances.start();

  const metrics = new Metrics({ engine: settings.queue_driver, version });
  const serviceQueue = stack.use(
    await openQueue(settings, {
      database,
      log: logs.for('MessageQueue'),
      onFailure: () => metrics.queueFailed(),
      now,
    }),
  );
  const { queue } = serviceQueue;
  metrics.observeQueue(async () => {
    const { waiting, inFlight, deadLetters, linesBlocked, oldestEnqueuedAt } = await queue.totals();
    const oldestAgeSeconds =
      oldestEnqueuedAt === null ? 0 : Math.max(0, now() - oldestEnqueuedAt) / MS_PER_SECOND;
    return { waiting, inFlight, deadLetters, linesBlocked, oldestAgeSeconds };
  });

  const guard = new TargetGuard({ allowedNetworks: allowedTargetNetworks(settings) });
  const sender = stack.use(
    new PostbackSender({ guard, version, deadlineMs: settings.delivery_timeout * MS_PER_SECOND, now }),
  );
  const trendRecorder = stack.use(new TrendRecorder({ database, log: logs.for('WebhookService'), now }));
  trendRecorder.start();
  const trends = new TrendService({ reader: database.reader, recorder: trendRecorder, now });
  const deliveryLog = new DeliveryLog(logs);
  const targets = new DeliveryTargets({ reader: database.reader, cipher });
  const delivers = settings.enable_webhooks_service && settings.enable_queue_polling;
  if (delivers) {
    const worker = stack.use(
      new DeliveryWorker({
        queue,
        sender,
        targets,
        deliveryLog,
        metrics: countedBoth(metrics, trendRecorder),
        log: logs.for('DeliveryPoller'),
        options: {
          concurrency: settings.delivery_concurrency,
          timeoutMs: settings.delivery_timeout * MS_PER_SECOND,
          retryInitialMs: settings.retry_initial_delay * MS_PER_SECOND,
          retryMaxMs: settings.retry_max_delay * MS_PER_SECOND,
          pollIntervalMs: settings.queue_polling_interval * MS_PER_SECOND,
          shutdownTimeoutMs: settings.shutdown_timeout * MS_PER_SECOND,
        },
        now,
        random,
      }),
    );
    worker.start();
  } else {
    log.warn(
      settings.enable_webhooks_service
        ? 'enable_queue_polling is false: messages are queued, nothing is delivered'
        : 'enable_webhooks_service is false: no event triggers a webhook, nothing is delivered, webhooks are read only',
    );
  }

  const eventLog = new EventLog(logs);
  const publisher = settings.enable_webhooks_service
    ? new WebhookPublisher({
        queue,
        newMessageId: randomUUIDv7,
        onPublished: (event, webhooks) => {
          metrics.eventPublished(event.subtopic, webhooks.length);
          trendRecorder.eventPublished();
          eventLog.triggered(event, webhooks);
        },
      })
    : silentPublisher;
  const events = new LoggedEvents(publisher, eventLog);
  const webhooks = new WebhookService({
    database,
    cipher,
    queue,
    checkTargetUrl: (url) => guard.checkUrl(url),
    readAssetNames,
    readOnly: !settings.enable_webhooks_service,
    log: logs.for('WebhookService'),
    now,
  });
  const lines = new LineService({ database, queue, webhooks, delivers, deliveryLog, now });
  const tests = new TestMessages({ webhooks, targets, send: (postback) => sender.send(postback), now });
  const idempotency = new Idempotency({ database, cipher, now });
  const clients = new ClientService({ database, now });
  const tokens = new AccessTokens({
    reader: database.reader,
    keys: await deriveTokenKeys(database, storage.authSecrets),
    lifetimeMs: settings.access_token_lifetime * MS_PER_SECOND,
    now,
  });
  const administration = createAdministration({
    database,
    authSecrets: storage.authSecrets,
    tokens,
    log: logs.for('AdministratorService'),
    sessionIdleMs: settings.session_idle_timeout * MS_PER_SECOND,
    sessionLifetimeMs: settings.session_lifetime * MS_PER_SECOND,
    service: { version, readOnly: webhooks.readOnly, delivers, baseUrl: settings.base_url },
    now,
  });
  if (database.dialect === 'sqlite') {
    const listing = stack.use(new DeliveryListing({ database, log: logs.for('WebhookService') }));
    listing.start();
  }
  const cleaner = stack.use(
    new HistoryCleaner({
      database,
      queue,
      log: logs.for('WebhookService'),
      historyDays: settings.delivery_history_days,
      deadLetterDays: settings.dead_letter_days,
      furtherSteps: [
        (limit) => idempotency.forgetOld(limit),
        (limit) => trendRecorder.forgetOld(limit),
        ...administration.cleaningSteps,
      ],
      leases,
      now,
    }),
  );
  cleaner.start();
  const onDeleted: OnDeleted = (tx, asset) => webhooks.assetDeleted(tx, asset);
  const belongings = [deleteContentOfAccount, deleteRegistrationsOfAccount];
  const accounts = new AccountService({ database, events, belongings, onDeleted, now });
  const accountContents = new AccountContentService({ database, accounts, events, now });
  const folders = new FolderService({
    database,
    occupants: [coursesInFolder, equivalentsInFolder, bundlesInFolder],
    holders: [accountsHolding('FOLDER')],
    onDeleted,
    now,
  });
  await folders.ensureRoot();
  const courseLog = logs.for('CourseService');
  const maxPackageBytes = settings.max_package_size;
  const place = contentPlaceOf(settings);
  const store = stack.use(await openContentStore(place, storage.folder.contentFolder));
  const uploads = new UploadFolders({ folder: storage.folder.temporaryFolder, log: courseLog });
  const intake = new PackageIntake({ reader: database.reader, store, maxPackageBytes, log: courseLog, now });
  // The embedded database is one instance's, and so is the folder that it lies in.
  const isAlone = database.dialect === 'sqlite';
  if (isAlone) await uploads.empty();
  else await uploads.removeLeftovers(now());
  if (isAlone && place === null) await intake.removeOrphans();
  else await claimContentStore(database, store);
  const orphans = stack.use(new OrphanCleaner({ intake, leases, log: courseLog, random }));
  orphans.start();
  const holders = [
    accountsHolding('COURSE'),
    equivalentsHoldingCourse,
    bundlesHolding('COURSE'),
    registrationsOfCourse,
  ];
  const courses = new CourseService({
    database,
    events,
    intake,
    store,
    holders,
    onDeleted,
    log: courseLog,
    now,
  });
  const equivalents = new EquivalentService({
    database,
    holders: [accountsHolding('EQUIVALENT'), bundlesHolding('EQUIVALENT')],
    onDeleted,
    now,
  });
  const bundles = new BundleService({ database, holders: [accountsHolding('BUNDLE')], onDeleted, now });
  const launchTokens = new LaunchTokens({ authSecrets: storage.authSecrets, now });
  const registrations = new RegistrationService({ database, events, launchTokens, now });

  const basePath = basePathOf(settings.base_url);
  const server = createServer({
    log: logs.for('HttpServer'),
    maxBodyBytes: settings.max_request_body,
    trustedProxies: settings.trusted_proxies,
    basePath,
  });
  const plain = server as unknown as FastifyInstance;
  await describeApi(plain, {
    version,
    baseUrl: settings.base_url,
    basePath,
    scopes: SCOPE_MEANINGS,
    tokenPath: TOKEN_PATH,
    postbacks: describePostbacks(),
  });
  launchRoutes(plain, registrations);
  const build = readUiBuild(UI_BUILD_FOLDER);
  if (build === null) log.warn('the admin UI is not built: run "npm run build:ui"');
  await plain.register(uiRoutes, { build, basePath });
  const checks = {
    database: () => databaseWatch.check(),
    content: () => store.ping(),
    ...(serviceQueue.check === null ? {} : { queue: serviceQueue.check }),
  };
  healthRoutes(plain, { checks, metrics });
  await plain.register(tokenEndpoint, {
    clients,
    tokens,
    guesses: new GuessLimiter({ now }),
    log: logs.for('TokenEndpoint'),
  });
  administration.addOpenRoutes(plain);
  await plain.register(async (scoped) => {
    const routes = scoped as unknown as Routes;
    requireScopes(scoped, administration.authorize);
    administration.addRoutes(routes);
    clientRoutes(routes, { clients, idempotency, log: logs.for('AdministratorService') });
    accountRoutes(routes, accounts, idempotency);
    accountContentRoutes(routes, accountContents, idempotency);
    folderRoutes(routes, folders, idempotency);
    courseRoutes(routes, courses, idempotency);
    await scoped.register(courseUploadRoutes, { courses, uploads, idempotency, maxPackageBytes });
    equivalentRoutes(routes, equivalents, idempotency);
    bundleRoutes(routes, bundles, idempotency);
    registrationRoutes(routes, {
      registrations,
      idempotency,
      launchUrl: (token) => launchUrlOf(settings.base_url ?? url, token),
    });
    webhookRoutes(routes, webhooks, idempotency);
    deliveryRoutes(routes, { lines, idempotency, now });
    testMessageRoutes(routes, tests);
    trendRoutes(routes, trends);
    overviewRoutes(routes, {
      reader: database.reader,
      dashboard: new Dashboard({ reader: database.reader, queue, trends, delivers }),
      health: new HealthReader({
        database,
        queue: { engine: queue.engine, obstacle: () => serviceQueue.obstacle() },
        checks,
        clock: clockWatch,
        instances,
        settings,
        about: { version, runtime, instance, startedAt: now() },
      }),
      redelivery: new DeadLetterRedelivery({ reader: database.reader, lines, now }),
      mayReadWebhooks: async (request) =>
        'caller' in (await administration.authorize(request, { scope: 'webhooks:read' })),
      readOnly: !settings.enable_webhooks_service,
      delivers,
      now,
    });
  });
  stack.defer(() => closeServer(plain, settings.shutdown_timeout * MS_PER_SECOND));
  await plain.listen({ host: settings.host, port: settings.port });
  const { port } = plain.server.address() as AddressInfo;
  const url = addressOf(settings.host, port);

  log.info(`ready at ${settings.base_url ?? url}`, { url });
  if (announce !== undefined) {
    const setupUrl = await administration.firstSetupUrl(settings.base_url ?? url);
    if (setupUrl !== null) announce(`${FIRST_ADMINISTRATOR}\n  ${setupUrl}\n\n`);
  }
  stack.defer(() => log.info('stopping'));
  const started = stack.move();
  return {
    url,
    async [Symbol.asyncDispose]() {
      await started.disposeAsync();
      log.info('stopped');
    },
  };
}

/** Delivery's numbers, for the metrics and for the charts. */
function countedBoth(metrics: Metrics, trends: TrendRecorder): DeliveryMetrics {
  return {
    attempted(outcome, durationMs, webhookId) {
      metrics.attempted(outcome, durationMs);
      trends.attempted(webhookId, outcome === 'success', durationMs);
    },
    arrived: (sinceEventMs) => metrics.arrived(sinceEventMs),
    discarded: (count) => metrics.discarded(count),
    queueFailed: () => metrics.queueFailed(),
  };
}

/** Lets requests under way finish within the bound; a client that does not read its answer must not hold up a stop. */
async function closeServer(server: FastifyInstance, boundMs: number): Promise<void> {
  const cut = setTimeout(() => server.server.closeAllConnections(), boundMs);
  await server.close();
  clearTimeout(cut);
}
