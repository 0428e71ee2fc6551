import type { Selectable } from 'kysely';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, inTransaction, type Reader, type Transaction } from '../../database/database.ts';
import type { Page, PageRequest } from '../../database/page.ts';
import type { DeliveryAttemptRow, WebhookRow } from '../../database/schema.ts';
import { notFound, ProblemError } from '../../problems/problem.ts';
import type { HeadAction, LineState, MessageQueue, QueueMessage } from '../../queue/message-queue.ts';
import { type WholeBody, wholeBodies } from '../../queue/shared-bodies.ts';
import type { WebhookService } from '../configuration/webhook-service.ts';
import { requireWebhook, webhookWasEver } from '../configuration/webhook-store.ts';
import type { TraceMessage } from '../messages/message-traces.ts';
import type { DeliveryFilter } from './delivery-filter.ts';
import type { DeliveryStatus } from './delivery-history.ts';
import { readDeliveryPage, readFinal, readRedeliverableMatching } from './delivery-list-store.ts';
import type { DeliveryLog } from './delivery-log.ts';
import {
  archiveLatestAttempts,
  countWithStatus,
  markQueued,
  readDelivery,
  readDeliveryOfMessage,
  readEarlierAttempts,
  type StoredDelivery,
} from './delivery-store.ts';
import {
  type RedeliverableRequest,
  type RedeliverableStep,
  readRedeliverable,
} from './redeliverable-store.ts';
import { inFlightConflict, recordSkipped } from './removed-messages.ts';

/** Maximum number of attempts of a delivery in a response. */
const MAX_ATTEMPTS_SHOWN = 100;

/** Redeliverable messages are counted up to this limit. */
const MAX_REMAINING_COUNTED = 10_000;

/** The webhook that messages are sent to again. */
type RedeliveringWebhook = Pick<WebhookRow, 'name'> & { id: number };

type LineReader = Pick<Reader, 'query' | 'all' | 'allFor'>;

/** The line of a webhook, with the error of the latest attempt of its head. */
export interface Line extends LineState {
  webhookId: number;
  lastErrorMessage: string | null;
  /** True if the webhook is active and paused. */
  paused: boolean;
  /** False if the settings of every instance turn delivery off. */
  delivers: boolean;
}

/** A delivery in a list, with its message as sent. */
export interface DeliveryInBrief {
  delivery: StoredDelivery;
  body: string;
}

/** Which messages are redelivered. */
export interface RedeliveryRequest extends Omit<RedeliverableRequest, 'webhookId'> {
  statuses: readonly ('DEAD_LETTERED' | 'DISCARDED')[];
}

/** What sending several messages again did. */
export interface RedeliveryResult {
  redelivered: number;
  /** How many may be left for further calls, counted up to a bound. */
  remaining: number;
  /** Where the next call continues; null at the end. */
  next: number | null;
}

/** A delivery with its latest attempts, in order. */
export interface DeliveryDetails {
  delivery: StoredDelivery;
  /** The message as sent. */
  body: string;
  attempts: Selectable<DeliveryAttemptRow>[];
}

/** Dependencies of {@link LineService}. */
export interface LineServiceDependencies {
  database: Database;
  queue: MessageQueue;
  webhooks: Pick<WebhookService, 'assertWritable'>;
  /** Whether any instance delivers. */
  delivers: () => boolean;
  deliveryLog: Pick<DeliveryLog, 'deadLettered'>;
  /** Undefined if nothing is traced. */
  trace?: TraceMessage | undefined;
  now: () => number;
}

/** The outcomes of a webhook's messages, and manual actions: history, redelivery, the head of the line. */
export class LineService {
  readonly #with: LineServiceDependencies;

  constructor(dependencies: LineServiceDependencies) {
    this.#with = dependencies;
  }

