import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, inTransaction, type Transaction } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import type { DeadLetterQueue } from '../../queue/message-queue.ts';
import type { WebhookService } from '../configuration/webhook-service.ts';
import { requireAnyWebhook } from '../configuration/webhook-store.ts';
import type { DeliveryFilter } from './delivery-filter.ts';
import { markRemoved } from './delivery-store.ts';
import {
  type RedeliverableStep,
  type RestOfSteps,
  readFinal,
  readRedeliverable,
  readRest,
} from './redeliverable-store.ts';

/** The result of one call. */
export interface RemovalResult extends RestOfSteps {
  removed: number;
}

/** Dependencies of {@link DeadLetterRemoval}. */
export interface DeadLetterRemovalDependencies {
  database: Database;
  lines: DeadLetterQueue;
  webhooks: Pick<WebhookService, 'assertWritable'>;
  now: () => number;
}

/**
 * Removes messages from the dead-letter queue without a redelivery. Until the history expires, it lists them as
 * discarded, and each can be redelivered from there. Works for deleted webhooks, too.
 */
export class DeadLetterRemoval {
  readonly #with: DeadLetterRemovalDependencies;

  constructor(dependencies: DeadLetterRemovalDependencies) {
    this.#with = dependencies;
  }

  /**
   * Removes the dead letters of a webhook that match a filter. One call examines a bounded number of them; the next
   * call continues after `next`.
   * @throws {ProblemError} `not-found`, `webhooks-read-only`
   */
  async removeMatching(
    webhookId: number,
    filter: DeliveryFilter,
    page: PageRequest,
    by: Actor,
    open?: Transaction,
  ): Promise<RemovalResult> {
    const dead = { ...filter, statuses: ['DEAD_LETTERED'] as const };
    return await this.#remove(webhookId, by, open, (tx) =>
      readRedeliverable(tx, { webhookId, filter: dead, page }),
    );
  }

  /** Removes these deliveries, if they are dead letters. @throws {ProblemError} as `removeMatching` */
  async removeThese(
    webhookId: number,
    ids: readonly number[],
    by: Actor,
    open?: Transaction,
  ): Promise<RemovalResult> {
    return await this.#remove(webhookId, by, open, async (tx) => ({
      deliveries: await readFinal(tx, webhookId, ids, ['DEAD_LETTERED']),
      next: null,
    }));
  }

  async #remove(
    webhookId: number,
    by: Actor,
    open: Transaction | undefined,
    read: (tx: Transaction) => Promise<RedeliverableStep>,
  ): Promise<RemovalResult> {
    const { database, lines, webhooks, now } = this.#with;
    webhooks.assertWritable();
    return await inTransaction(database, open, async (tx) => {
      const { name } = await requireAnyWebhook(tx, webhookId);
      // A redelivery of the same messages locks the line, too.
      await lines.lockLines(tx, [webhookId]);
      const { deliveries, next } = await read(tx);
      if (deliveries.length > 0) {
        await lines.removeDeadLetters(
          tx,
          deliveries.map((delivery) => delivery.message_id),
        );
        await markRemoved(
          tx,
          deliveries.map(({ id }) => id),
          now(),
        );
        const details = { messages: deliveries.length };
        await recordAudit(tx, { by, action: 'DEAD_LETTERS_REMOVED', id: webhookId, name, details }, now());
      }
      const rest = await readRest(tx, webhookId, { next, statuses: ['DEAD_LETTERED'] });
      return { removed: deliveries.length, ...rest };
    });
  }
}
