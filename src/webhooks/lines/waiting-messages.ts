import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, inTransaction, type Transaction } from '../../database/database.ts';
import type { Page, PageRequest } from '../../database/page.ts';
import { notFound } from '../../problems/problem.ts';
import type {
  LineActions,
  LineReader,
  LineState,
  Purged,
  PurgeRequest,
  QueuedMessage,
} from '../../queue/message-queue.ts';
import type { LoggingMode } from '../configuration/logging-mode.ts';
import type { WebhookService } from '../configuration/webhook-service.ts';
import { requireWebhook } from '../configuration/webhook-store.ts';
import { type DeliveryLog, removalOf } from '../history/delivery-log.ts';
import { MAX_REMAINING_COUNTED } from '../history/delivery-status.ts';
import { markPurged } from '../history/delivery-store.ts';
import { readMessageOutcomes } from '../history/outcome-store.ts';
import { type MessageSubject, messageSubject } from '../messages/message-subject.ts';
import { unreadableConflict } from '../messages/unreadable-message.ts';
import { inFlightConflict, recordSkipped } from './removed-messages.ts';

/** A message that waits in a line, without its body. */
export interface WaitingMessage {
  message: Pick<QueuedMessage, 'position' | 'messageId' | 'label' | 'occurredAt'>;
  about: MessageSubject;
  /** Number of attempts since the message was queued. Only the head of a line is attempted. */
  attempts: number;
  inFlight: boolean;
  /** The id of its history entry; null if it has none yet. */
  deliveryId: number | null;
}

type MessageOutline = Pick<WaitingMessage, 'message' | 'about'>;

/** Which waiting messages are purged. */
export type WaitingPurge = Omit<PurgeRequest, 'countUpTo'>;

/** The result of one call. */
export interface PurgeResult extends Omit<Purged, 'messages'> {
  purged: number;
}

/** Dependencies of {@link WaitingMessages}. */
export interface WaitingMessagesDependencies {
  database: Database;
  lines: LineReader & LineActions;
  webhooks: Pick<WebhookService, 'assertWritable'>;
  deliveryLog: Pick<DeliveryLog, 'deadLettered' | 'discarded'>;
  now: () => number;
}

/** The messages that wait in the line of a webhook: reading, skipping and purging them. */
export class WaitingMessages {
  readonly #with: WaitingMessagesDependencies;

  constructor(dependencies: WaitingMessagesDependencies) {
    this.#with = dependencies;
  }

  /**
   * Lists waiting messages in the order of the line, the head first.
   * @throws {ProblemError} `not-found`
   */
  async list(webhookId: number, { limit, after }: PageRequest): Promise<Page<WaitingMessage>> {
    const { database, lines } = this.#with;
    await requireWebhook(database.reader, webhookId);
    const [messages, line] = await Promise.all([
      this.#outlines(webhookId, { after, limit: limit + 1 }),
      lines.line(webhookId),
    ]);
    const items = messages.slice(0, limit);
    return {
      items: await this.#described(items, line),
      next: messages.length > limit ? (items.at(-1)?.message.position ?? null) : null,
    };
  }

  /** @throws {ProblemError} `not-found`, also if the message is no longer waiting, `conflict` if it cannot be read */
  async read(webhookId: number, position: number): Promise<WaitingMessage & { body: string }> {
    const { database, lines } = this.#with;
    await requireWebhook(database.reader, webhookId);
    const [[message], line] = await Promise.all([
      lines.waiting(webhookId, { after: position - 1, limit: 1 }),
      lines.line(webhookId),
    ]);
    if (message?.position !== position) throw notFound('waiting message', position);
    if (message.unreadable !== undefined) throw unreadableConflict(message.unreadable);
    const [described] = await this.#described([outlineOf(message)], line);
    return { ...described!, body: message.body };
  }

  /**
   * Moves one message to the dead-letter queue, wherever it is in its line.
   * @throws {ProblemError} `not-found` (also if the message is no longer waiting), `conflict` while it is in flight,
   *   `webhooks-read-only`
   */
  async skip(webhookId: number, position: number, by: Actor, open?: Transaction): Promise<void> {
    const { database, lines, webhooks, deliveryLog, now } = this.#with;
    webhooks.assertWritable();
    await inTransaction(database, open, async (tx) => {
      const webhook = await requireWebhook(tx, webhookId);
      const result = await lines.skip(tx, webhookId, position);
      switch (result.outcome) {
        case 'absent':
          throw notFound('waiting message', position);
        case 'in-flight':
          throw inFlightConflict('The message');
        case 'done':
          await recordSkipped(tx, webhook, result.message, { by, at: now(), deliveryLog });
      }
    });
  }

  /**
   * Discards waiting messages, at most `limit`, and records it in the history. A message in flight stays. Messages
   * that are queued after the first call stay, too.
   * @throws {ProblemError} `not-found`, `webhooks-read-only`
   */
  async purge(webhookId: number, request: WaitingPurge, by: Actor, open?: Transaction): Promise<PurgeResult> {
    this.#with.webhooks.assertWritable();
    return await inTransaction(this.#with.database, open, async (tx) => {
      const webhook = await requireWebhook(tx, webhookId);
      const counted = { ...request, countUpTo: MAX_REMAINING_COUNTED };
      const { messages, remaining, next } = await this.#with.lines.purge(tx, webhookId, counted);
      if (messages.length > 0) {
        const at = this.#with.now();
        await markPurged(tx, messages, at);
        const details = { messages: messages.length };
        await recordAudit(
          tx,
          { by, action: 'MESSAGES_PURGED', id: webhook.id, name: webhook.name, details },
          at,
        );
      }
      const mode = webhook.logging_mode as LoggingMode;
      tx.onCommit(() => {
        for (const message of messages) this.#with.deliveryLog.discarded(removalOf(mode, message, 'PURGED'));
      });
      return { purged: messages.length, remaining, next };
    });
  }

  /** Reads large messages part by part. All together, they would fill the memory and keep the service from others. */
  async #outlines(webhookId: number, { after, limit }: PageRequest): Promise<MessageOutline[]> {
    const found: MessageOutline[] = [];
    for (let last = after; found.length < limit; last = found.at(-1)!.message.position) {
      const part = await this.#with.lines.waiting(webhookId, { after: last, limit: limit - found.length });
      if (part.length === 0) break;
      found.push(...part.map(outlineOf));
      await nextTurn();
    }
    return found;
  }

  async #described(messages: readonly MessageOutline[], { head }: LineState): Promise<WaitingMessage[]> {
    const ids = messages.map(({ message }) => message.messageId);
    const deliveries = await readMessageOutcomes(this.#with.database.reader, ids);
    return messages.map(({ message, about }) => {
      const isHead = head?.messageId === message.messageId;
      return {
        message,
        about,
        attempts: isHead ? head.receiveCount : 0,
        inFlight: isHead && head.inFlight,
        deliveryId: deliveries.get(message.messageId)?.id ?? null,
      };
    });
  }
}

function outlineOf({ position, messageId, label, occurredAt, body }: QueuedMessage): MessageOutline {
  return { message: { position, messageId, label, occurredAt }, about: messageSubject(body) };
}
