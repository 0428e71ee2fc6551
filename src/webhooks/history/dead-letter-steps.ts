import type { Actor } from '../../audit/actor.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';
import { countByStatus } from './by-status.ts';
import type { DeadLetterRemoval } from './dead-letter-removal.ts';
import { type DeliveryFilter, searchesBodies } from './delivery-filter.ts';
import { MAX_REMAINING_COUNTED } from './delivery-status.ts';
import {
  countDeadLettersFrom,
  readLatestDeadLetterAt,
  readWebhooksWithDeadLetters,
} from './delivery-store.ts';
import type { RedeliveryService } from './redelivery-service.ts';

/** Maximum number of messages that one step redelivers or removes, over all webhooks. */
const STEP_MESSAGES = 500;
/** Maximum number of webhooks per step: each costs a transaction. */
const STEP_WEBHOOKS = 50;
/**
 * Maximum number of messages of several webhooks per step, if all are in one transaction. A longer one would block the
 * lines of many webhooks, and SQLite altogether.
 */
const MESSAGES_TOGETHER = 50;

/** What happens to the dead letters: they are queued again, or removed. */
export type DeadLetterAction = 'redeliver' | 'remove';

/** How far the steps have come: all dead letters of earlier webhooks, and those of this one up to an id. */
export interface DeadLetterPosition {
  webhookId: number;
  deliveryId: number;
}

/** What one step is to do. */
export interface DeadLetterStepRequest {
  action: DeadLetterAction;
  by: Actor;
  /** Null for the dead letters of all webhooks. A redelivery then omits inactive and deleted webhooks. */
  webhookId: number | null;
  filter: DeliveryFilter;
  /** Epoch milliseconds: the `until` of the step before. Defaults to now, or to the latest dead letter if that is later. */
  until?: number | undefined;
  /** Where the step before ended; null for the first step. */
  from: DeadLetterPosition | null;
}

/** The result of a step. */
export interface DeadLetterStep {
  /** Number of messages that were redelivered or removed. */
  done: number;
  /** Number of dead letters that further steps will examine; at most {@link MAX_REMAINING_COUNTED}. */
  remaining: number;
  remainingIsLowerBound: boolean;
  /**
   * Epoch milliseconds. Messages that are dead-lettered later are not included, so that the process ends even if
   * targets keep failing.
   */
  until: number;
  /** Where the next step continues; null at the end. */
  next: DeadLetterPosition | null;
}

/** Dependencies of {@link DeadLetterSteps}. */
export interface DeadLetterStepsDependencies {
  reader: Reader;
  redelivery: Pick<RedeliveryService, 'redeliverMatching'>;
  removal: Pick<DeadLetterRemoval, 'removeMatching'>;
  now: () => number;
}

/** Redelivers or removes the dead letters of all webhooks, step by step and in order within each webhook. */
export class DeadLetterSteps {
  readonly #with: DeadLetterStepsDependencies;

  constructor(dependencies: DeadLetterStepsDependencies) {
    this.#with = dependencies;
  }

  /**
   * Does one step. Call it again with the returned `until` and `next` until `next` is null. Each webhook has its own
   * transaction, unless one is given. Their lines are locked in ascending order. A step in a given one acts on many messages
   * of one webhook, or on a few of several.
   * @throws {ProblemError} `not-found`, `conflict` if the given webhook is inactive, `webhooks-read-only`
   */
  async step(request: DeadLetterStepRequest, open?: Transaction): Promise<DeadLetterStep> {
    const reader = open ?? this.#with.reader;
    const until = request.until ?? (await this.#untilNow(reader));
    const { done, next } = await this.#act(request, until, open);
    const remaining = next === null ? 0 : await this.#countAfter(reader, next, request, until);
    return {
      done,
      remaining: Math.min(remaining, MAX_REMAINING_COUNTED),
      remainingIsLowerBound: remaining > MAX_REMAINING_COUNTED,
      until,
      next: remaining === 0 ? null : next,
    };
  }

  /** The end of everything that is dead-lettered now, even if the clock was set back since. */
  async #untilNow(reader: Reader): Promise<number> {
    return Math.max(this.#with.now(), (await readLatestDeadLetterAt(reader)) ?? 0);
  }

  /** The number of dead letters after a position, up to one more than {@link MAX_REMAINING_COUNTED}. */
  async #countAfter(
    reader: Reader,
    { webhookId, deliveryId }: DeadLetterPosition,
    request: DeadLetterStepRequest,
    until: number,
  ): Promise<number> {
    const bound = MAX_REMAINING_COUNTED + 1;
    const isBegun = deliveryId > 0;
    const left = isBegun
      ? await countByStatus(reader, {
          webhookId,
          statuses: ['DEAD_LETTERED'],
          bounds: [['>', deliveryId]],
          filter: { updatedUntil: until },
          limit: bound,
        })
      : 0;
    if (request.webhookId !== null || left === bound) return left;
    const later = await countDeadLettersFrom(reader, {
      from: isBegun ? webhookId + 1 : webhookId,
      until,
      activeOnly: request.action === 'redeliver',
      bound: bound - left,
    });
    return left + later;
  }

  async #act(
    { action, by, webhookId, filter, from }: DeadLetterStepRequest,
    until: number,
    open: Transaction | undefined,
  ): Promise<Pick<DeadLetterStep, 'done' | 'next'>> {
    const webhooks =
      webhookId !== null
        ? [webhookId]
        : await readWebhooksWithDeadLetters(open ?? this.#with.reader, {
            from: from?.webhookId ?? 0,
            until,
            activeOnly: action === 'redeliver',
            limit: STEP_WEBHOOKS,
          });
    let done = 0;
    for (const [n, id] of webhooks.entries()) {
      const most = n === 0 || open === undefined ? STEP_MESSAGES : MESSAGES_TOGETHER;
      // A search reads much of each webhook, even if it finds nothing.
      const isLong = done >= most || (n > 0 && open !== undefined && searchesBodies(filter));
      if (isLong) return { done, next: { webhookId: id, deliveryId: 0 } };
      const after = id === from?.webhookId ? from.deliveryId : null;
      const page = { limit: most - done, after };
      const step = await this.#actOn(id, {
        action,
        by,
        filter: { ...filter, updatedUntil: until },
        page,
        open,
      }).catch((error: unknown) => {
        // The webhook was deactivated or deleted after it was read.
        const isGone = error instanceof ProblemError && ['conflict', 'not-found'].includes(error.code);
        if (webhookId !== null || !isGone) throw error;
        return { count: 0, next: null };
      });
      done += step.count;
      if (step.next !== null) return { done, next: { webhookId: id, deliveryId: step.next } };
    }
    const last = webhooks.at(-1);
    const isWhole = webhookId !== null || last === undefined || webhooks.length < STEP_WEBHOOKS;
    return { done, next: isWhole ? null : { webhookId: last + 1, deliveryId: 0 } };
  }

  async #actOn(
    webhookId: number,
    {
      action,
      by,
      filter,
      page,
      open,
    }: {
      action: DeadLetterAction;
      by: Actor;
      filter: DeliveryFilter;
      page: { limit: number; after: number | null };
      open: Transaction | undefined;
    },
  ): Promise<{ count: number; next: number | null }> {
    const { redelivery, removal } = this.#with;
    if (action === 'remove') {
      const { removed, next } = await removal.removeMatching(webhookId, filter, page, by, open);
      return { count: removed, next };
    }
    const dead = { ...filter, statuses: ['DEAD_LETTERED'] as const };
    const { redelivered, next } = await redelivery.redeliverMatching(webhookId, dead, page, by, open);
    return { count: redelivered, next };
  }
}
