import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, inTransaction, type Transaction } from '../../database/database.ts';
import { STEP_BYTES } from '../../database/step-bytes.ts';
import { ProblemError } from '../../problems/problem.ts';
import type { DeadLetterQueue, QueueMessage } from '../../queue/message-queue.ts';
import { wholeBodies } from '../../queue/shared-bodies.ts';
import { formatDateTime } from '../../time/date-time.ts';
import type { WebhookService } from '../configuration/webhook-service.ts';
import { requireWebhook, type StoredWebhook } from '../configuration/webhook-store.ts';
import { isWaitingStatus } from '../history/delivery-status.ts';
import { readDeliveryOfMessage, type StoredDelivery } from '../history/delivery-store.ts';
import { lockDeliveries } from '../history/redeliverable-store.ts';
import { messageOf, requeueDeliveries } from '../history/requeue.ts';
import { MessageBuilder } from '../messages/message.ts';
import type { TraceMessage } from '../messages/message-traces.ts';
import { drawTransactionNumber, isOpenBefore, readLastEvent } from './block-store.ts';
import { eventMessage } from './event-message.ts';
import { ALL_EVENTS, type FoundEvents, searchEvents } from './event-search.ts';
import { lockReplayed, setReplayed } from './event-store.ts';
import { formatIds } from './id-ranges.ts';
import { messageIdOf } from './message-ids.ts';
import { readMatcher } from './replay-matcher.ts';
import type { StoredEvent } from './stored-event.ts';
import { unreadableEvent } from './unreadable-event.ts';

/** Maximum number of messages that one step queues. */
const STEP_MESSAGES = 500;
/** Maximum number of events that one step reads; fewer if they are large ({@link STEP_BYTES}). */
const STEP_EVENTS = 5_000;

/** For how long a replay waits for changes in progress, and how often it checks. */
const LONGEST_WAIT_MS = 5_000;
const CHECK_AGAIN_MS = 20;

/** Which events are replayed. */
export interface ReplayRequest {
  /** Epoch milliseconds; `to` is excluded. Null: all that have occurred, whatever the clock says. */
  from: number;
  to: number | null;
  /**
   * Whether events are included whose message the webhook already got. Messages that still wait are never queued
   * again.
   */
  again: boolean;
  /** If true, nothing is queued: messages are only counted. */
  dryRun: boolean;
  /** The event after which the step begins; null for the first. */
  after: number | null;
  /** The last event that is replayed, so that a replay ends while more occur; null in the first step: the latest. */
  upTo: number | null;
}

/** The result of a step. */
export interface ReplayStep {
  /** Messages that were queued, or would be. */
  replayed: number;
  /** The event after which the next step begins; null at the end. */
  next: number | null;
  /** That of the next step. */
  upTo: number;
}

/** An event that a step replays. */
type ChosenEvent = Omit<StoredEvent, 'resource' | 'focused'>;

/** Dependencies of {@link ReplayService}. */
export interface ReplayServiceDependencies {
  database: Database;
  lines: DeadLetterQueue;
  webhooks: Pick<WebhookService, 'assertWritable'>;
  /** Undefined if nothing is traced. */
  trace?: TraceMessage | undefined;
  now: () => number;
}

/** Sends events of the log to a webhook that missed them. */
export class ReplayService {
  readonly #with: ReplayServiceDependencies;

  constructor(dependencies: ReplayServiceDependencies) {
    this.#with = dependencies;
  }

  /**
   * Waits a short time for the changes that are in progress now. Their events matched the webhooks as they were
   * before. A webhook that was activated since would miss them: the replay would not find them either. On SQLite,
   * changes do not overlap.
   */
  async untilChangesEnded(): Promise<void> {
    const { dialect, reader } = this.#with.database;
    if (dialect === 'sqlite') return;
    const next = await drawTransactionNumber(reader);
    const begin = performance.now();
    while ((await isOpenBefore(reader, next)) && performance.now() - begin < LONGEST_WAIT_MS)
      await delay(CHECK_AGAIN_MS);
  }

