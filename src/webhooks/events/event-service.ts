import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import { type Page, type PageRequest, toPage } from '../../database/page.ts';
import type { Logger } from '../../observability/log.ts';
import { OncePerMinute } from '../../observability/once-per-minute.ts';
import { notFound } from '../../problems/problem.ts';
import type { LineReader } from '../../queue/message-queue.ts';
import type { DeliveryStatus } from '../history/delivery-status.ts';
import { type MessageOutcome, readMessageOutcomes } from '../history/outcome-store.ts';
import { type EventFilter, keysOfFilter } from './event-keys.ts';
import { mayHaveDiffered, type UnmatchedReason, unmatchedReason } from './event-matching.ts';
import { ALL_EVENTS, type EventSearch, searchEvents } from './event-search.ts';
import { readEvent } from './event-store.ts';
import { readWebhookFits, readWebhookNames, type WebhookFit } from './matching-store.ts';
import { messageIdOf, parseMessageId } from './message-ids.ts';
import { isUnreadable, type StoredEvent } from './stored-event.ts';
import { unreadableEvent } from './unreadable-event.ts';

/** Maximum number of webhooks that one statement matches with an event. */
const WEBHOOKS_TOGETHER = 200;
/** Maximum number of looks into the focuses of webhooks by one statement, one per webhook and asset: some milliseconds. */
const LOOKS_TOGETHER = 10_000;

/**
 * The state of the message of an event for a webhook. WAITING: not attempted yet. EXPIRED: its history was removed.
 */
export type MessageState = DeliveryStatus | 'WAITING' | 'EXPIRED';

/** The outcome of an event for one webhook. */
export interface WebhookOutcome {
  id: number;
  name: string;
  /** How the webhook got a message; null if it got none. */
  via: 'MATCH' | 'REPLAY' | null;
  /** Why the webhook got no message; null if it got one. */
  reason: UnmatchedReason | null;
  configurationChanged: boolean;
  message: { id: string; state: MessageState; delivery: MessageOutcome | null } | null;
}

/** A webhook in the list of outcomes; `fit` is null if it got a message. */
interface ListedWebhook {
  id: number;
  name: string;
  fit: WebhookFit | null;
}

/** Which webhooks are read: at most `count` with ids above `after`, or only one of them. */
interface WebhookPart {
  webhookId: number | null;
  after: number;
  count: number;
}

/** Which events are listed. */
export interface EventQuery {
  filter: EventFilter;
  messageId: string | null;
  /** Epoch milliseconds; `to` is excluded. */
  from: number | null;
  to: number | null;
  page: PageRequest;
}

/** Dependencies of {@link EventService}. */
export interface EventServiceDependencies {
  database: Database;
  lines: LineReader;
  log: Pick<Logger, 'error'>;
}

/** The event log: what happened, and its outcome for each webhook. */
export class EventService {
  readonly #with: EventServiceDependencies;
  readonly #unreadableEvents = new OncePerMinute();

  constructor(dependencies: EventServiceDependencies) {
    this.#with = dependencies;
  }

  /** Lists events, newest first. Those that cannot be read are missing, and the log names them. */
  async list({ filter, messageId, from, to, page }: EventQuery): Promise<Page<StoredEvent>> {
    const search = {
      ...ALL_EVENTS,
      keys: keysOfFilter(filter),
      from: from ?? ALL_EVENTS.from,
      to: to ?? ALL_EVENTS.to,
      before: page.after ?? ALL_EVENTS.before,
      direction: 'descending',
      limit: page.limit,
    } as const;
    if (messageId === null) return await this.#search(search);
    const event = await this.#ofMessage(messageId);
    if (event === null) return { items: [], next: null };
    const only = { after: event.id - 1, before: Math.min(search.before, event.id + 1) };
    return await this.#search({ ...search, ...only });
  }

  /** @throws {ProblemError} `not-found`, `conflict` if it cannot be read */
  async get(id: number): Promise<StoredEvent> {
    const event = await this.#read(id);
    if (event === null) throw notFound('event', id);
    return event;
  }

