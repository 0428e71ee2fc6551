import type { Actor } from '../../audit/actor.ts';
import { type Database, inTransaction, type Reader, type Transaction } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';
import type {
  HeadAction,
  LineActions,
  LineReader,
  LineState,
  RedriveLimit,
} from '../../queue/message-queue.ts';
import type { WebhookService } from '../configuration/webhook-service.ts';
import { existingWebhookState } from '../configuration/webhook-state.ts';
import { requireWebhook } from '../configuration/webhook-store.ts';
import type { DeliveryLog } from '../history/delivery-log.ts';
import { readDeliveryOfMessage } from '../history/delivery-store.ts';
import { inFlightConflict, recordSkipped } from './removed-messages.ts';

/** The line of a webhook, with the error of the latest attempt of its head. */
export interface Line extends LineState {
  webhookId: number;
  lastErrorMessage: string | null;
  /** After how many attempts a message is moved to the dead-letter queue. */
  effectiveAttempts: number;
  /**
   * Why the head cannot be read, so that the line waits, as the end of a sentence; null if it can be. Within a transaction,
   * this is not known, and null.
   */
  unreadable: string | null;
  /** True if the webhook is active and paused. */
  paused: boolean;
  /** False if the settings of every instance turn delivery off. */
  delivers: boolean;
}

/** Dependencies of {@link LineService}. */
export interface LineServiceDependencies {
  database: Database;
  lines: LineReader & LineActions;
  queue: RedriveLimit;
  webhooks: Pick<WebhookService, 'assertWritable'>;
  /** Whether any instance delivers. */
  delivers: () => boolean;
  deliveryLog: Pick<DeliveryLog, 'deadLettered'>;
  now: () => number;
}

/** The lines of webhooks, and manual actions on their heads. */
export class LineService {
  readonly #with: LineServiceDependencies;

  constructor(dependencies: LineServiceDependencies) {
    this.#with = dependencies;
  }

  /** @throws {ProblemError} `not-found` */
  async line(webhookId: number, tx?: Pick<Reader, 'query' | 'all' | 'allFor'>): Promise<Line> {
    const reader = tx ?? this.#with.database.reader;
    const webhook = await requireWebhook(reader, webhookId);
    const state = await this.#with.lines.line(webhookId, reader);
    const last = state.head === null ? undefined : await readDeliveryOfMessage(reader, state.head.messageId);
    return {
      webhookId,
      ...state,
      lastErrorMessage: last?.error ?? null,
      // The database may fail to read it, which would end a transaction.
      unreadable: tx === undefined ? await this.#with.lines.whyHeadIsUnreadable(webhookId) : null,
      effectiveAttempts: Math.min(webhook.max_attempts, this.#with.queue.maxReceives),
      paused: existingWebhookState(webhook) === 'PAUSED',
      delivers: this.#with.delivers(),
    };
  }

  /**
   * Makes the head due now, or moves it to the dead-letter queue. With `messageId`, only if that message is the
   * head. @throws {ProblemError} `not-found`, `conflict`, `webhooks-read-only`
   */
  async actOnHead(
    webhookId: number,
    action: HeadAction,
    messageId: string | undefined,
    by: Actor,
    open?: Transaction,
  ): Promise<Line> {
    const { database, lines, webhooks, deliveryLog, now } = this.#with;
    webhooks.assertWritable();
    return await inTransaction(database, open, async (tx) => {
      const webhook = await requireWebhook(tx, webhookId);
      if (action === 'retry' && existingWebhookState(webhook) === 'PAUSED')
        throw new ProblemError('conflict', 'The webhook is paused. Resume it first');
      const result = await lines.actOnHead(tx, webhookId, action, messageId);
      switch (result.outcome) {
        case 'empty':
          throw new ProblemError('conflict', 'The line of this webhook is empty');
        case 'other-head':
          throw new ProblemError('conflict', 'Another message is now the head of the line');
        case 'in-flight':
          throw inFlightConflict('The head of the line');
        case 'done':
          if (result.message !== null)
            await recordSkipped(tx, webhook, result.message, { by, at: now(), deliveryLog });
      }
      return await this.line(webhookId, tx);
    });
  }
}