  /**
   * Appends messages to the line for the events that the webhook matches as it is configured now, in their order.
   * Each is queued at most once, because messages of one event and webhook have the same id.
   * @throws {ProblemError} `not-found`, `conflict` while the webhook is inactive or if an event cannot be read,
   *   `webhooks-read-only`
   */
  async step(webhookId: number, request: ReplayRequest, by: Actor, open?: Transaction): Promise<ReplayStep> {
    this.#with.webhooks.assertWritable();
    return await inTransaction(this.#with.database, open, async (tx) => {
      await this.#with.lines.lockLines(tx, [webhookId]);
      const webhook = await requireWebhook(tx, webhookId);
      if (webhook.enabled === 0 && !request.dryRun)
        throw new ProblemError(
          'conflict',
          'The webhook is inactive and would discard the messages. Enable it first',
        );
      const fits = await readMatcher(tx, webhook);
      // On PostgreSQL, a statement that finds a damaged event would end the transaction.
      const reader = tx.dialect === 'postgres' ? this.#with.database.reader : tx;
      const chosen: ChosenEvent[] = [];
      let after: number | null = request.after ?? 0;
      const upTo = request.upTo ?? (await readLastEvent(tx));
      const left = { events: STEP_EVENTS, bytes: STEP_BYTES };
      while (after !== null && chosen.length < STEP_MESSAGES && left.events > 0 && left.bytes > 0) {
        const page: FoundEvents = await searchEvents(reader, {
          ...ALL_EVENTS,
          from: request.from,
          to: request.to ?? ALL_EVENTS.to,
          after,
          before: upTo + 1,
          direction: 'ascending',
          limit: STEP_MESSAGES - chosen.length,
          maxBytes: left.bytes,
        });
        const [unreadable] = page.unreadable;
        if (unreadable !== undefined)
          throw unreadableEvent(
            unreadable,
            `It occurred at ${formatDateTime(unreadable.occurredAt)}. Replay the events before and after it`,
          );
        left.events -= page.items.length;
        left.bytes -= page.bytes;
        chosen.push(
          ...page.items
            .filter((event) => fits(event) && (request.again || !hasGot(event, webhookId)))
            // Parsed members take several times as much memory as their text.
            .map(({ resource: _resource, focused: _focused, ...event }) => event),
        );
        after = page.next;
      }
      const replayed = request.dryRun
        ? await countQueueable(tx, webhookId, chosen)
        : await this.#queue(tx, webhook, chosen);
      if (replayed > 0 && !request.dryRun) await this.#record(tx, webhook, { ...request, by, replayed });
      return { replayed, next: after, upTo };
    });
  }

  async #record(
    tx: Transaction,
    { id, name }: StoredWebhook,
    { by, from, to, again, replayed }: ReplayRequest & { by: Actor; replayed: number },
  ): Promise<void> {
    const now = this.#with.now();
    const period = { from_dt: formatDateTime(from), to_dt: formatDateTime(to ?? now) };
    const details = { messages: replayed, ...period, again };
    await recordAudit(tx, { by, action: 'EVENTS_REPLAYED', id, name, details }, now);
  }

  async #queue(tx: Transaction, webhook: StoredWebhook, chosen: readonly ChosenEvent[]): Promise<number> {
    if (chosen.length === 0) return 0;
    // Read again, because another webhook's replay may have changed them.
    const replayedTo = await lockReplayed(
      tx,
      chosen.map(({ id }) => id),
    );
    const events = chosen.flatMap((event) => {
      const replayed = replayedTo.get(event.id);
      return replayed === undefined ? [] : [{ ...event, replayed }];
    });
    const messages: QueueMessage[] = [];
    const again: StoredDelivery[] = [];
    const first: ChosenEvent[] = [];
    for (const event of events) {
      if (!hasGot(event, webhook.id)) {
        first.push(event);
        messages.push(eventMessage(event, new MessageBuilder(event.shared), webhook));
        continue;
      }
      const settled = await settledDelivery(tx, webhook.id, event);
      const [delivery] = await lockDeliveries(tx, settled === null ? [] : [settled]);
      if (delivery === undefined) continue;
      const [body] = await wholeBodies(tx, [delivery], { isLocked: true });
      if (body?.unreadable !== undefined) continue;
      again.push(delivery);
      messages.push(messageOf(delivery, body!));
    }
    if (messages.length === 0) return 0;
    await setReplayed(
      tx,
      first.map(({ id, replayed }) => ({
        id,
        replayed: formatIds([...replayed, webhook.id].sort((a, b) => a - b)),
      })),
    );
    await requeueDeliveries(tx, again, this.#with.now());
    await this.#with.lines.redeliver(
      tx,
      // The request for a replay has its own trace, which continues.
      messages.map((message) => this.#with.trace?.(tx, message) ?? message),
    );
    return messages.length;
  }
}

/** Whether a webhook got a message of an event. */
function hasGot({ matched, replayed }: ChosenEvent, webhookId: number): boolean {
  return matched?.includes(webhookId) === true || replayed.includes(webhookId);
}

/**
 * How many of the events would be queued. If the webhook already got the message of an event, it counts only if that
 * message is settled.
 */
async function countQueueable(
  tx: Transaction,
  webhookId: number,
  events: readonly ChosenEvent[],
): Promise<number> {
  let count = 0;
  for (const event of events) {
    if (!hasGot(event, webhookId) || (await settledDelivery(tx, webhookId, event)) !== null) count += 1;
  }
  return count;
}

/** The delivery of the message that a webhook got; null while it waits, or if its history was removed. */
async function settledDelivery(
  tx: Transaction,
  webhookId: number,
  { id: eventId, occurredAt }: ChosenEvent,
): Promise<StoredDelivery | null> {
  const delivery = await readDeliveryOfMessage(tx, messageIdOf({ eventId, occurredAt, webhookId }));
  return delivery === undefined || isWaitingStatus(delivery.status) ? null : delivery;
}
