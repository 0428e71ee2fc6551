import type { Reader } from '../../database/database.ts';
import { notFound } from '../../problems/problem.ts';
import type { RedriveLimit } from '../../queue/message-queue.ts';
import { readStatistics, readWebhook } from '../configuration/webhook-store.ts';
import type { TrendService } from '../trends/trend-service.ts';
import { type LastFailure, readLastFailure } from './last-failure.ts';

/** Why and for how long a webhook has been failing. Times are in epoch milliseconds. */
export interface WebhookFailure extends LastFailure {
  /** Failed attempts since the last success or edit. */
  failures: number;
  since: number | null;
  lastAt: number | null;
  /** The number of failed attempts after which a message is dead-lettered. */
  effectiveAttempts: number;
}

/** How well a webhook delivers. */
export interface WebhookHealth {
  webhookId: number;
  /** Attempts within the last 24 hours. */
  successes: number;
  failures: number;
  /** Null if the webhook is not in error. */
  failure: WebhookFailure | null;
}

/** Dependencies of {@link WebhookHealthService}. */
export interface WebhookHealthDependencies {
  reader: Reader;
  queue: RedriveLimit;
  trends: Pick<TrendService, 'attemptsOfDay'>;
}

/** Says how well webhooks deliver, and why they fail. */
export class WebhookHealthService {
  readonly #with: WebhookHealthDependencies;

  constructor(dependencies: WebhookHealthDependencies) {
    this.#with = dependencies;
  }

  /** @throws {ProblemError} `not-found` */
  async of(webhookId: number): Promise<WebhookHealth> {
    const { reader, queue, trends } = this.#with;
    const webhook = await readWebhook(reader, webhookId);
    const statistics = await readStatistics(reader, webhookId);
    if (webhook === undefined || statistics === undefined) throw notFound('webhook', webhookId);
    const attempts = await trends.attemptsOfDay(webhookId);
    if (statistics.in_error === 0) return { webhookId, ...attempts, failure: null };
    const last = await readLastFailure(reader, webhookId, statistics.last_error_message);
    return {
      webhookId,
      ...attempts,
      failure: {
        ...last,
        failures: Math.max(1, statistics.failures_in_row),
        since: statistics.failing_since ?? statistics.last_error_at,
        lastAt: statistics.last_error_at,
        effectiveAttempts: Math.min(webhook.max_attempts, queue.maxReceives),
      },
    };
  }
}
