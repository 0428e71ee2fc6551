import type { Transaction } from '../database/database.ts';
import type { EventPublisher, ServiceEvent } from '../events/event.ts';
import type { MessageQueue, QueueMessage } from '../queue/message-queue.ts';
import { MessageBuilder } from './message.ts';
import { type MatchedWebhook, readMatchingWebhooks } from './trigger-store.ts';

/** Turns events into messages on the queue, in the transaction of the change that caused them. */
export class WebhookPublisher implements EventPublisher<Transaction> {
  readonly #queue: MessageQueue;
  readonly #newMessageId: () => string;
  readonly #countEvent: (subtopic: string, messages: number) => void;

  constructor({
    queue,
    newMessageId,
    countEvent,
  }: {
    queue: MessageQueue;
    newMessageId: () => string;
    countEvent: (subtopic: string, messages: number) => void;
  }) {
    this.#queue = queue;
    this.#newMessageId = newMessageId;
    this.#countEvent = countEvent;
  }

  async publish(tx: Transaction, ...events: readonly ServiceEvent[]): Promise<void> {
    const matches: MatchedWebhook[][] = [];
    for (const event of events) matches.push(await readMatchingWebhooks(tx, event));
    if (events.length > 1) {
      // Of all events together: held one event after another, two transactions could wait for each other's lines.
      const lineIds = new Set(matches.flatMap((webhooks) => webhooks.map(({ id }) => id)));
      await this.#queue.holdLines(tx, [...lineIds]);
    }
    for (const [n, event] of events.entries()) await this.#enqueue(tx, event, matches[n]!);
  }

  async #enqueue(tx: Transaction, event: ServiceEvent, webhooks: readonly MatchedWebhook[]): Promise<void> {
    if (webhooks.length > 0) {
      const builder = new MessageBuilder(event);
      const messages = webhooks.map(
        (webhook): QueueMessage => ({
          lineId: webhook.id,
          messageId: this.#newMessageId(),
          label: event.subtopic,
          body: builder.build(webhook),
          enqueuedAt: event.occurredAt,
        }),
      );
      await this.#queue.enqueue(tx, messages);
    }
    tx.onCommit(() => this.#countEvent(event.subtopic, webhooks.length));
  }
}

/** Takes events while the webhooks service is disabled: none triggers anything (section 3). */
export const silentPublisher: EventPublisher<Transaction> = {
  publish: () => Promise.resolve(),
};
