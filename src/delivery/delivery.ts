import type { Metrics } from '../observability/metrics.ts';
import type { ReadinessCheck } from '../observability/readiness.ts';
import type { DeliveryQueue } from '../queue/message-queue.ts';
import type { ServiceContext } from '../service-context.ts';
import { delivers } from '../settings/delivers.ts';
import { allowedTargetNetworks, describeTargetNetworks } from '../settings/networks.ts';
import { SECOND_MS } from '../time/units.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { AttemptTraces } from './attempt-traces.ts';
import { ConnectionTroubles } from './connection-troubles.ts';
import type { DeliveryMetrics } from './delivery-reports.ts';
import { DeliveryWorker } from './delivery-worker.ts';
import { PostbackSender } from './postback-sender.ts';
import { TargetGuard } from './target-guard.ts';
import { watchWaits } from './wait-watch.ts';

/** Creates the sender of postbacks, and the guard that decides which targets it may reach. */
export function createSender({ settings, version, logs, now }: ServiceContext): {
  guard: TargetGuard;
  sender: PostbackSender;
} {
  const allowedNetworks = allowedTargetNetworks(settings);
  logs.for('Service').info(describeTargetNetworks(settings), { networks: allowedNetworks });
  const guard = new TargetGuard({ allowedNetworks });
  const deadlineMs = settings.delivery_timeout * SECOND_MS;
  return { guard, sender: new PostbackSender({ guard, version, deadlineMs, now }) };
}

/**
 * The time limit of a notice of an alert. The limit is short, because someone may be waiting for the result of a test.
 */
const NOTICE_DEADLINE_MS = 15 * SECOND_MS;

/**
 * Creates the sender of notices to URLs, which obeys the same guard as postbacks. It has its own connections, so that slow
 * targets cannot delay alerts about them.
 */
export function createNoticePoster({ version, now }: ServiceContext, guard: TargetGuard): PostbackSender {
  return new PostbackSender({ guard, version, deadlineMs: NOTICE_DEADLINE_MS, now });
}

/** Delivery by this instance. Its checks are null if it delivers nothing. */
export interface Delivery extends AsyncDisposable {
  /** Fails if no messages can be received. */
  check: ReadinessCheck | null;
  /** Fails while webhooks wait because the outcomes of their messages cannot be stored. */
  checkOutcomes: ReadinessCheck | null;
  /** Whether this instance is unable to connect to targets. */
  connectionTroubles: Pick<ConnectionTroubles, 'current' | 'check'>;
}

/** Starts to deliver queued messages if the settings allow it. Disposing waits for the requests in flight. */
export function startDelivery(
  { settings, logs, metrics, storage, tracing, now, random }: ServiceContext,
  { queue, sender, webhooks }: { queue: DeliveryQueue; sender: PostbackSender; webhooks: Webhooks },
): Delivery {
  const stack = new AsyncDisposableStack();
  const dispose = () => stack.disposeAsync();
  const connectionTroubles = new ConnectionTroubles({ now });
  if (!delivers(settings)) {
    logs
      .for('Service')
      .warn(
        settings.enable_webhooks_service
          ? 'enable_queue_polling is false: messages are queued, but this instance delivers none'
          : 'enable_webhooks_service is false: no event triggers a webhook, nothing is delivered, and webhooks are Read Only',
      );
    return { check: null, checkOutcomes: null, connectionTroubles, [Symbol.asyncDispose]: dispose };
  }
  const worker = stack.use(
    new DeliveryWorker({
      database: storage.database,
      queue,
      sender,
      targets: webhooks.targets,
      deliveryLog: webhooks.deliveryLog,
      metrics: countedForCharts(metrics, webhooks.attempted),
      connectionTroubles,
      traces: tracing === null ? null : new AttemptTraces(tracing, now),
      log: logs.for('DeliveryPoller'),
      options: {
        concurrency: settings.delivery_concurrency,
        timeoutMs: settings.delivery_timeout * SECOND_MS,
        retryInitialMs: settings.retry_initial_delay * SECOND_MS,
        retryMaxMs: settings.retry_max_delay * SECOND_MS,
        pollIntervalMs: settings.queue_polling_interval * SECOND_MS,
        shutdownTimeoutMs: settings.shutdown_timeout * SECOND_MS,
      },
      now,
      random,
    }),
  );
  worker.start();
  const waits = stack.use(
    watchWaits({
      queue,
      log: logs.for('DeliveryPoller'),
    }),
  );
  waits.start();
  return {
    check: () => worker.check(),
    checkOutcomes: () => worker.checkOutcomes(),
    connectionTroubles,
    [Symbol.asyncDispose]: dispose,
  };
}

/** Counts attempts both for the metrics and for the charts. */
function countedForCharts(metrics: Metrics, attempted: Webhooks['attempted']): DeliveryMetrics {
  return {
    attempted(outcome, durationMs, webhookId) {
      metrics.attempted(outcome, durationMs);
      attempted(webhookId, outcome === 'success', durationMs);
    },
    arrived: (sinceEventMs) => metrics.arrived(sinceEventMs),
    discarded: (count) => metrics.discarded(count),
    postponed: (cause) => metrics.postponed(cause),
    queueFailed: () => metrics.queueFailed(),
  };
}
