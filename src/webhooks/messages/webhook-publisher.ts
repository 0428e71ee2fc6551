import type { Transaction } from '../../database/database.ts';
import type { EventPublisher, ServiceEvent } from '../../events/event.ts';
import type { MessageQueue, QueueMessage } from '../../queue/message-queue.ts';
import { type MatchedWebhook, readMatchingWebhooks } from '../configuration/trigger-store.ts';
import { MessageBuilder } from './message.ts';

/** Messages that are built and held in memory together. */
const MESSAGES_AT_A_TIME = 500;

/** Called once an event was committed, with the webhooks that got a message of it. */
export type OnPublished = (event: ServiceEvent, webhooks: readonly { readonly id: number }[]) => void;

/** Turns events into messages on the queue, in the transaction of the change that caused them. */
export class WebhookPublisher implements EventPublisher<Transaction> {
  readonly #queue: MessageQueue;
  readonly #newMessageId: () => string;
  readonly #onPublished: OnPublished;

  constructor({
    queue,
    newMessageId,
    onPublished,
  }: {
    queue: MessageQueue;
    newMessageId: () => string;
    onPublished: OnPublished;
  }) {
    this.#queue = queue;
    this.#newMessageId = newMessageId;
    this.#onPublished = onPublished;
  }

  async publish(tx: Transaction, ...events: readonly ServiceEvent[]): Promise<void> {
    const matches: MatchedWebhook[][] = [];
    for (const event of events) matches.push(await readMatchingWebhooks(tx, event));
    const lineIds = new Set(matches.flatMap((webhooks) => webhooks.map(({ id }) => id)));
    if (lineIds.size > 0) {
      // Of all events together: held one event after another, two transactions could wait for each other's lines.
      const occurredAt = await this.#queue.holdLines(tx, [...lineIds]);
      const messages = this.#build(events, matches, occurredAt);
      for (const some of slicesOf(messages, MESSAGES_AT_A_TIME)) await this.#queue.enqueue(tx, some);
    }
    for (const [n, event] of events.entries()) tx.onCommit(() => this.#onPublished(event, matches[n]!));
  }

  /** Event by event, so that each line gets them in their order. */
  *#build(
    events: readonly ServiceEvent[],
    matches: readonly (readonly MatchedWebhook[])[],
    occurredAt: number,
  ): Generator<QueueMessage> {
    for (const [n, event] of events.entries()) {
      const builder = new MessageBuilder({ ...event, occurredAt });
      for (const webhook of matches[n]!) {
        yield {
          lineId: webhook.id,
          messageId: this.#newMessageId(),
          label: event.subtopic,
          body: builder.build(webhook),
          enqueuedAt: occurredAt,
        };
      }
    }
  }
}

function* slicesOf<T>(items: Iterable<T>, length: number): Generator<T[]> {
  let slice: T[] = [];
  for (const item of items) {
    slice.push(item);
    if (slice.length < length) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

/** Takes events while the webhooks service is disabled: none triggers anything (section 3). */
export const silentPublisher: EventPublisher<Transaction> = {
  publish: () => Promise.resolve(),
};
