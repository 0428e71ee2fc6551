import { type Alerts, createAlerts } from './alerts/alerts.ts';
import { AuditLog } from './audit/audit-log.ts';
import { type Content, openContent } from './content/content.ts';
import type { PartOfRecords } from './content/registrations/registrations-of.ts';
import { traceTestMessages } from './delivery/attempt-traces.ts';
import { createNoticePoster, createSender, type Delivery, startDelivery } from './delivery/delivery.ts';
import { Cleaner } from './housekeeping/cleaner.ts';
import { createIdentity, type Identity } from './identity/identity.ts';
import { checkDiskReserve, checkDiskSpace } from './observability/disk-space.ts';
import { checkOfAll, type ReadinessCheck, ReadinessWatch, sharedChecks } from './observability/readiness.ts';
import { createLearningRecords, type LearningRecords } from './player/lrs/learning-records.ts';
import { createPlayer, type Player } from './player/player.ts';
import { deletePartOfRecords } from './player/records-deletion.ts';
import { openQueue, type ServiceQueue } from './queue/open-queue.ts';
import type { ServiceContext } from './service-context.ts';
import { contentPlaceOf } from './settings/content-place.ts';
import type { Settings } from './settings/settings-table.ts';
import { SECOND_MS } from './time/units.ts';
import { readKnownMessages } from './webhooks/history/known-messages.ts';
import { requeueDeadLetters } from './webhooks/history/requeue-dead-letters.ts';
import type { SendPostback } from './webhooks/test-messages/test-message.ts';
import { startWebhooks, type Webhooks } from './webhooks/webhooks.ts';

/** The parts of a running service. Disposing of them finishes the work in progress and releases them in reverse order. */
export interface ServiceParts extends AsyncDisposable {
  queue: ServiceQueue;
  webhooks: Webhooks;
  identity: Identity;
  content: Content;
  delivery: Delivery;
  records: LearningRecords;
  player: Player;
  audit: AuditLog;
  /** Not started: its checks run once the service listens. */
  readiness: ReadinessWatch;
  /** Not started: notices have links, and so need the address of the service. */
  alerts: Alerts;
}

/**
 * Makes each part in its own slice. Delivery and cleaning have begun when it resolves.
 * @param signal ends the start
 * @throws what the parts throw, and the reason of `signal`
 */
export async function openServiceParts(
  context: ServiceContext,
  { signal }: { signal: AbortSignal | undefined },
): Promise<ServiceParts> {
  const { storage, tracing, now } = context;
  await using stack = new AsyncDisposableStack();
  const queue = stack.use(await openServiceQueue(context, signal));
  const { guard, sender } = createSender(context);
  stack.use(sender);
  const checkTargetUrl = (url: string) => guard.checkUrl(url);
  const send: SendPostback = (postback) => sender.send(postback);
  const webhooks = stack.use(
    startWebhooks(context, {
      queue: queue.queue,
      checkTargetUrl,
      send: tracing === null ? send : traceTestMessages(tracing, send),
    }),
  );
  const identity = await createIdentity(context);
  const { events, onDeleted } = webhooks;
  const partOfRecords: PartOfRecords = (tx, ids) => deletePartOfRecords(tx, ids, now());
  const content = stack.use(await openContent(context, { events, onDeleted, partOfRecords, signal }));
  signal?.throwIfAborted();
  // Not before it is known that the database and the course files belong together: it may be an outdated database.
  const delivery = stack.use(startDelivery(context, { queue: queue.queue, sender, webhooks }));
  const records = createLearningRecords(context, identity);
  const player = await createPlayer(context, content, records);
  const audit = new AuditLog({
    database: storage.database,
    days: context.settings.audit_log_days,
    now,
  });
  const checks = readinessChecks(context, { queue, content, delivery });
  const readiness = stack.use(createReadiness(context, checks));
  const noticeSender = stack.use(createNoticePoster(context, guard));
  const alerts = stack.use(
    createAlerts(context, {
      webhooks: webhooks.troubles,
      checks: alertChecks(context, checks, delivery),
      queueObstacle: () => queue.obstacle(),
      checkTargetUrl,
      post: (request) => noticeSender.send({ ...request, credentials: null, isUrlSecret: true }),
    }),
  );
  stack.use(startCleaner(context, { webhooks, audit, identity, player, alerts }));
  const opened = stack.move();
  return {
    queue,
    webhooks,
    identity,
    content,
    delivery,
    records,
    player,
    audit,
    readiness,
    alerts,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
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

/**
 * Besides what readiness depends on, alerts report outcomes that cannot be stored, targets that this machine is unable to
 * connect to, and disks that are nearly full.
 */
function alertChecks(
  { settings }: ServiceContext,
  checks: Readonly<Record<string, ReadinessCheck>>,
  { checkOutcomes, connectionTroubles }: Delivery,
): Readonly<Record<string, ReadinessCheck>> {
  return {
    ...checks,
    ...checkOfAll('queue', [checks.queue ?? null, checkOutcomes]),
    delivery: () => connectionTroubles.check(),
    ...sharedChecks({ disk: () => checkDiskReserve(foldersInUse(settings)) }),
  };
}

/** The folders whose disks must not become full. */
function foldersInUse(settings: Settings): string[] {
  const content = contentPlaceOf(settings);
  return [settings.data_dir, ...(content?.kind === 'folder' ? [content.folder] : [])];
}

function createReadiness(
  { logs, metrics }: ServiceContext,
  checks: Readonly<Record<string, ReadinessCheck>>,
): ReadinessWatch {
  return new ReadinessWatch({
    checks,
    loggedElsewhere: ['database', 'queue'],
    metrics,
    log: logs.for('Service'),
  });
}

/** Starts to remove what has expired in all parts. */
function startCleaner(
  { storage, idempotency, logs, now }: ServiceContext,
  {
    webhooks,
    audit,
    identity,
    player,
    alerts,
  }: Pick<ServiceParts, 'webhooks' | 'audit' | 'identity' | 'player' | 'alerts'>,
): Cleaner {
  const cleaner = new Cleaner({
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
  });
  cleaner.start();
  return cleaner;
}
