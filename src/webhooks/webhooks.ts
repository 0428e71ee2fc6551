import { readAssetNames } from '../content/assets/assets.ts';
import type { OnDeleted } from '../content/assets/deletion.ts';
import type { Transaction } from '../database/database.ts';
import type { EventPublisher } from '../events/event.ts';
import type { CleaningStep } from '../housekeeping/cleaner.ts';
import type { Routes } from '../http/routes.ts';
import type { Tracing } from '../observability/tracing/tracing.ts';
import type { MessageQueue } from '../queue/message-queue.ts';
import type { ServiceContext } from '../service-context.ts';
import type { CheckTargetUrl } from './configuration/configuration.ts';
import { webhookRoutes } from './configuration/webhook-routes.ts';
import { WebhookService } from './configuration/webhook-service.ts';
import { DeliveryTargets } from './delivery-targets.ts';
import { EventBlocks } from './events/event-blocks.ts';
import { eventRoutes } from './events/event-routes.ts';
import { EventService } from './events/event-service.ts';
import { replayRoutes } from './events/replay-routes.ts';
import { ReplayService } from './events/replay-service.ts';
import { RecordingPublisher, WebhookPublisher } from './events/webhook-publisher.ts';
import { healthRoutes } from './health/health-routes.ts';
import { WebhookHealthService } from './health/webhook-health.ts';
import { WebhookTroubles } from './health/webhook-troubles.ts';
import { DeadLetterRemoval } from './history/dead-letter-removal.ts';
import { DeadLetterSteps } from './history/dead-letter-steps.ts';
import { DeliveryLog } from './history/delivery-log.ts';
import { deliveryRoutes } from './history/delivery-routes.ts';
import { HistoryIndex } from './history/history-index.ts';
import { RedeliveryService } from './history/redelivery-service.ts';
import { historyCleaningSteps } from './history-cleaning.ts';
import { lineRoutes } from './lines/line-routes.ts';
import { LineService } from './lines/line-service.ts';
import { WaitingMessages } from './lines/waiting-messages.ts';
import { waitingRoutes } from './lines/waiting-routes.ts';
import { traceMessages } from './messages/message-traces.ts';
import { TriggeringLog } from './messages/triggering-log.ts';
import { signingRoutes } from './signing/signing-routes.ts';
import { SigningService } from './signing/signing-service.ts';
import { type SendPostback, TestMessages } from './test-messages/test-message.ts';
import { testMessageRoutes } from './test-messages/test-message-routes.ts';
import { TrendRecorder } from './trends/trend-recorder.ts';
import { trendRoutes } from './trends/trend-routes.ts';
import { TrendService } from './trends/trend-service.ts';

/** Webhooks, their messages, and the delivery history. */
export interface Webhooks extends AsyncDisposable {
  /** Enqueues the messages of events, in the transaction of the change that caused them. */
  events: EventPublisher<Transaction>;
  /** Called when content is deleted, in the same transaction. */
  onDeleted: OnDeleted;
  /** Counts an attempt to deliver, for the charts. */
  attempted(webhookId: number, succeeded: boolean, durationMs: number): void;
  targets: DeliveryTargets;
  deliveryLog: DeliveryLog;
  trends: TrendService;
  troubles: WebhookTroubles;
  deadLetters: DeadLetterSteps;
  eventLog: EventService;
  /** Steps that remove what has expired. */
  cleaningSteps: readonly CleaningStep[];
  /** Adds the routes under the hook of `requireScopes`. */
  addRoutes(routes: Routes): void;
}

/** Dependencies of the webhooks part. */
export interface WebhooksOptions {
  queue: MessageQueue;
  /** Says why a target is not allowed, or null if it is. */
  checkTargetUrl: CheckTargetUrl;
  send: SendPostback;
}

