import type { Reader } from '../../database/database.ts';
import { urlCensor } from '../../observability/url-censor.ts';
import { TimeSlices } from '../../time/time-slices.ts';
import { existingWebhookState } from '../configuration/webhook-state.ts';
import { readStatistics, readTargetUrl } from '../configuration/webhook-store.ts';
import { postbackFailureReason } from '../history/postback-failure.ts';
import { explanationOf, readLastFailure } from './last-failure.ts';
import {
  readFailing,
  readFirstDeadLetters,
  readFirstWaiting,
  readWebhookStates,
  type TroubledWebhookRow,
  type WebhookRange,
} from './webhook-trouble-store.ts';

/** Webhooks per statement, which limits its duration. */
const WEBHOOKS_AT_A_TIME = 1_000;

/** A webhook in trouble. */
export interface TroubledWebhook {
  id: number;
  name: string;
  /** Epoch milliseconds. */
  since: number;
  /** False if the webhook was edited since its last failure. Another failure makes it true. */
  inError: boolean;
  /**
   * Why the last attempt failed (`403 Forbidden`), without the URL of the target, which status texts and redirects may
   * repeat; null if it did not.
   */
  reason: string | null;
  /** Failed attempts since the last success or edit. */
  failures: number;
  /** Messages in its line. */
  waiting: number;
}

/** The action of a person after which a webhook is no longer in trouble. */
export type Intervention = 'PAUSED' | 'DEACTIVATED' | 'DELETED';

/** Finds webhooks in trouble, for alerts. */
export class WebhookTroubles {
  readonly #reader: Reader;

  constructor({ reader }: { reader: Reader }) {
    this.#reader = reader;
  }

  /** Webhooks that are in error at `now` (epoch milliseconds), and those that were edited since and not tried again. */
  async failing(now: number): Promise<TroubledWebhook[]> {
    return await this.#collect((range) => readFailing(this.#reader, now, range));
  }

  /** Webhooks with messages, with the time since when the oldest one waits: in the future if the clock was set back. */
  async waiting(): Promise<TroubledWebhook[]> {
    return await this.#collect((range) => readFirstWaiting(this.#reader, range));
  }

  /** Webhooks with a message that was dead-lettered after its last attempt, at `since` or later (epoch milliseconds). */
  async deadLetteredSince(since: number): Promise<TroubledWebhook[]> {
    return await this.#collect((range) => readFirstDeadLetters(this.#reader, since, range));
  }

  /**
   * The found webhooks. If a time is given for a webhook, only dead letters after it count, and a webhook without any
   * is omitted.
   * @param after times by webhook id, in epoch milliseconds
   */
  async deadLetteredAfter(
    found: readonly TroubledWebhook[],
    after: ReadonlyMap<number, number>,
  ): Promise<TroubledWebhook[]> {
    const later: TroubledWebhook[] = [];
    for (const webhook of found) {
      const time = after.get(webhook.id);
      if (time === undefined || webhook.since > time) {
        later.push(webhook);
        continue;
      }
      const [row] = await readFirstDeadLetters(this.#reader, time + 1, { afterId: webhook.id - 1, limit: 1 });
      if (row?.id === webhook.id && row.since !== null) later.push({ ...webhook, since: row.since });
    }
    return later;
  }

  /**
   * What the target of a webhook said about the last failure, as one line; null if it said nothing. Targets may quote
   * their URL, which may contain a token, and notices reach people who may not read it.
   */
  async explanationOf(webhookId: number): Promise<string | null> {
    const statistics = await readStatistics(this.#reader, webhookId);
    const failure = await readLastFailure(this.#reader, webhookId, statistics?.last_error_message ?? null);
    const targetUrl = await readTargetUrl(this.#reader, webhookId);
    return explanationOf(failure, targetUrl === undefined ? undefined : urlCensor(targetUrl));
  }

  /** The names of these webhooks, by id. Webhooks that do not exist are missing. */
  async namesOf(ids: readonly number[]): Promise<Map<number, string>> {
    const names = new Map<number, string>();
    for (const { id, name } of await this.#states(ids)) names.set(id, name);
    return names;
  }

  /** Actions of people after which these webhooks are no longer in trouble. */
  async interventions(ids: readonly number[]): Promise<Map<number, Intervention>> {
    const found = new Map<number, Intervention>(ids.map((id) => [id, 'DELETED']));
    for (const row of await this.#states(ids)) {
      const state = existingWebhookState(row);
      if (state === 'ACTIVE') found.delete(row.id);
      else found.set(row.id, state === 'PAUSED' ? 'PAUSED' : 'DEACTIVATED');
    }
    return found;
  }

  async #states(ids: readonly number[]) {
    const states = [];
    for (let from = 0; from < ids.length; from += WEBHOOKS_AT_A_TIME)
      states.push(...(await readWebhookStates(this.#reader, ids.slice(from, from + WEBHOOKS_AT_A_TIME))));
    return states;
  }

  async #collect(read: (range: WebhookRange) => Promise<TroubledWebhookRow[]>): Promise<TroubledWebhook[]> {
    const troubled: TroubledWebhook[] = [];
    const slices = new TimeSlices();
    let afterId = 0;
    let count: number;
    do {
      const rows = await read({ afterId, limit: WEBHOOKS_AT_A_TIME });
      slices.begin();
      for (const row of rows) {
        if (row.since === null) continue;
        troubled.push(toTroubledWebhook(row, row.since));
        // A reason takes 0.1 ms and more if the URL has many parts.
        await slices.pause();
      }
      afterId = rows.at(-1)?.id ?? 0;
      count = rows.length;
    } while (count === WEBHOOKS_AT_A_TIME);
    return troubled;
  }
}

function toTroubledWebhook(row: TroubledWebhookRow, since: number): TroubledWebhook {
  const message = row.last_error_message;
  return {
    id: row.id,
    name: row.name,
    since,
    inError: row.in_error === 1,
    reason: message === null ? null : urlCensor(row.target_url)(postbackFailureReason(message)),
    failures: row.failures_in_row,
    waiting: Number(row.waiting ?? 0),
  };
}
