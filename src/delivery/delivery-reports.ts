import type { Logger } from '../observability/log.ts';
import { OncePerMinute } from '../observability/once-per-minute.ts';
import type { QueuedMessage, Settled } from '../queue/message-queue.ts';
import type { DeliveryTarget } from '../webhooks/delivery-targets.ts';
import { storedHeaders } from '../webhooks/history/attempt-headers.ts';
import { type DeliveryLog, removalOf } from '../webhooks/history/delivery-log.ts';
import type { AttemptSettlement } from '../webhooks/history/record-outcomes.ts';
import type { ConnectionTroubles } from './connection-troubles.ts';
import { keptHeaders } from './kept-headers.ts';
import type { PostbackResult } from './postback-sender.ts';
import type { FinishedMessage } from './settlements.ts';

/**
 * Why a message was released without an attempt: this machine cannot connect, or the origin of the target is at its
 * limit.
 */
export type PostponementCause = 'unable_to_connect' | 'origin_limit';

/** Counters of delivery. */
export interface DeliveryMetrics {
  attempted(outcome: 'success' | 'retry' | 'dead_letter', durationMs: number, webhookId: number): void;
  /**
   * The time from the event to the delivery, for messages that were delivered at the first attempt and neither
   * redelivered nor replayed.
   */
  arrived(sinceEventMs: number): void;
  discarded(count: number): void;
  postponed(cause: PostponementCause): void;
  queueFailed(): void;
}

/** Dependencies of {@link DeliveryReports}. */
export interface DeliveryReportsDependencies {
  deliveryLog: DeliveryLog;
  log: Logger;
  metrics: DeliveryMetrics;
  connectionTroubles: Pick<ConnectionTroubles, 'postponed' | 'attempted'>;
}

/** Counts and logs the results of messages. */
export class DeliveryReports {
  readonly #with: DeliveryReportsDependencies;
  readonly #postponedLines = new OncePerMinute();
  readonly #unreadableMessages = new OncePerMinute();

  constructor(dependencies: DeliveryReportsDependencies) {
    this.#with = dependencies;
  }

  /** The headers of an attempt that the history keeps, in their stored form. Null if the log omits details. */
  headersToKeep(target: DeliveryTarget, { label }: QueuedMessage, result: PostbackResult): string | null {
    if (result.requestHeaders.length === 0) return null;
    const succeeded = result.outcome === 'DELIVERED';
    const { loggingMode, credentials, targetUrl } = target;
    if (this.#with.deliveryLog.extent(loggingMode, label, succeeded) !== 'full') return null;
    const { requestHeaders, responseHeaders } = result;
    return storedHeaders(keptHeaders({ requestHeaders, responseHeaders, credentials, targetUrl }));
  }

  /** Reports an attempt. */
  attempted(target: DeliveryTarget, result: PostbackResult, settlement: AttemptSettlement): void {
    const { message, outcome } = settlement;
    const deadLettered = settlement.action === 'dead-letter';
    this.#with.connectionTroubles.attempted(target.webhookId);
    this.#with.metrics.attempted(
      outcome.succeeded ? 'success' : deadLettered ? 'dead_letter' : 'retry',
      result.durationMs,
      target.webhookId,
    );
    if (outcome.succeeded && message.receiveCount === 1 && message.requeuedAt === undefined)
      this.#with.metrics.arrived(outcome.endedAt - message.occurredAt);
    this.#with.deliveryLog.attempt({
      webhookId: target.webhookId,
      mode: target.loggingMode,
      subtopic: message.label,
      messageId: message.messageId,
      attempt: message.receiveCount,
      succeeded: outcome.succeeded,
      status: result.status,
      durationMs: result.durationMs,
      resent: result.resent,
      targetUrl: target.targetUrl,
      message: message.body,
      responseBody: result.responseBody,
      reason: result.reason,
      willRetryAt: settlement.action === 'retry' ? settlement.availableAt : null,
      deadLettered,
    });
  }

  /**
   * Reports messages that left their line without an attempt: a head that was dead-lettered, or a head that was discarded
   * together with messages behind it.
   */
  removed({ settlement, discarded }: Settled<FinishedMessage>): void {
    const { message, target, outcome } = settlement;
    const { deliveryLog, metrics } = this.#with;
    if (outcome.kind === 'discard') metrics.discarded(1 + discarded.length);
    if (target === null) return;
    if (outcome.kind === 'exhausted')
      deliveryLog.deadLettered(removalOf(target.loggingMode, message, 'ATTEMPTS_EXHAUSTED'));
    if (outcome.kind !== 'discard') return;
    for (const each of [message, ...discarded])
      deliveryLog.discarded(removalOf(target.loggingMode, each, outcome.reason));
  }

  /**
   * Reports messages that were released because this instance was frozen, or its database slow, before it sent them.
   */
  late(count: number): void {
    this.#with.log.warn(
      'released unsent messages: their leases may have expired, and another instance may have received them',
      { messages: count },
    );
  }

  /**
   * Reports messages that wait for the end of a request of their line, because the lease of that request seemed to end
   * early.
   */
  early(count: number): void {
    this.#with.log.warn(
      'messages wait for requests of their webhooks that are still in flight: the clock was set forward, or this instance was frozen',
      { messages: count },
    );
  }

  /**
   * Reports a message that was released without an attempt, with one log line per minute about the machine, and one
   * about each origin. The webhooks whose messages wait may not be logged.
   */
  postponed(webhookId: number, cause: PostponementCause, reason: string): void {
    this.#with.metrics.postponed(cause);
    if (cause === 'unable_to_connect') this.#with.connectionTroubles.postponed(webhookId, reason);
    if (!this.#postponedLines.isDue(cause === 'origin_limit' ? reason : cause)) return;
    if (cause === 'origin_limit')
      this.#with.log.warn(
        'too many requests to one target are in flight: its messages wait, and no attempt is counted',
        { origin: reason },
      );
    else
      this.#with.log.error('this machine is unable to connect: messages wait, and no attempt is counted', {
        reason,
      });
  }

  /** Reports a head that cannot be read, in the log once per minute. */
  unreadable({ lineId, label, messageId }: QueuedMessage, reason: string): void {
    this.#with.metrics.queueFailed();
    if (!this.#unreadableMessages.isDue(messageId)) return;
    this.#with.log.error(
      'a message cannot be read: its webhook waits until the message is skipped or the database is repaired, others continue',
      { webhook_id: lineId, event: label, message_id: messageId, reason },
    );
  }
}
