import type { Logger } from '../observability/log.ts';
import type { ReceivedMessage, RedriveLimit } from '../queue/message-queue.ts';
import type { DeliveryTarget } from '../webhooks/delivery-targets.ts';
import type { AttemptSettlement } from '../webhooks/history/record-outcomes.ts';
import type { AttemptTrace, AttemptTraces } from './attempt-traces.ts';
import type { DeliveryReports, PostponementCause } from './delivery-reports.ts';
import { notSent, type PostbackResult, type PostbackSender } from './postback-sender.ts';
import { attemptOutcome, type FinishedMessage, release, settleAttempt } from './settlements.ts';

/** How long a message waits, on average, after this machine was unable to connect to its target. */
const UNABLE_PAUSE_MS = 3_000;
/**
 * The shortest wait of a postponed message, as a fraction of the average. The longest is the average plus the same
 * difference.
 */
const POSTPONED_AT_LEAST = 0.5;

/** One attempt to deliver a message. */
export interface Attempt {
  readonly message: ReceivedMessage;
  readonly target: DeliveryTarget;
  /** Whether its request may be sent a second time, which may happen once per message. */
  readonly mayResend: boolean;
}

/** Dependencies of {@link Attempts}. */
export interface AttemptDependencies {
  queue: RedriveLimit;
  sender: PostbackSender;
  /** Null or missing if nothing is traced. */
  traces?: AttemptTraces | null;
  log: Logger;
  options: { retryInitialMs: number; retryMaxMs: number };
  now: () => number;
  random: () => number;
}

/** Makes attempts: posts messages, and decides how to settle each. */
export class Attempts {
  readonly #with: AttemptDependencies;
  readonly #reports: DeliveryReports;

  constructor(dependencies: AttemptDependencies, reports: DeliveryReports) {
    this.#with = dependencies;
    this.#reports = reports;
  }

  /** Makes an attempt, and returns its settlement. */
  async run(attempt: Attempt): Promise<FinishedMessage> {
    const trace = this.#with.traces?.start(attempt.message, attempt.target);
    return trace === undefined
      ? await this.#run(attempt, null)
      : await trace.run(() => this.#run(attempt, trace));
  }

  /** Returns a message to its line for a while. Nothing was sent, so no attempt is counted. */
  postpone(
    message: ReceivedMessage,
    cause: PostponementCause,
    reason: string,
    pauseMs: number,
  ): FinishedMessage {
    const availableAt = this.#with.now() + pauseMs * (POSTPONED_AT_LEAST + this.#with.random());
    this.#reports.postponed(message.lineId, cause, reason);
    return release(message, availableAt);
  }

  /** @param trace null if the attempt is not traced */
  async #run(attempt: Attempt, trace: AttemptTrace | null): Promise<FinishedMessage> {
    const { message, target } = attempt;
    const result =
      target.lost !== null ? notSent(target.lost, this.#with.now()) : await this.#post(attempt, trace);
    if (result.aborted || result.unsent) {
      trace?.putBack(result);
      return result.aborted
        ? release(message)
        : this.postpone(message, 'unable_to_connect', result.reason ?? '', UNABLE_PAUSE_MS);
    }
    const settlement = this.#settle(attempt, result);
    trace?.settled(result, settlement);
    return { ...settlement, target };
  }

  async #post({ message, target, mayResend }: Attempt, trace: AttemptTrace | null): Promise<PostbackResult> {
    try {
      return await this.#with.sender.send({
        messageId: message.messageId,
        url: target.targetUrl,
        body: message.body,
        credentials: target.credentials,
        signingKeys: target.signingKeys,
        mayResend,
        ...(trace === null ? {} : { extraHeaders: trace.headers }),
      });
    } catch (error) {
      this.#with.log.error('a postback could not be sent', {
        error,
        webhook_id: target.webhookId,
        message_id: message.messageId,
      });
      return notSent('the request could not be sent', this.#with.now());
    }
  }

  #settle({ message, target }: Attempt, result: PostbackResult): AttemptSettlement {
    const { queue, options, random } = this.#with;
    const headers = this.#reports.headersToKeep(target, message, result);
    const outcome = attemptOutcome(target, result, headers);
    const settlement = settleAttempt(message, outcome, {
      maxAttempts: target.maxAttempts,
      maxReceives: queue.maxReceives,
      initialDelayMs: options.retryInitialMs,
      maxDelayMs: options.retryMaxMs,
      retryAfterMs: result.retryAfterMs,
      random,
    });
    this.#reports.attempted(target, result, settlement);
    return settlement;
  }
}
