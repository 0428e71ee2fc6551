import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDamage } from '../../database/damage.ts';
import type { Dialect, Reader } from '../../database/database.ts';
import { recordset, toIdList } from '../../database/recordset.ts';
import { headWaitsSinceSql, waitingInLineSql } from '../../queue/line-facts.ts';
import { messageIdOf, messageIdsOf } from '../../webhooks/events/message-ids.ts';
import type { StoredEvent } from '../../webhooks/events/stored-event.ts';
import { readKnownMessages } from '../../webhooks/history/known-messages.ts';

/** Which messages of an event were not delivered. */
export interface Undelivered {
  /** Whether any is a dead letter. */
  hasDeadLetters: boolean;
  /** Whether any waits: for its first or another attempt, or after a redelivery or replay. */
  hasWaiting: boolean;
}

type EventWithMessages = Pick<StoredEvent, 'id' | 'occurredAt' | 'sharedId' | 'matched'>;

/** Number of events that are looked up together. */
const EVENTS_TOGETHER = 50;

/**
 * Whether messages of events are dead letters or wait, by the id of the event. An event costs the same few index entries
 * whether it has ten messages or 10,000, and however many messages wait: without a common part that is stored once, it
 * has at most about a hundred messages, and these are looked up by their webhooks.
 */
export async function readUndelivered(
  reader: Pick<Reader, 'all' | 'dialect'>,
  events: readonly EventWithMessages[],
): Promise<Map<number, Undelivered>> {
  const found = new Map<number, Undelivered>();
  for (let at = 0; at < events.length; at += EVENTS_TOGETHER) {
    // SQLite does this without a pause.
    if (at > 0) await nextTurn();
    const some = events.slice(at, at + EVENTS_TOGETHER);
    for (const { id, ...undelivered } of await readTogether(reader, some)) found.set(id, undelivered);
  }
  return found;
}

async function readTogether(
  reader: Pick<Reader, 'all' | 'dialect'>,
  events: readonly EventWithMessages[],
): Promise<(Undelivered & { id: number })[]> {
  try {
    // First, because a message that is dead-lettered meanwhile is then found twice instead of never.
    const waiting = await readWaitingByWebhook(reader, events);
    return (await readByEvent(reader, events)).map(({ id, is_dead: isDead, waits }) => ({
      id,
      hasDeadLetters: isDead === 1,
      hasWaiting: waits === 1 || waiting.has(id),
    }));
  } catch (error) {
    if (!isDamage(error)) throw error;
    // A message that cannot be read must not hide the events. The log and its line say that it cannot be read.
    return events.map(({ id }) => ({ id, hasDeadLetters: false, hasWaiting: false }));
  }
}

/** The events of which messages wait that have waited since the event and were stored whole. */
async function readWaitingByWebhook(
  reader: Pick<Reader, 'all' | 'dialect'>,
  events: readonly EventWithMessages[],
): Promise<Set<number>> {
  const whole = events.filter(({ sharedId }) => sharedId === null);
  const since = await readHeadsSince(reader, new Set(whole.flatMap(({ matched }) => matched ?? [])));
  // A line has the order in which its messages were queued. Behind such a head, the message waits, unless it was purged
  // or skipped, or occurred in the same millisecond and was delivered.
  const behind = whole.flatMap(({ id: eventId, occurredAt, matched }) =>
    (matched ?? [])
      .filter((webhookId) => (since.get(webhookId) ?? Number.MAX_SAFE_INTEGER) <= occurredAt)
      .map((webhookId) => ({ eventId, messageId: messageIdOf({ eventId, occurredAt, webhookId }) })),
  );
  if (behind.length === 0) return new Set();
  const isSettled = await readKnownMessages(
    reader,
    behind.map(({ messageId }) => messageId),
  );
  return new Set(
    behind.filter(({ messageId }) => isSettled.get(messageId) !== true).map(({ eventId }) => eventId),
  );
}

/** Since when the heads of lines wait, in epoch milliseconds, by the id of the line. Empty lines are missing. */
async function readHeadsSince(
  reader: Pick<Reader, 'all' | 'dialect'>,
  lineIds: ReadonlySet<number>,
): Promise<Map<number, number>> {
  if (lineIds.size === 0) return new Map();
  const { dialect } = reader;
  const rows = await reader.all<{ line_id: number; since: number | null }>(
    `select line.line_id, ${headWaitsSinceSql(dialect, 'line')} as since
     from ${recordset(dialect, 'given', { id: 'bigint' })} cross join queue_lines as line
     where line.line_id = given.id and line.pending > 0`,
    toIdList(lineIds),
  );
  return new Map(rows.flatMap(({ line_id, since }) => (since === null ? [] : [[line_id, since]])));
}

interface ByEventRow {
  id: number;
  is_dead: number;
  waits: number;
}

/** Whether the events have dead letters, or waiting messages that were queued again or have a common part. */
async function readByEvent(
  reader: Pick<Reader, 'all' | 'dialect'>,
  events: readonly EventWithMessages[],
): Promise<ByEventRow[]> {
  return await reader.all<ByEventRow>(
    byEventSql(reader.dialect),
    JSON.stringify(
      events.map(({ id, occurredAt, sharedId }) => {
        const { first, last } = messageIdsOf({ eventId: id, occurredAt });
        return { id, first_id: first, last_id: last, shared_id: sharedId };
      }),
    ),
  );
}

/**
 * SQL of {@link readByEvent}. With an order, PostgreSQL uses the index even if it expects so many rows that the first one
 * should be near the beginning of the table. An equality would make the order meaningless, so there are two limits. On
 * SQLite, the last messages of an event are also the last ones to be settled and deleted.
 */
function byEventSql(dialect: Dialect): string {
  const ofEvent = (message: string) =>
    `${message}.message_id >= event.first_id and ${message}.message_id <= event.last_id`;
  return `select event.id,
      case when (select dead.message_id from queue_dead_letters as dead where ${ofEvent('dead')}
        order by dead.message_id limit 1) is not null then 1 else 0 end as is_dead,
      case when (select again.id from queue_messages as again
          where again.queued_at is not null and ${ofEvent('again')} and ${waitingInLineSql('again', 'again.line_id')}
          order by again.message_id limit 1) is not null
        or (select waiting.id from queue_messages as waiting
          where waiting.shared_body_id is not null
            and waiting.shared_body_id >= event.shared_id and waiting.shared_body_id <= event.shared_id
            and ${waitingInLineSql('waiting', 'waiting.line_id')}
          order by waiting.shared_body_id desc limit 1) is not null
        then 1 else 0 end as waits
    from ${recordset(dialect, 'event', { id: 'bigint', first_id: 'text', last_id: 'text', shared_id: 'bigint' })}`;
}
