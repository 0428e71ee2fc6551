import { SUBTOPICS, topicOf } from '../../events/catalogue.ts';
import type { Logger, Logs } from '../../observability/log.ts';
import { queryCensor, withoutQueries, withoutQuery } from '../../observability/url-censor.ts';
import type { QueueMessage } from '../../queue/message-queue.ts';
import type { LogClassName } from '../../settings/log-classes.ts';
import { formatDateTime } from '../../time/date-time.ts';
import {
  effectiveLoggingMode,
  type LogExtent,
  type LoggingMode,
  logExtentOf,
  type RelevantLevels,
  TRIGGERING_CLASSES,
} from '../configuration/logging-mode.ts';
import type { StatusReason } from './delivery-status.ts';
import { postbackFailureMessage } from './postback-failure.ts';

const DELIVERY_CLASS: LogClassName = 'PostbackDelivery';

/** A message and its webhook, for the log. */
export interface LoggedMessage {
  readonly webhookId: number;
  /** The webhook's own logging mode. */
  readonly mode: LoggingMode;
  /** The message's own. Its topic may differ from that of a webhook that was changed since. */
  readonly subtopic: string;
  readonly messageId: string;
  /** The postback body. */
  readonly message: string;
}

/** An attempt to deliver a message. */
export interface LoggedAttempt extends LoggedMessage {
  /** Counted from 1. */
  readonly attempt: number;
  readonly succeeded: boolean;
  /** HTTP status of the response; null if there was none. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Whether the request was sent a second time within the attempt. */
  readonly resent: boolean;
  readonly targetUrl: string;
  /** The part of the response body that was read, without the credentials that were sent. */
  readonly responseBody: string | null;
  /** Why the attempt failed; null for a success. */
  readonly reason: string | null;
  /** When the next attempt is due, in epoch milliseconds; null if there will be none. */
  readonly willRetryAt: number | null;
  /** Whether this was the last attempt, after which the message was moved to the dead-letter queue. */
  readonly deadLettered: boolean;
}

/** A message that left the queue without an attempt. */
export interface LoggedRemoval extends LoggedMessage {
  readonly reason: StatusReason;
}

/** The entry for a message that leaves the queue without an attempt. @param mode of its webhook */
export function removalOf(
  mode: LoggingMode,
  { lineId, label, messageId, body }: QueueMessage,
  reason: StatusReason,
): LoggedRemoval {
  return { webhookId: lineId, mode, subtopic: label, messageId, message: body, reason };
}

/** Reasons in words that end the sentence "discarded: …". */
const REASONS: Readonly<Record<StatusReason, string>> = {
  ATTEMPTS_EXHAUSTED: 'all attempts failed',
  SKIPPED: 'skipped manually',
  PURGED: 'purged manually',
  REMOVED: 'removed from the dead letters manually',
  WEBHOOK_DELETED: 'the webhook was deleted',
  WEBHOOK_INACTIVE: 'the webhook is inactive',
  BEFORE_IGNORE_DT: 'the event occurred before ignore_before_dt',
};

/**
 * The log lines of deliveries, one for each attempt, as detailed as the webhook's logging mode and the log levels
 * require (docs/operating.md, Logs). They are written regardless of the general level: info for a success, warn for a failure,
 * error for a message that was dead-lettered.
 */
export class DeliveryLog {
  readonly #log: Logger;
  /** By subtopic. A later release, which may run at the same time, may have others. */
  readonly #levels: ReadonlyMap<string, RelevantLevels>;
  readonly #generalLevels: RelevantLevels;