  /**
   * Newest first. The history of a deleted webhook can be read until it expires. @throws {ProblemError}
   * `not-found`
   */
  async deliveries(
    webhookId: number,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<DeliveryInBrief>> {
    const { reader } = this.#with.database;
    if (!(await webhookWasEver(reader, webhookId))) throw notFound('webhook', webhookId);
    const { items, next } = await readDeliveryPage(reader, { webhookId, filter, page });
    return { items: await inBrief(reader, items), next };
  }

  /** @throws {ProblemError} `not-found` */
  async delivery(webhookId: number, deliveryId: number): Promise<DeliveryDetails> {
    const delivery = await readDelivery(this.#with.database.reader, webhookId, deliveryId);
    if (delivery === undefined) throw notFound('delivery', deliveryId);
    const attempts = await readEarlierAttempts(this.#with.database.reader, deliveryId, MAX_ATTEMPTS_SHOWN);
    if (delivery.attempted_at !== null && delivery.duration_ms !== null) {
      attempts.push({
        delivery_id: delivery.id,
        attempt: delivery.attempts,
        attempted_at: delivery.attempted_at,
        duration_ms: delivery.duration_ms,
        response_status: delivery.response_status,
        response_body: delivery.response_body,
        error: delivery.error,
        resent: delivery.resent,
        headers: delivery.headers,
      });
    }
    const [whole] = await wholeBodies(this.#with.database.reader, [delivery]);
    return { delivery, body: whole!.body, attempts: attempts.slice(-MAX_ATTEMPTS_SHOWN) };
  }

  /**
   * Appends a message to the line again, with the same id.
   * @throws {ProblemError} `not-found`, `conflict` if it is waiting or the webhook is inactive,
   *   `webhooks-read-only`
   */
  async redeliver(
    webhookId: number,
    deliveryId: number,
    by: Actor,
    open?: Transaction,
  ): Promise<DeliveryInBrief> {
    this.#with.webhooks.assertWritable();
    return await inTransaction(this.#with.database, open, async (tx) => {
      await this.#with.queue.lockLines(tx, [webhookId]);
      const webhook = await requireActive(tx, webhookId);
      const delivery = await readDelivery(tx, webhookId, deliveryId);
      if (delivery === undefined) throw notFound('delivery', deliveryId);
      if (delivery.status === 'RETRYING' || delivery.status === 'QUEUED') {
        throw new ProblemError('conflict', 'The message is already waiting to be delivered');
      }
      await this.#queueAgain(tx, webhook, [delivery], by);
      const [queued] = await inBrief(tx, [(await readDelivery(tx, webhookId, deliveryId))!]);
      return queued!;
    });
  }

  /**
   * Redelivers dead-lettered or discarded messages, in their order, at most `limit` of them. The next call continues after
   * `next`, so each message is redelivered once, even if it ends the same way again.
   * @throws {ProblemError} `not-found`, `conflict` while the webhook is inactive, `webhooks-read-only`
   */
  async redeliverAll(
    webhookId: number,
    request: RedeliveryRequest,
    by: Actor,
    open?: Transaction,
  ): Promise<RedeliveryResult> {
    return await this.#redeliverSome(webhookId, by, open, async (tx) => {
      const { statuses, withManual } = request;
      return { ...(await readRedeliverable(tx, { webhookId, ...request })), statuses, withManual };
    });
  }

  /**
   * Redelivers the dead-lettered or discarded messages that match a filter, in their order. One call examines a
   * bounded number of them; the next goes on after `next`.
   * @throws {ProblemError} `not-found`, `conflict` while the webhook is inactive, `webhooks-read-only`
   */
  async redeliverMatching(
    webhookId: number,
    filter: DeliveryFilter & { statuses: readonly ('DEAD_LETTERED' | 'DISCARDED')[] },
    page: PageRequest,
    by: Actor,
    open?: Transaction,
  ): Promise<RedeliveryResult> {
    return await this.#redeliverSome(webhookId, by, open, async (tx) => {
      const { deliveries, next } = await readRedeliverableMatching(tx, { webhookId, filter, page });
      return { deliveries, next, statuses: filter.statuses };
    });
  }

  /**
   * Redelivers these messages, in their order, except those that are waiting.
   * @throws {ProblemError} as `redeliverMatching`
   */
  async redeliverThese(
    webhookId: number,
    ids: readonly number[],
    by: Actor,
    open?: Transaction,
  ): Promise<RedeliveryResult> {
    return await this.#redeliverSome(webhookId, by, open, async (tx) => ({
      deliveries: await readFinal(tx, webhookId, ids),
      next: null,
      statuses: [],
    }));
  }

  async #redeliverSome(
    webhookId: number,
    by: Actor,
    open: Transaction | undefined,
    read: (
      tx: Transaction,
    ) => Promise<RedeliverableStep & { statuses: readonly DeliveryStatus[]; withManual?: boolean }>,
  ): Promise<RedeliveryResult> {
    this.#with.webhooks.assertWritable();
    return await inTransaction(this.#with.database, open, async (tx) => {
      await this.#with.queue.lockLines(tx, [webhookId]);
      const webhook = await requireActive(tx, webhookId);
      const { deliveries, next, ...counted } = await read(tx);
      if (deliveries.length > 0) await this.#queueAgain(tx, webhook, deliveries, by);
      const remaining =
        next === null
          ? 0
          : await countWithStatus(tx, webhookId, { ...counted, after: next, bound: MAX_REMAINING_COUNTED });
      return { redelivered: deliveries.length, remaining, next: remaining === 0 ? null : next };
    });
  }

  /** @throws {ProblemError} `not-found` */
  async line(webhookId: number, reader: LineReader = this.#with.database.reader): Promise<Line> {
    const webhook = await requireWebhook(reader, webhookId);
    const state = await this.#with.queue.line(webhookId, reader);
    const last = state.head === null ? undefined : await readDeliveryOfMessage(reader, state.head.messageId);
    return {
      webhookId,
      ...state,
      lastErrorMessage: last?.error ?? null,
      paused: isPaused(webhook),
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
    const { database, queue, webhooks, deliveryLog, now } = this.#with;
    webhooks.assertWritable();
    return await inTransaction(database, open, async (tx) => {
      const webhook = await requireWebhook(tx, webhookId);
      if (action === 'retry' && isPaused(webhook))
        throw new ProblemError('conflict', 'The webhook is paused. Resume it first');
      const result = await queue.actOnHead(tx, webhookId, action, messageId);
      switch (result.outcome) {
        case 'empty':
          throw new ProblemError('conflict', 'The line of this webhook is empty');
        case 'other-head':
          throw new ProblemError('conflict', 'Another message is now the head of the line');
        case 'in-flight':
          throw inFlightConflict('The head of the line');
        case 'done':
          if (action === 'dead-letter')
            await recordSkipped(tx, webhook, result.message, { by, at: now(), deliveryLog });
      }
      return await this.line(webhookId, tx);
    });
  }

  async #queueAgain(
    tx: Transaction,
    { id, name }: RedeliveringWebhook,
    found: readonly StoredDelivery[],
    by: Actor,
  ): Promise<void> {
    const deliveries = found.toSorted(byEvent);
    const [only] = deliveries.length === 1 ? deliveries : [];
    const details = {
      messages: deliveries.length,
      ...(only === undefined ? {} : { message_id: only.message_id, subtopic: only.subtopic }),
    };
    await recordAudit(tx, { by, action: 'MESSAGES_REDELIVERED', id, name, details }, this.#with.now());
    await archiveLatestAttempts(
      tx,
      deliveries.map((delivery) => delivery.message_id),
    );
    await markQueued(
      tx,
      deliveries.map((delivery) => delivery.id),
      this.#with.now(),
    );
    const bodies = await wholeBodies(tx, deliveries, { isLocked: true });
    await this.#with.queue.redeliver(
      tx,
      deliveries.map((delivery, n) => {
        const message = toMessage(delivery, bodies[n]!);
        // The request for a redelivery has a trace of its own, which goes on.
        return this.#with.trace?.(tx, message) ?? message;
      }),
    );
  }
}

