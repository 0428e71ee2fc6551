import type { Reader } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';
import { countDeadLettered, readWebhooksWithDeadLetters } from './delivery-store.ts';
import type { LineService } from './line-service.ts';

/** Messages that one step sends again, over all webhooks. */
const STEP_MESSAGES = 500;
/** Webhooks that one step looks at: each costs a transaction. */
const STEP_WEBHOOKS = 50;
/** What remains is counted up to this. */
const MAX_REMAINING_COUNTED = 10_000;

/** What a step did, and what is left. */
export interface RedeliveryStep {
  redelivered: number;
  /** Messages that further steps will send again; at most {@link MAX_REMAINING_COUNTED}. */
  remaining: number;
  remainingIsLowerBound: boolean;
  /** Epoch milliseconds: what was dead-lettered later is not part of it, so that it ends while targets go on failing. */
  until: number;
}

/** Dependencies of {@link DeadLetterRedelivery}. */
export interface DeadLetterRedeliveryDependencies {
  reader: Reader;
  lines: Pick<LineService, 'redeliverDeadLetters'>;
  now: () => number;
}

/** Sends the dead letters of all webhooks again, step by step: in order within each webhook. Inactive ones are left alone. */
export class DeadLetterRedelivery {
  readonly #with: DeadLetterRedeliveryDependencies;

  constructor(dependencies: DeadLetterRedeliveryDependencies) {
    this.#with = dependencies;
  }

  /**
   * One step; call again with its `until` as long as something remains.
   * @throws {ProblemError} `not-found`, `conflict` when the given webhook is inactive, `webhooks-read-only`
   */
  async step(webhookId: number | null, until: number = this.#with.now()): Promise<RedeliveryStep> {
    const redelivered =
      webhookId === null
        ? await this.#stepOverAll(until)
        : await this.#with.lines.redeliverDeadLetters(webhookId, until, STEP_MESSAGES);
    const bound = MAX_REMAINING_COUNTED + 1;
    const remaining = await countDeadLettered(this.#with.reader, { webhookId, until, bound });
    return {
      redelivered,
      remaining: Math.min(remaining, MAX_REMAINING_COUNTED),
      remainingIsLowerBound: remaining > MAX_REMAINING_COUNTED,
      until,
    };
  }

  async #stepOverAll(until: number): Promise<number> {
    let redelivered = 0;
    for (const webhookId of await readWebhooksWithDeadLetters(this.#with.reader, until, STEP_WEBHOOKS)) {
      try {
        const limit = STEP_MESSAGES - redelivered;
        redelivered += await this.#with.lines.redeliverDeadLetters(webhookId, until, limit);
      } catch (error) {
        // Deactivated or deleted since it was read: the next step does not find it any more.
        const isGone = error instanceof ProblemError && ['conflict', 'not-found'].includes(error.code);
        if (!isGone) throw error;
      }
      if (redelivered >= STEP_MESSAGES) break;
    }
    return redelivered;
  }
}