/** Assembles the webhooks part and starts its background tasks. */
export function startWebhooks(context: ServiceContext, options: WebhooksOptions): Webhooks {
  const { settings, logs, metrics, storage, now } = context;
  const { database, cipher } = storage;
  const { reader } = database;
  const log = logs.for('WebhookService');
  const stack = new AsyncDisposableStack();

  const recorder = stack.use(new TrendRecorder({ database, log, now }));
  recorder.start();
  if (database.dialect === 'sqlite') stack.use(new HistoryIndex({ database, log })).start();
  stack.use(new EventBlocks({ database, log })).start();
  const triggeringLog = new TriggeringLog(logs);
  const publisher = createPublisher(context, options.queue, triggeringLog);
  const deliveryLog = new DeliveryLog(logs);
  const targets = new DeliveryTargets({ reader, cipher });
  const trends = new TrendService({ reader, recorder, now });
  const services = createServices(context, options, { targets, deliveryLog });
  const { webhooks, redelivery, removal } = services;
  return {
    events: {
      async publish(tx, ...events) {
        // Every event counts, even if no webhook is triggered.
        tx.onCommit(() => {
          for (const event of events) {
            metrics.eventOccurred(event.subtopic);
            recorder.eventOccurred();
            triggeringLog.occurred(event);
          }
        });
        await publisher.publish(tx, ...events);
      },
    },
    onDeleted: (tx, asset) => webhooks.assetDeleted(tx, asset),
    attempted: (webhookId, succeeded, durationMs) => recorder.attempted(webhookId, succeeded, durationMs),
    targets,
    deliveryLog,
    trends,
    troubles: new WebhookTroubles({ reader }),
    deadLetters: new DeadLetterSteps({ reader, redelivery, removal, now }),
    eventLog: services.events,
    cleaningSteps: [
      ...historyCleaningSteps({
        database,
        lines: options.queue.lines,
        historyDays: settings.delivery_history_days,
        deadLetterDays: settings.dead_letter_days,
        now,
      }),
      { name: 'counters of charts', run: (limit) => recorder.forgetOld(limit) },
    ],
    addRoutes(routes) {
      addServiceRoutes(routes, context, services);
      trendRoutes(routes, trends);
      healthRoutes(routes, new WebhookHealthService({ reader, queue: options.queue, trends }));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Enqueues messages, unless the webhooks service is switched off. Then events are only recorded. */
function createPublisher(
  { settings, metrics, tracing, now }: ServiceContext,
  queue: MessageQueue,
  triggeringLog: TriggeringLog,
): EventPublisher<Transaction> {
  if (!settings.enable_webhooks_service) return new RecordingPublisher({ now });
  return new WebhookPublisher({
    queue,
    trace: traceOf(tracing),
    now,
    onPublished: (event, webhookIds) => {
      metrics.messagesEnqueued(event.subtopic, webhookIds.length);
      triggeringLog.triggered(event, webhookIds);
    },
  });
}

function createServices(
  { settings, logs, storage, tracing, now }: ServiceContext,
  { queue, checkTargetUrl, send }: WebhooksOptions,
  { targets, deliveryLog }: Pick<Webhooks, 'targets' | 'deliveryLog'>,
) {
  const { database, cipher } = storage;
  const { lines } = queue;
  const log = logs.for('WebhookService');
  const trace = traceOf(tracing);
  const webhooks = new WebhookService({
    database,
    cipher,
    lines,
    checkTargetUrl,
    readAssetNames,
    maxWebhooks: settings.max_webhooks,
    readOnly: !settings.enable_webhooks_service,
    log,
    now,
  });
  return {
    webhooks,
    events: new EventService({ database, lines, log }),
    replays: new ReplayService({ database, lines, webhooks, trace, now }),
    redelivery: new RedeliveryService({ database, lines, webhooks, trace, now }),
    removal: new DeadLetterRemoval({ database, lines, webhooks, now }),
    waiting: new WaitingMessages({ database, lines, webhooks, deliveryLog, now }),
    tests: new TestMessages({ webhooks, targets, send, now }),
    lines: new LineService({
      database,
      lines,
      queue,
      webhooks,
      delivers: () => storage.instances.anyDelivers,
      deliveryLog,
      now,
    }),
    signing: new SigningService({
      database,
      cipher,
      lines,
      assertWritable: () => webhooks.assertWritable(),
      log,
      now,
    }),
  };
}

function addServiceRoutes(
  routes: Routes,
  { storage, idempotency, now }: ServiceContext,
  services: ReturnType<typeof createServices>,
): void {
  const { webhooks, events, replays, redelivery, removal, waiting, tests, lines, signing } = services;
  const { reader } = storage.database;
  webhookRoutes(routes, webhooks, idempotency);
  eventRoutes(routes, events);
  replayRoutes(routes, { replays, idempotency });
  deliveryRoutes(routes, { reader, redelivery, removal, idempotency });
  lineRoutes(routes, { lines, idempotency, now });
  waitingRoutes(routes, { waiting, lines, idempotency, now });
  signingRoutes(routes, signing, idempotency);
  testMessageRoutes(routes, { tests, webhooks });
}

/** Continues the trace of a request in its messages, if there are traces. */
function traceOf(tracing: Tracing | null) {
  return tracing === null ? undefined : traceMessages(tracing);
}