  /**
   * The webhooks, by id: each with the outcome of its message, or the reason why it got none.
   * @param which `got`: true for only webhooks that got a message, false for only the others. `webhookId`: only this
   *   one.
   * @throws {ProblemError} as {@link get}
   */
  async webhooksOf(
    id: number,
    { got, webhookId }: { got: boolean | null; webhookId: number | null },
    page: PageRequest,
  ): Promise<Page<WebhookOutcome>> {
    const event = await this.get(id);
    const matched = new Set(event.matched);
    const recipients = new Set([...matched, ...event.replayed]);
    const part = { webhookId, after: page.after ?? 0, count: page.limit + 1 };
    const found =
      got === true
        ? await this.#readRecipients(recipients, part)
        : await this.#readWebhooks(event, recipients, { ...part, withRecipients: got === null });
    const { items: shown, next } = toPage(found, page.limit);
    const messages = await this.#messagesOf(
      event,
      shown.filter(({ fit }) => fit === null).map((webhook) => webhook.id),
    );
    return {
      items: shown.map(({ id, name, fit }) => ({
        id,
        name,
        via: fit !== null ? null : matched.has(id) ? 'MATCH' : 'REPLAY',
        reason: fit === null ? null : unmatchedReason(event, fit),
        configurationChanged: fit !== null && mayHaveDiffered(event, fit),
        message: messages.get(id) ?? null,
      })),
      next,
    };
  }

  /** Webhooks that got a message, by id. The other webhooks are not read at all. */
  async #readRecipients(recipients: ReadonlySet<number>, part: WebhookPart): Promise<ListedWebhook[]> {
    const { webhookId, after, count } = part;
    const ids = [...recipients].filter((id) => id > after && (webhookId === null || id === webhookId));
    ids.sort((one, other) => one - other);
    const found: ListedWebhook[] = [];
    for (let at = 0; at < ids.length && found.length < count; at += count) {
      const some = await readWebhookNames(this.#with.database.reader, ids.slice(at, at + count));
      found.push(...some.map(({ id, name }) => ({ id, name, fit: null })));
    }
    return found.slice(0, count);
  }

  /** Webhooks that got no message, each with the parts that the event fits, and recipients if requested; by id. */
  async #readWebhooks(
    event: StoredEvent,
    recipients: ReadonlySet<number>,
    { webhookId, after, count, withRecipients }: WebhookPart & { withRecipients: boolean },
  ): Promise<ListedWebhook[]> {
    const { subtopic, resource, focused: content } = event;
    const matchedEvent = { subtopic, accountId: resource.account?.id ?? null, content };
    const limit = Math.max(1, Math.min(WEBHOOKS_TOGETHER, Math.floor(LOOKS_TOGETHER / content.length)));
    const found: ListedWebhook[] = [];
    let last = after;
    while (true) {
      const page = { webhookId, after: last, limit };
      const some = await readWebhookFits(this.#with.database.reader, matchedEvent, page);
      for (const webhook of some) {
        const { id, name } = webhook;
        if (!recipients.has(id)) {
          if (webhook.deleted_at === null) found.push({ id, name, fit: webhook });
        } else if (withRecipients) found.push({ id, name, fit: null });
      }
      if (some.length < limit || found.length >= count) return found.slice(0, count);
      last = some.at(-1)!.id;
      // SQLite returns within the turn of the event loop.
      await nextTurn();
    }
  }

  /** @throws {ProblemError} `conflict` if it cannot be read */
  async #read(id: number): Promise<StoredEvent | null> {
    const event = await readEvent(this.#with.database.reader, id);
    if (event !== null && isUnreadable(event)) throw unreadableEvent(event);
    return event;
  }

  async #search(search: EventSearch): Promise<Page<StoredEvent>> {
    const { items, next, unreadable } = await searchEvents(this.#with.database.reader, search);
    for (const { id, reason } of unreadable)
      if (this.#unreadableEvents.isDue(String(id)))
        this.#with.log.error('an event cannot be read: lists of events do not show it', {
          event_id: id,
          reason,
        });
    return { items, next };
  }

  async #ofMessage(messageId: string): Promise<StoredEvent | null> {
    const named = parseMessageId(messageId);
    if (named === null) return null;
    const event = await this.#read(named.eventId);
    const isOfIt =
      event !== null &&
      event.occurredAt === named.occurredAt &&
      (event.matched?.includes(named.webhookId) || event.replayed.includes(named.webhookId));
    return isOfIt ? event : null;
  }

  /** The messages of an event for these webhooks, by the webhook's id. */
  async #messagesOf(
    { id: eventId, occurredAt }: StoredEvent,
    webhookIds: readonly number[],
  ): Promise<Map<number, NonNullable<WebhookOutcome['message']>>> {
    const { database, lines } = this.#with;
    const idOf = (webhookId: number) => messageIdOf({ eventId, occurredAt, webhookId });
    const deliveries = await readMessageOutcomes(database.reader, webhookIds.map(idOf));
    const untried = webhookIds.filter((webhookId) => !deliveries.has(idOf(webhookId)));
    const again = await lines.waitingAgain(untried.map(idOf));
    const waiting = new Set(untried.filter((webhookId) => again.has(idOf(webhookId))));
    for (const webhookId of untried) {
      const { head } = await lines.line(webhookId);
      // A line has the order in which its messages were queued. A message that was not replayed was queued when its
      // event occurred.
      if (head !== null && head.waitingSince <= occurredAt) waiting.add(webhookId);
    }
    // Some may have been attempted since the first reading.
    for (const [id, delivery] of await readMessageOutcomes(database.reader, untried.map(idOf)))
      deliveries.set(id, delivery);
    return new Map(
      webhookIds.map((webhookId) => {
        const id = idOf(webhookId);
        const delivery = deliveries.get(id) ?? null;
        const state = delivery?.status ?? (waiting.has(webhookId) ? 'WAITING' : 'EXPIRED');
        return [webhookId, { id, state, delivery }];
      }),
    );
  }
}
