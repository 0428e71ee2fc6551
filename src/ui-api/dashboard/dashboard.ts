import type { Reader } from '../../database/database.ts';
import type { LineReader, QueueTotals } from '../../queue/message-queue.ts';
import { existingWebhookState } from '../../webhooks/configuration/webhook-state.ts';
import { explanationOf, readLastFailure } from '../../webhooks/health/last-failure.ts';
import type { MinuteOfService, TrendService } from '../../webhooks/trends/trend-service.ts';
import { type HeadFailure, readHeadFailure } from '../webhooks/head-failure.ts';
import { CachedReading } from './cached-reading.ts';
import {
  type ContentCounts,
  countContent,
  countPaused,
  type FailingWebhookRow,
  type PausedWebhookRow,
  readPaused,
  readRetrying,
  readWebhooksInBrief,
} from './dashboard-store.ts';

/** Maximum number of webhooks and lines. */
const MAX_LISTED = 20;

/** A webhook with failed attempts within the last hour. Times are in epoch milliseconds. */
export interface FailingWebhook {
  webhookId: number;
  name: string;
  failures: number;
  state: FailingState;
  lastErrorAt: number | null;
  lastErrorMessage: string | null;
  /** The target's explanation, from its response. */
  explanation: string | null;
}

/**
 * The state of a webhook with failures. `untried`: an edit ended the error, but nothing was sent since. `unknown`: its
 * statistics were reset, and nothing was sent since.
 */
export type FailingState = 'in-error' | 'inactive' | 'paused' | 'recovered' | 'untried' | 'unknown';

/** A line whose first message failed and is retried. */
export interface BlockedLine extends HeadFailure {
  webhookId: number;
  name: string;
  depth: number;
  messageId: string;
  subtopic: string;
  /** True when its webhook is paused: there is no next attempt until it is resumed. */
  paused: boolean;
  /** Null while it is in flight or delivery is paused. */
  nextAttemptAt: number | null;
}

/** The current state of all webhooks. */
export interface DeliveryNow {
  minutes: MinuteOfService[];
  totals: QueueTotals;
  /** The number of webhooks with failures, and those with the most. */
  failing: { webhooks: number; most: FailingWebhook[] };
  blocked: BlockedLine[];
  /** The numbers of paused webhooks and of their messages, and the webhooks that have been paused longest. */
  paused: { webhooks: number; messages: number; longest: PausedWebhookRow[] };
}

/** Dependencies of {@link Dashboard}. */
export interface DashboardDependencies {
  reader: Reader;
  lines: LineReader;
  trends: Pick<TrendService, 'lastHour' | 'mostFailing'>;
  /** Whether any instance delivers. */
  delivers: () => boolean;
}

/** The current state of the service. It is cheap for any number of viewers. */
export class Dashboard {
  readonly #with: DashboardDependencies;
  readonly #delivery: CachedReading<DeliveryNow>;
  readonly #content: CachedReading<ContentCounts>;

  constructor(dependencies: DashboardDependencies) {
    this.#with = dependencies;
    this.#delivery = new CachedReading(() => this.#readDelivery());
    this.#content = new CachedReading(() => countContent(this.#with.reader));
  }

  async delivery(): Promise<DeliveryNow> {
    return await this.#delivery.get();
  }

  async content(): Promise<ContentCounts> {
    return await this.#content.get();
  }

  async #readDelivery(): Promise<DeliveryNow> {
    return {
      minutes: await this.#with.trends.lastHour(),
      totals: await this.#with.lines.totals(),
      failing: await this.#readFailing(),
      blocked: await this.#readBlocked(),
      paused: await this.#readPaused(),
    };
  }

  async #readPaused(): Promise<DeliveryNow['paused']> {
    const longest = await readPaused(this.#with.reader, MAX_LISTED);
    if (longest.length === 0) return { webhooks: 0, messages: 0, longest };
    return { ...(await countPaused(this.#with.reader)), longest };
  }

  async #readFailing(): Promise<DeliveryNow['failing']> {
    const { webhooks: total, most: failing } = await this.#with.trends.mostFailing(MAX_LISTED);
    const webhooks = await readWebhooksInBrief(
      this.#with.reader,
      failing.map(({ webhookId }) => webhookId),
    );
    const listed: FailingWebhook[] = [];
    for (const { webhookId, failures } of failing) {
      const webhook = webhooks.get(webhookId);
      if (webhook === undefined) continue;
      const { last_error_at: lastErrorAt, last_error_message: lastErrorMessage } = webhook;
      listed.push({
        webhookId,
        name: webhook.name,
        failures,
        state: stateOf(webhook),
        lastErrorAt,
        lastErrorMessage,
        explanation:
          lastErrorMessage === null
            ? null
            : explanationOf(await readLastFailure(this.#with.reader, webhookId, lastErrorMessage)),
      });
    }
    return { webhooks: total, most: listed };
  }

  async #readBlocked(): Promise<BlockedLine[]> {
    const lines: BlockedLine[] = [];
    for (const retrying of await readRetrying(this.#with.reader, MAX_LISTED)) {
      const { depth, head } = await this.#with.lines.line(retrying.webhook_id);
      // The message was settled after it was read.
      if (head === null || head.messageId !== retrying.message_id) continue;
      lines.push({
        webhookId: retrying.webhook_id,
        name: retrying.webhook_name,
        depth,
        messageId: head.messageId,
        subtopic: head.label,
        ...(await readHeadFailure(this.#with.reader, head, retrying)),
        paused: retrying.paused_at !== null,
        nextAttemptAt:
          head.inFlight || !this.#with.delivers() || retrying.paused_at !== null ? null : head.availableAt,
      });
    }
    return lines;
  }
}

/** A webhook that is not in error need not have recovered: an edit, a pause and a deactivation end the error, too. */
function stateOf(webhook: FailingWebhookRow): FailingState {
  const { last_success_at: success, last_error_at: error } = webhook;
  if (webhook.in_error === 1) return 'in-error';
  const state = existingWebhookState(webhook);
  if (state !== 'ACTIVE') return state === 'PAUSED' ? 'paused' : 'inactive';
  if (success !== null && success >= (error ?? 0)) return 'recovered';
  return error === null ? 'unknown' : 'untried';
}
