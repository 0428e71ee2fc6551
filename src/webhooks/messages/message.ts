import type { ServiceEvent } from '../../events/event.ts';
import { ownPart } from '../../queue/shared-bodies.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { type LoggingMode, messageLoggingMode } from '../configuration/logging-mode.ts';
import type { MatchedWebhook } from '../configuration/trigger-store.ts';

/** The data of an event in a message. */
export interface DatedEvent extends Pick<ServiceEvent, 'subtopic' | 'resource' | 'user'> {
  /** The message's timestamp, in epoch milliseconds. */
  occurredAt: number;
}

/**
 * Builds the messages of an event. The common part is serialized once. Members have the order of the documentation
 * (docs/receiving.md), and targets get exactly this text, byte for byte.
 */
export class MessageBuilder {
  /** The common part of the messages for all webhooks. */
  readonly shared: string;

  /** @param event the event, or the common part of its messages as it was stored */
  constructor(event: DatedEvent | string) {
    if (typeof event === 'string') {
      this.shared = event;
      return;
    }
    const { subtopic, resource, user, occurredAt } = event;
    const shared = JSON.stringify({ subtopic, resource, user, timestamp: formatDateTime(occurredAt) });
    this.shared = shared.slice(1, -1);
  }

  /** The message for a webhook. */
  build(webhook: MatchedWebhook): string {
    return beginningOf(webhook) + this.shared + endOf(webhook);
  }

  /** The message for a webhook as stored, without the common part. */
  buildOwnPart(webhook: MatchedWebhook): string {
    return ownPart(beginningOf(webhook), endOf(webhook));
  }
}

function beginningOf({ id, name, topic }: MatchedWebhook): string {
  return `{"subscription_id":${id},"name":${JSON.stringify(name)},"topic":"${topic}",`;
}

function endOf({ target_url, logging_mode, max_attempts }: MatchedWebhook): string {
  return (
    `,"target_url":${JSON.stringify(target_url)},` +
    `"logging_mode":"${messageLoggingMode(logging_mode as LoggingMode)}","max_attempts":${max_attempts}}`
  );
}
