import type { Transaction } from '../../database/database.ts';
import { sent } from '../../database/sent.ts';
import type { EventPublisher, ServiceEvent } from '../../events/event.ts';
import type { EventQueue, QueueMessage } from '../../queue/message-queue.ts';
import { insertSharedBody } from '../../queue/shared-bodies.ts';
import { type FoundWebhook, readMatchingWebhooks } from '../configuration/trigger-store.ts';
import { MessageBuilder } from '../messages/message.ts';
import type { TraceMessage } from '../messages/message-traces.ts';
import { eventMessage } from './event-message.ts';
import { type NewEvent, recordEvents } from './event-recorder.ts';
import { nextEventIds, nextEventIdsWithRevisions } from './event-store.ts';

/**
 * The minimum number of characters that storing the common part of an event and its messages once must save. Below it, reading
 * and removing the part costs more than it saves.
 */
const SHARED_FROM_SAVING = 16_384;
/** Number of messages that are built together in memory. */
const MESSAGES_AT_A_TIME = 500;

/** Called once an event has been committed, with the ids of the webhooks for which it has messages. */
export type OnPublished = (event: ServiceEvent, webhookIds: readonly number[]) => void;

/** Dependencies of {@link WebhookPublisher}. */
export interface WebhookPublisherDependencies {
  queue: EventQueue;
  onPublished: OnPublished;
  /** Undefined if nothing is traced. */
  trace?: TraceMessage | undefined;
  now: () => number;
}

/** Records events and enqueues their messages, in the transaction of the change that caused them. */
export class WebhookPublisher implements EventPublisher<Transaction> {
  readonly #with: WebhookPublisherDependencies;

  constructor(dependencies: WebhookPublisherDependencies) {
    this.#with = dependencies;
  }

  async publish(tx: Transaction, ...events: readonly ServiceEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { queue, now } = this.#with;
    const found = await readMatches(tx, events);
    // All lines are locked together: locking the lines of one event after another could cause a deadlock.
    const [{ at: occurredAt, isLate }, { ids, isCurrent }] = await Promise.all([
      found.webhooks.size > 0
        ? queue.lines.lockLines(tx, [...found.webhooks.keys()])
        : { at: now(), isLate: false },
      drawIds(tx, events.length, found.webhooks),
    ]);
    const { webhooks, matches } =
      isCurrent && !isLate ? found : withoutUnlocked(await readMatches(tx, events), found);
    const recorded: NewEvent[] = [];
    let messages: QueueMessage[] = [];
    // Messages are enqueued event by event, so that each line has them in the order of the events.
    for (const [n, event] of events.entries()) {
      const matched = matches[n]!;
      const builder = new MessageBuilder({ ...event, occurredAt });
      const sharedId = await this.#share(tx, builder, matched.length);
      const stored = { id: ids[n]!, occurredAt, sharedId };
      recorded.push({ ...stored, event, shared: builder.shared, matched });
      for (const webhookId of matched) {
        const message = eventMessage(
          { ...stored, subtopic: event.subtopic },
          builder,
          webhooks.get(webhookId)!,
        );
        messages.push(this.#with.trace?.(tx, message) ?? message);
        if (messages.length < MESSAGES_AT_A_TIME) continue;
        await queue.enqueue(tx, messages);
        messages = [];
      }
    }
    for (const [n, event] of events.entries()) tx.onCommit(() => this.#with.onPublished(event, matches[n]!));
    await sent(tx, [queue.enqueue(tx, messages), recordEvents(tx, recorded)]);
  }

  /** Returns the id of the common part, or null if each message is stored whole. */
  async #share(tx: Transaction, { shared }: MessageBuilder, messages: number): Promise<number | null> {
    return shared.length * messages < SHARED_FROM_SAVING ? null : await insertSharedBody(tx, shared);
  }
}

/** Which webhooks events match. */
interface Matches {
  /** Each webhook once, because many events of many webhooks would take all memory. */
  webhooks: Map<number, FoundWebhook>;
  /** The ids for each event. */
  matches: number[][];
}

async function readMatches(tx: Transaction, events: readonly ServiceEvent[]): Promise<Matches> {
  const webhooks = new Map<number, FoundWebhook>();
  const matches = await Promise.all(
    events.map(async (event) => {
      const matching = await readMatchingWebhooks(tx, event);
      // The earliest revision is kept, because the webhook may change between the events.
      for (const webhook of matching) if (!webhooks.has(webhook.id)) webhooks.set(webhook.id, webhook);
      return matching.map(({ id }) => id);
    }),
  );
  return { webhooks, matches };
}

/**
 * Draws the ids of events after the lines were locked. On PostgreSQL, it also detects whether a webhook was changed
 * or deleted while the event waited for the locks. Such a change needs them as well.
 */
async function drawIds(
  tx: Transaction,
  count: number,
  webhooks: ReadonlyMap<number, FoundWebhook>,
): Promise<{ ids: number[]; isCurrent: boolean }> {
  if (tx.dialect === 'sqlite' || webhooks.size === 0)
    return { ids: await nextEventIds(tx, count), isCurrent: true };
  const { ids, revisions } = await nextEventIdsWithRevisions(tx, count, [...webhooks.keys()]);
  // Revisions only grow.
  const before = webhooks.values().reduce((sum, { revision }) => sum + revision, 0);
  return { ids, isCurrent: revisions === before };
}

/**
 * Matches without webhooks whose lines are not locked: locking further ones could cause a deadlock. These webhooks
 * began to match while the event waited, so the event counts as earlier.
 */
function withoutUnlocked({ webhooks, matches }: Matches, locked: Matches): Matches {
  return { webhooks, matches: matches.map((ids) => ids.filter((id) => locked.webhooks.has(id))) };
}

/** Records events while the webhooks service is disabled, without triggering webhooks. */
export class RecordingPublisher implements EventPublisher<Transaction> {
  readonly #now: () => number;

  constructor({ now }: { now: () => number }) {
    this.#now = now;
  }

  async publish(tx: Transaction, ...events: readonly ServiceEvent[]): Promise<void> {
    if (events.length === 0) return;
    const occurredAt = this.#now();
    const ids = await nextEventIds(tx, events.length);
    await recordEvents(
      tx,
      events.map((event, n) => {
        const { shared } = new MessageBuilder({ ...event, occurredAt });
        return { id: ids[n]!, event, occurredAt, shared, sharedId: null, matched: null };
      }),
    );
  }
}
