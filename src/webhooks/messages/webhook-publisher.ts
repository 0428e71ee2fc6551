import type { Transaction } from '../../database/database.ts';
import type { EventPublisher, ServiceEvent } from '../../events/event.ts';
import type { MessageQueue, QueueMessage } from '../../queue/message-queue.ts';
import { type MatchedWebhook, readMatchingWebhooks } from '../configuration/trigger-store.ts';
import { MessageBuilder } from './message.ts';

/**
 * What is the same in the messages of an event is stored once when that saves so many characters. Below it, reading the part
 * and removing it later cost more than they save.
 */
const SHARED_FROM_SAVING = 16_384;
/** Messages that are built and held in memory together. */
const MESSAGES_AT_A_TIME = 500;

/** Called once an event was committed, with the webhooks that got a message of it. */
export type OnPublished = (event: ServiceEvent, webhooks: readonly { readonly id: number }[]) => void;

/** Dependencies of {@link WebhookPublisher}. */
export interface WebhookPublisherDependencies {
  queue: MessageQueue;
  newMessageId: () => string;
  onPublished: OnPublished;
}

/** Enqueues the messages of events, in the transaction of the change that caused them. */
export class WebhookPublisher implements EventPublisher<Transaction> {
  readonly #with: WebhookPublisherDependencies;

  constructor(dependencies: WebhookPublisherDependencies) {
    this.#with = dependencies;
  }

  async publish(tx: Transaction, ...events: readonly ServiceEvent[]): Promise<void> {
    const matches: MatchedWebhook[][] = [];
    for (const event of events) matches.push(await readMatchingWebhooks(tx, event));
    const lineIds = new Set(matches.flatMap((webhooks) => webhooks.map(({ id }) => id)));
    if (lineIds.size > 0) {
      // For all events together: locking the lines of one event after another could cause a deadlock.
      const occurredAt = await this.#with.queue.lockLines(tx, [...lineIds]);
      let messages: QueueMessage[] = [];
      // Event by event, so that each line gets them in their order.
      for (const [n, event] of events.entries()) {
        const builder = new MessageBuilder({ ...event, occurredAt });
        const sharedId = await this.#share(tx, builder, matches[n]!.length);
        for (const webhook of matches[n]!) {
          messages.push({
            lineId: webhook.id,
            messageId: this.#with.newMessageId(),
            label: event.subtopic,
            body: builder.build(webhook),
            ...(sharedId === null ? {} : { shared: { id: sharedId, own: builder.buildOwnPart(webhook) } }),
            enqueuedAt: occurredAt,
          });
          if (messages.length < MESSAGES_AT_A_TIME) continue;
          await this.#with.queue.enqueue(tx, messages);
          messages = [];
        }
      }
      await this.#with.queue.enqueue(tx, messages);
    }
    for (const [n, event] of events.entries()) tx.onCommit(() => this.#with.onPublished(event, matches[n]!));
  }

  /** Returns the id of what the messages have in common, or null when each is stored whole. */
  async #share(tx: Transaction, { shared }: MessageBuilder, messages: number): Promise<number | null> {
    const saving = shared.length * (messages - 1);
    return saving < SHARED_FROM_SAVING ? null : await this.#with.queue.share(tx, shared);
  }
}

/** Accepts events while the webhooks service is disabled, without triggering webhooks (section 3). */
export const silentPublisher: EventPublisher<Transaction> = {
  publish: () => Promise.resolve(),
};
