import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, inTransaction, type Reader, type Transaction } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import { notFound, ProblemError } from '../../problems/problem.ts';
import type { DeadLetterQueue } from '../../queue/message-queue.ts';
import { type WholeBody, wholeBodies } from '../../queue/shared-bodies.ts';
import type { WebhookService } from '../configuration/webhook-service.ts';
import { requireWebhook, type StoredWebhook } from '../configuration/webhook-store.ts';
import type { TraceMessage } from '../messages/message-traces.ts';
import { unreadableConflict } from '../messages/unreadable-message.ts';
import { type DeliveryStatus, type FinalStatus, isWaitingStatus } from './delivery-status.ts';
import { readDelivery, type StoredDelivery } from './delivery-store.ts';
import { type DeliveryInBrief, inBrief } from './read-deliveries.ts';
import {
  lockDeliveries,
  type RedeliverableFilter,
  type RedeliverableStep,
  type RestOfSteps,
  readFinal,
  readRedeliverable,
  readRest,
} from './redeliverable-store.ts';
import { messageOf, requeueDeliveries } from './requeue.ts';

/** The result of one call. */
export interface RedeliveryResult extends RestOfSteps {
  redelivered: number;
}

/** Dependencies of {@link RedeliveryService}. */
export interface RedeliveryServiceDependencies {
  database: Database;
  lines: DeadLetterQueue;
  webhooks: Pick<WebhookService, 'assertWritable'>;
  /** Undefined if nothing is traced. */
  trace?: TraceMessage | undefined;
  now: () => number;
}

/** Redelivers messages that have reached their final status. */
export class RedeliveryService {
  readonly #with: RedeliveryServiceDependencies;

  constructor(dependencies: RedeliveryServiceDependencies) {
    this.#with = dependencies;
  }

  /**
   * Appends a message to the line again, with the same id.
   * @throws {ProblemError} `not-found`, `conflict` if it is waiting, if it cannot be read, or if the webhook is inactive,
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
      await this.#with.lines.lockLines(tx, [webhookId]);
      const webhook = await requireActive(tx, webhookId);
      const delivery = await readDelivery(tx, webhookId, deliveryId);
      if (delivery === undefined) throw notFound('delivery', deliveryId);
      if (isWaitingStatus(delivery.status)) {
        throw new ProblemError('conflict', 'The message is already waiting to be delivered');
      }
      const { redelivered, unreadable } = await this.#queueAgain(tx, webhook, [delivery], by);
      if (unreadable !== null) throw unreadableConflict(unreadable);
      if (redelivered === 0) throw notFound('delivery', deliveryId);
      return await inBrief(tx, (await readDelivery(tx, webhookId, deliveryId))!);
    });
  }

  /**
   * Redelivers the dead-lettered or discarded messages that match a filter, in their order, at most `limit` of them. One
   * call examines a bounded number. The next call continues after `next`, so each message is redelivered once, even if
   * it ends the same way again. Messages that cannot be read are omitted.
   * @throws {ProblemError} `not-found`, `conflict` while the webhook is inactive, `webhooks-read-only`
   */
  async redeliverMatching(
    webhookId: number,
    filter: RedeliverableFilter,
    page: PageRequest,
    by: Actor,
    open?: Transaction,
  ): Promise<RedeliveryResult> {
    return await this.#redeliverSome(webhookId, by, open, async (tx) => {
      const { deliveries, next } = await readRedeliverable(tx, { webhookId, filter, page });
      return { deliveries, next, statuses: filter.statuses };
    });
  }

  /**
   * Redelivers the given messages that have one of the statuses, in their order. Waiting messages have none of these
   * statuses. Messages that cannot be read are omitted.
   * @throws {ProblemError} as `redeliverMatching`, and `conflict` if none of the messages can be read
   */
  async redeliverThese(
    webhookId: number,
    { ids, statuses }: { ids: readonly number[]; statuses: readonly FinalStatus[] },
    by: Actor,
    open?: Transaction,
  ): Promise<RedeliveryResult> {
    return await this.#redeliverSome(webhookId, by, open, async (tx) => ({
      deliveries: await readFinal(tx, webhookId, ids, statuses),
      next: null,
      statuses: [],
      needsOne: true,
    }));
  }

  async #redeliverSome(
    webhookId: number,
    by: Actor,
    open: Transaction | undefined,
    read: (
      tx: Transaction,
    ) => Promise<RedeliverableStep & { statuses: readonly DeliveryStatus[]; needsOne?: boolean }>,
  ): Promise<RedeliveryResult> {
    this.#with.webhooks.assertWritable();
    return await inTransaction(this.#with.database, open, async (tx) => {
      await this.#with.lines.lockLines(tx, [webhookId]);
      const webhook = await requireActive(tx, webhookId);
      const { deliveries, next, statuses, needsOne = false } = await read(tx);
      const { redelivered, unreadable } = await this.#queueAgain(tx, webhook, deliveries, by);
      if (needsOne && redelivered === 0 && unreadable !== null) throw unreadableConflict(unreadable);
      return { redelivered, ...(await readRest(tx, webhookId, { next, statuses })) };
    });
  }

  /**
   * Returns how many messages wait again: not those whose history was removed since it was read, and not those that cannot
   * be read. `unreadable`: why the first of these cannot; null if all can.
   */
  async #queueAgain(
    tx: Transaction,
    { id, name }: StoredWebhook,
    found: readonly StoredDelivery[],
    by: Actor,
  ): Promise<{ redelivered: number; unreadable: string | null }> {
    const locked = (await lockDeliveries(tx, found)).toSorted(byEvent);
    const bodies = new Map<StoredDelivery, WholeBody>();
    for (const [n, body] of (await wholeBodies(tx, locked, { isLocked: true })).entries())
      bodies.set(locked[n]!, body);
    const deliveries = locked.filter((delivery) => bodies.get(delivery)!.unreadable === undefined);
    const [reason] = locked.flatMap((delivery) => bodies.get(delivery)!.unreadable ?? []);
    const unreadable = reason ?? null;
    if (deliveries.length === 0) return { redelivered: 0, unreadable };
    const [only] = deliveries.length === 1 ? deliveries : [];
    const details = {
      messages: deliveries.length,
      ...(only === undefined ? {} : { message_id: only.message_id, subtopic: only.subtopic }),
    };
    await recordAudit(tx, { by, action: 'MESSAGES_REDELIVERED', id, name, details }, this.#with.now());
    await requeueDeliveries(tx, deliveries, this.#with.now());
    await this.#with.lines.redeliver(
      tx,
      deliveries.map((delivery) => {
        const message = messageOf(delivery, bodies.get(delivery)!);
        // The request for a redelivery has its own trace, which continues.
        return this.#with.trace?.(tx, message) ?? message;
      }),
    );
    return { redelivered: deliveries.length, unreadable };
  }
}

/**
 * Orders deliveries by event. If several events occurred at the same time, the ids of their messages have their
 * order. The ids of deliveries do not, because someone may skip or purge messages in any order.
 */
function byEvent(a: StoredDelivery, b: StoredDelivery): number {
  return a.enqueued_at - b.enqueued_at || (a.message_id < b.message_id ? -1 : 1);
}

async function requireActive(reader: Pick<Reader, 'query'>, webhookId: number): Promise<StoredWebhook> {
  const webhook = await requireWebhook(reader, webhookId);
  if (webhook.enabled === 0) {
    throw new ProblemError(
      'conflict',
      'The webhook is inactive and would discard the message. Enable it first',
    );
  }
  return webhook;
}