async function inBrief(
  reader: Pick<Reader, 'allFor'>,
  deliveries: readonly StoredDelivery[],
): Promise<DeliveryInBrief[]> {
  const bodies = await wholeBodies(reader, deliveries);
  return deliveries.map((delivery, n) => ({ delivery, body: bodies[n]!.body }));
}

/**
 * In the order of their events: of those at the same time, the ids of messages have the order of the events. The ids
 * of deliveries do not, because someone may skip or purge messages in any order.
 */
function byEvent(a: StoredDelivery, b: StoredDelivery): number {
  return a.enqueued_at - b.enqueued_at || (a.message_id < b.message_id ? -1 : 1);
}

function isPaused({ enabled, paused_at: pausedAt }: Pick<WebhookRow, 'enabled' | 'paused_at'>): boolean {
  return enabled === 1 && pausedAt !== null;
}

async function requireActive(reader: Pick<Reader, 'query'>, webhookId: number): Promise<RedeliveringWebhook> {
  const webhook = await requireWebhook(reader, webhookId);
  if (webhook.enabled === 0) {
    throw new ProblemError(
      'conflict',
      'The webhook is inactive and would discard the message. Enable it first',
    );
  }
  return webhook;
}

function toMessage(delivery: StoredDelivery, body: WholeBody): QueueMessage {
  return {
    lineId: delivery.webhook_id,
    messageId: delivery.message_id,
    label: delivery.subtopic,
    ...body,
    enqueuedAt: delivery.enqueued_at,
  };
}
