import { expressionBuilder, type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import type { Tables } from '../../database/schema.ts';
import type { Subtopic } from '../../events/catalogue.ts';
import { wholeBodies } from '../../queue/shared-bodies.ts';
import { type DeliveryFilter, matches } from '../../webhooks/history/delivery-filter.ts';
import { MAX_COUNTED } from '../list-limits.ts';
import { type ListPart, type LongListed, searchedId } from '../list-query.ts';
import { nameHolds } from '../name-search.ts';

/** Maximum number of webhooks in a search of dead letters by name. */
const MAX_WEBHOOKS_SEARCHED = 50;

/** A dead-lettered message, of whichever webhook. */
export interface ListedDeadLetter {
  id: number;
  webhook_id: number;
  webhook_name: string | null;
  webhook_enabled: number | null;
  webhook_deleted_at: number | null;
  subtopic: Subtopic;
  message_id: string;
  attempts: number;
  response_status: number | null;
  error: string | null;
  status: string;
  status_reason: string | null;
  enqueued_at: number;
  /** When it was dead-lettered. Only sending it again changes it afterwards. */
  updated_at: number;
  /** As stored: it may lack the part that several messages share. */
  body: string;
  shared_body_id: number | null;
}

/** A dead letter with its message as sent. */
export interface DeadLetterInBrief {
  letter: ListedDeadLetter;
  body: string;
}

/** Filters of the list of dead letters, all of which must match. Null members are ignored. */
export interface DeadLetterFilter {
  /** A part of the webhook's name, or a message's or delivery's id. */
  search: string | null;
  webhookId: number | null;
  /** What else must match. */
  deliveries: DeliveryFilter;
  /** Only dead letters after this one, in the order of the list. */
  after: LetterPosition | null;
}

/** The position of a dead letter in the list. */
export interface LetterPosition {
  /** When it was dead-lettered, in epoch milliseconds. */
  updatedAt: number;
  id: number;
}

/** A page of the dead letters. */
export interface DeadLetterPage extends LongListed<DeadLetterInBrief> {
  /** The last dead letter that was examined, if there are more after it. Null if the list is complete. */
  next: LetterPosition | null;
}

/**
 * A source of a list of ids. Each of its parts is in the order of an index, so a page costs only the rows that it
 * passes over.
 */
interface Source {
  /** At least so many of the first ones. */
  rows: (first: number) => RawBuilder<unknown>;
  counted: RawBuilder<unknown>;
  /** True when there may be more than the source holds. */
  isPartial: boolean;
}

const DEAD = sql`deliveries.status = 'DEAD_LETTERED'`;
const NEWEST_FIRST = sql`deliveries.updated_at desc, deliveries.id desc`;

/** A page of the dead letters of all webhooks, newest first. */
export async function listDeadLetters(
  reader: Reader,
  filter: DeadLetterFilter,
  { limit, offset }: ListPart<'dead_lettered'>,
): Promise<DeadLetterPage> {
  const { next, ...source } = await filteredSource(reader, filter);
  const { rows: counted } = await sql<{ total: number }>`
    select count(*) as total from (select 1 as one from (${source.counted}) as found
      limit ${sql.lit(MAX_COUNTED + 1)}) as bounded`.execute(reader.query);
  const total = Number(counted[0]?.total ?? 0);
  const { rows: items } = await sql<ListedDeadLetter>`
    select deliveries.id, deliveries.webhook_id, webhooks.name as webhook_name, webhooks.enabled as webhook_enabled,
      webhooks.deleted_at as webhook_deleted_at, deliveries.subtopic, deliveries.message_id, deliveries.attempts,
      deliveries.response_status, deliveries.error, deliveries.status, deliveries.status_reason,
      deliveries.enqueued_at, deliveries.updated_at, deliveries.body, deliveries.shared_body_id
    from (select found.id, found.updated_at from (${source.rows(offset + limit)}) as found
        order by found.updated_at desc, found.id desc limit ${limit} offset ${offset}) as page
      join deliveries on deliveries.id = page.id
      left join webhooks on webhooks.id = deliveries.webhook_id
    order by page.updated_at desc, page.id desc`.execute(reader.query);
  const bodies = await wholeBodies(reader, items);
  return {
    items: items.map((letter, n) => ({ letter, body: bodies[n]!.body })),
    total: Math.min(total, MAX_COUNTED),
    totalIsLowerBound: total > MAX_COUNTED || source.isPartial || next !== null,
    next,
  };
}

/**
 * A filter has to look at each message. So only the newest {@link MAX_COUNTED} dead letters of the source are examined,
 * and the list continues after them.
 */
async function filteredSource(
  reader: Reader,
  filter: DeadLetterFilter,
): Promise<Source & Pick<DeadLetterPage, 'next'>> {
  const source = await sourceOf(reader, filter);
  if (Object.keys(filter.deliveries).length === 0) return { ...source, next: null };
  const condition = matches(expressionBuilder<Tables, 'deliveries'>(), filter.deliveries, reader.dialect);
  const found = sql`select deliveries.id, deliveries.updated_at
    from (select newest.id from (${source.rows(MAX_COUNTED)}) as newest
        order by newest.updated_at desc, newest.id desc limit ${sql.lit(MAX_COUNTED)}) as examined
      join deliveries on deliveries.id = examined.id where ${condition}`;
  const end = await readEnd(reader, source);
  // Later ones in the list were dead-lettered earlier, and an event occurs before its message is dead-lettered.
  const isTooEarly = (end?.updatedAt ?? 0) < (filter.deliveries.from ?? 0);
  return { ...source, rows: () => found, counted: found, next: isTooEarly ? null : end };
}

/** The last dead letter that a filter examines; null if there are no more after it. */
async function readEnd(reader: Reader, source: Source): Promise<LetterPosition | null> {
  const { rows } = await sql<LetterPosition>`
    select newest.updated_at as "updatedAt", newest.id from (${source.rows(MAX_COUNTED + 1)}) as newest
    order by newest.updated_at desc, newest.id desc
    limit 2 offset ${sql.lit(MAX_COUNTED - 1)}`.execute(reader.query);
  const [last, further] = rows;
  return last === undefined || further === undefined ? null : last;
}

async function sourceOf(reader: Reader, { search, webhookId, after }: DeadLetterFilter): Promise<Source> {
  const dead = after === null ? DEAD : sql`${DEAD} and ${isAfter(after)}`;
  const columns = sql`select deliveries.id, deliveries.updated_at from deliveries`;
  if (search === null && webhookId === null) {
    const counted = sql`${columns} where ${dead}`;
    return {
      rows: (first) => sql`${counted} order by ${NEWEST_FIRST} limit ${first}`,
      counted,
      isPartial: false,
    };
  }
  const named = search === null ? [] : await readMatchingIds(reader, search, webhookId);
  const webhooks = search === null ? [webhookId!] : await readMatchingWebhooks(reader, search, webhookId);
  const searched = webhooks.slice(0, MAX_WEBHOOKS_SEARCHED);
  // No id is negative: lists of none find nothing.
  const [ids, webhookIds] = [sql.join([-1, ...named]), sql.join([-1, ...searched])];
  const byId = sql`${columns} where deliveries.id in (${ids}) and ${dead}`;
  const newest = (first: number) =>
    searched.map(
      (id) => sql`select * from (${columns} where deliveries.webhook_id = ${id} and ${dead}
        order by ${NEWEST_FIRST} limit ${first}) as newest`,
    );
  return {
    rows: (first) => sql.join([byId, ...newest(first)], sql` union `),
    counted: sql`${byId} union all ${columns}
      where deliveries.webhook_id in (${webhookIds}) and ${dead} and deliveries.id not in (${ids})`,
    isPartial: webhooks.length > searched.length,
  };
}

/** Whether a dead letter comes after a position. The index by age can use the first comparison. */
function isAfter({ updatedAt, id }: LetterPosition): RawBuilder<unknown> {
  return sql`deliveries.updated_at <= ${updatedAt} and (deliveries.updated_at < ${updatedAt} or deliveries.id < ${id})`;
}

/** The dead letter that a text names by its id or its message's. */
async function readMatchingIds(reader: Reader, search: string, webhookId: number | null): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select deliveries.id from deliveries
    where (deliveries.message_id = ${search.toLowerCase()} or deliveries.id = ${searchedId(search) ?? 0}) and ${DEAD}
      ${webhookId === null ? sql`` : sql`and deliveries.webhook_id = ${webhookId}`}`.execute(reader.query);
  return rows.map(({ id }) => id);
}

/** Webhooks with dead letters whose names match, including deleted ones; one more than are searched. */
async function readMatchingWebhooks(
  reader: Reader,
  search: string,
  webhookId: number | null,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select webhooks.id from webhooks
    where ${nameHolds(reader.dialect, 'webhooks.name', search)}
      ${webhookId === null ? sql`` : sql`and webhooks.id = ${webhookId}`}
      and exists (select 1 from deliveries where deliveries.webhook_id = webhooks.id and ${DEAD})
    order by webhooks.id limit ${sql.lit(MAX_WEBHOOKS_SEARCHED + 1)}`.execute(reader.query);
  return rows.map(({ id }) => id);
}