  constructor(logs: Logs) {
    this.#log = logs.always(DELIVERY_CLASS);
    this.#generalLevels = { generalLevel: logs.level, classLevel: logs.level };
    this.#levels = new Map(
      SUBTOPICS.map((subtopic) => [
        subtopic,
        { generalLevel: logs.level, classLevel: logs.levelOf(TRIGGERING_CLASSES[topicOf(subtopic)]) },
      ]),
    );
  }

  /** How detailed the log line of such a delivery is. Checked before collecting its data. */
  extent(mode: LoggingMode, subtopic: string, succeeded: boolean): LogExtent {
    const levels = this.#levels.get(subtopic) ?? this.#generalLevels;
    return logExtentOf(effectiveLoggingMode(mode, levels), succeeded);
  }

  /** Logs an attempt. */
  attempt(attempt: LoggedAttempt): void {
    const extent = this.extent(attempt.mode, attempt.subtopic, attempt.succeeded);
    if (extent === 'nothing') return;

    const { webhookId, subtopic, succeeded, status, targetUrl, responseBody, willRetryAt } = attempt;
    const durationMs = Math.round(attempt.durationMs);
    // The target may repeat its URL, or a part of it.
    const censored = queryCensor(targetUrl);
    const fields = {
      ...about(attempt),
      outcome: succeeded ? 'success' : 'failure',
      attempt: attempt.attempt,
      status,
      duration_ms: durationMs,
      ...(attempt.resent ? { resent: true } : {}),
      ...(willRetryAt === null ? {} : { next_attempt_dt: formatDateTime(willRetryAt) }),
      ...(attempt.deadLettered ? { dead_lettered: true } : {}),
      ...(extent === 'full'
        ? {
            target_url: withoutQuery(targetUrl),
            message: messageWithoutQuery(attempt.message),
            ...(responseBody === null ? {} : { response_body: parsed(censored(responseBody)) }),
          }
        : {}),
    };

    if (succeeded) {
      this.#log.info(
        `${subtopic} delivered to webhook ${webhookId}: ${status} in ${durationMs} ms (attempt ${attempt.attempt})`,
        fields,
      );
      return;
    }
    const failed = `${subtopic} not delivered to webhook ${webhookId} (attempt ${attempt.attempt})`;
    const reason = withoutQueries(censored(attempt.reason ?? 'unknown'));
    const why = postbackFailureMessage(withoutQuery(targetUrl), reason);
    if (attempt.deadLettered) {
      this.#log.error(`${failed}, moved to the dead-letter queue: ${why}`, fields);
    } else if (willRetryAt === null) {
      this.#log.warn(`${failed}, no further attempt: ${why}`, fields);
    } else {
      this.#log.warn(`${failed}, next attempt at ${formatDateTime(willRetryAt)}: ${why}`, fields);
    }
  }

  /**
   * Logs a message that was discarded without an attempt: its event is too old, or its webhook is inactive or
   * deleted.
   */
  discarded(removal: LoggedRemoval): void {
    const extent = this.extent(removal.mode, removal.subtopic, true);
    if (extent === 'nothing') return;
    this.#log.info(
      `${removal.subtopic} for webhook ${removal.webhookId} discarded: ${REASONS[removal.reason]}`,
      {
        ...about(removal),
        outcome: 'discarded',
        reason: removal.reason,
        ...(extent === 'full' ? { message: messageWithoutQuery(removal.message) } : {}),
      },
    );
  }

  /**
   * Logs a message that was moved to the dead-letter queue without an attempt, for example because someone skipped
   * it.
   */
  deadLettered(removal: LoggedRemoval): void {
    const extent = this.extent(removal.mode, removal.subtopic, false);
    if (extent === 'nothing') return;
    this.#log.error(
      `${removal.subtopic} for webhook ${removal.webhookId} moved to the dead-letter queue: ${REASONS[removal.reason]}`,
      {
        ...about(removal),
        outcome: 'failure',
        reason: removal.reason,
        dead_lettered: true,
        ...(extent === 'full' ? { message: messageWithoutQuery(removal.message) } : {}),
      },
    );
  }
}

function about({ subtopic, webhookId, messageId }: LoggedMessage) {
  return { event: subtopic, webhook_id: webhookId, message_id: messageId };
}

/** A body as an object, which log tools can search, or as text if it is not JSON. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** A postback body as an object, without the query of its `target_url`. */
function messageWithoutQuery(body: string): unknown {
  const message = parsed(body);
  if (typeof message !== 'object' || message === null) return message;
  const { target_url: url } = message as { target_url?: unknown };
  return typeof url === 'string' ? { ...message, target_url: withoutQuery(url) } : message;
}
