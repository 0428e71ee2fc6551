import type { Actor } from '../../audit/actor.ts';
import type { Reader } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';
import { countDeadLettered, readWebhooksWithDeadLetters } from './delivery-store.ts';
import type { LineService } from './line-service.ts';

/** Maximum number of messages that one step redelivers, over all webhooks. */
const STEP_MESSAGES = 500;
/** Maximum number of webhooks per step: each costs a transaction. */
const STEP_WEBHOOKS = 50;
/** Remaining messages are counted up to this limit. */
const MAX_REMAINING_COUNTED = 10_000;

/** The result of a step. */
export interface RedeliveryStep {
  redelivered: number;
  /** Number of messages that further steps will redeliver; at most {@link MAX_REMAINING_COUNTED}. */
  remaining: number;
  remainingIsLowerBound: boolean;
  /**
   * Epoch milliseconds. Messages that are dead-lettered later are not included, so that the process ends even if
   * targets keep failing.
   */
  until: number;
}

/** Dependencies of {@link DeadLetterRedelivery}. */
export interface DeadLetterRedeliveryDependencies {
  reader: Reader;
  lines: Pick<LineService, 'redeliverDeadLetters'>;
  now: () => number;
}

/** Redelivers the dead letters of all active webhooks, step by step and in order within each webhook. */
export class DeadLetterRedelivery {
  readonly #with: DeadLetterRedeliveryDependencies;

  constructor(dependencies: DeadLetterRedeliveryDependencies) {
    this.#with = dependencies;
  }

  /**
   * Does one step. Call it again with the returned `until` while messages remain.
   * @throws {ProblemError} `not-found`, `conflict` if the given webhook is inactive, `webhooks-read-only`
   */
  async step(webhookId: number | null, by: Actor, until: number = this.#with.now()): Promise<RedeliveryStep> {
    const redelivered =
      webhookId === null
        ? await this.#stepOverAll(until, by)
        : await this.#with.lines.redeliverDeadLetters(webhookId, until, STEP_MESSAGES, by);
    const bound = MAX_REMAINING_COUNTED + 1;
    const remaining = await countDeadLettered(this.#with.reader, { webhookId, until, bound });
    return {
      redelivered,
      remaining: Math.min(remaining, MAX_REMAINING_COUNTED),
      remainingIsLowerBound: remaining > MAX_REMAINING_COUNTED,
      until,
    };
  }

  async #stepOverAll(until: number, by: Actor): Promise<number> {
    let redelivered = 0;
    for (const webhookId of await readWebhooksWithDeadLetters(this.#with.reader, until, STEP_WEBHOOKS)) {
      try {
        const limit = STEP_MESSAGES - redelivered;
        redelivered += await this.#with.lines.redeliverDeadLetters(webhookId, until, limit, by);
      } catch (error) {
        // It was deactivated or deleted after it was read. The next step will not find it.
        const isGone = error instanceof ProblemError && ['conflict', 'not-found'].includes(error.code);
        if (!isGone) throw error;
      }
      if (redelivered >= STEP_MESSAGES) break;
    }
    return redelivered;
  }
}
