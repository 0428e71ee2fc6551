import type { ServiceEvent } from '../../events/event.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { type LoggingMode, messageLoggingMode } from '../configuration/logging-mode.ts';
import type { MatchedWebhook } from '../configuration/trigger-store.ts';

/** What a message says of an event. */
export interface DatedEvent extends Pick<ServiceEvent, 'subtopic' | 'resource' | 'user'> {
  /** The message's timestamp, in epoch milliseconds. */
  occurredAt: number;
}

/**
 * Builds the messages of an event (section 6.2): what is the same for every webhook is serialised once.
 * Members stand in the specification's order, and the text is what every target gets, byte for byte.
 */
export class MessageBuilder {
  readonly #shared: string;

  constructor({ subtopic, resource, user, occurredAt }: DatedEvent) {
    const shared = JSON.stringify({ subtopic, resource, user, timestamp: formatDateTime(occurredAt) });
    this.#shared = shared.slice(1, -1);
  }

  /** The message for a webhook. */
  build(webhook: MatchedWebhook): string {
    return (
      `{"subscription_id":${webhook.id},"name":${JSON.stringify(webhook.name)},"topic":"${webhook.topic}",` +
      `${this.#shared},"target_url":${JSON.stringify(webhook.target_url)},` +
      `"logging_mode":"${messageLoggingMode(webhook.logging_mode as LoggingMode)}","max_attempts":${webhook.max_attempts}}`
    );
  }
}
