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

/** Which dead letters a list holds: those that match every member that is not null. */
export interface DeadLetterFilter {
  /** A part of the webhook's name, or a message's or delivery's id. */
  search: string | null;
  webhookId: number | null;
  /** What else must match. */
  deliveries: DeliveryFilter;
}

/** What a list of ids is made of: an index gives each of them in order, so a page costs what it passes over. */
interface Source {
  rows: RawBuilder<unknown>;
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
): Promise<LongListed<DeadLetterInBrief>> {
  const source = await filteredSource(reader, filter, offset + limit);
  const { rows: counted } = await sql<{ total: number }>`
    select count(*) as total from (select 1 as one from (${source.counted}) as found
      limit ${sql.lit(MAX_COUNTED + 1)}) as bounded`.execute(reader.query);
  const total = Number(counted[0]?.total ?? 0);
  const { rows: items } = await sql<ListedDeadLetter>`
    select deliveries.id, deliveries.webhook_id, webhooks.name as webhook_name, webhooks.enabled as webhook_enabled,
      webhooks.deleted_at as webhook_deleted_at, deliveries.subtopic, deliveries.message_id, deliveries.attempts,
      deliveries.response_status, deliveries.error, deliveries.status, deliveries.status_reason,
      deliveries.enqueued_at, deliveries.updated_at, deliveries.body, deliveries.shared_body_id
    from (select found.id, found.updated_at from (${source.rows}) as found
        order by found.updated_at desc, found.id desc limit ${limit} offset ${offset}) as page
      join deliveries on deliveries.id = page.id
      left join webhooks on webhooks.id = deliveries.webhook_id
    order by page.updated_at desc, page.id desc`.execute(reader.query);
  const bodies = await wholeBodies(reader, items);
  return {
    items: items.map((letter, n) => ({ letter, body: bodies[n]!.body })),
    total: Math.min(total, MAX_COUNTED),
    totalIsLowerBound: total > MAX_COUNTED || source.isPartial,
  };
}

/**
 * A filter has to look at each message, so that only the newest {@link MAX_COUNTED} dead letters of the source are
 * examined.
 */
async function filteredSource(reader: Reader, filter: DeadLetterFilter, first: number): Promise<Source> {
  if (Object.keys(filter.deliveries).length === 0) return await sourceOf(reader, filter, first);
  const source = await sourceOf(reader, filter, MAX_COUNTED);
  const condition = matches(expressionBuilder<Tables, 'deliveries'>(), filter.deliveries, reader.dialect);
  const found = sql`select deliveries.id, deliveries.updated_at
    from (select newest.id from (${source.rows}) as newest
        order by newest.updated_at desc, newest.id desc limit ${sql.lit(MAX_COUNTED)}) as examined
      join deliveries on deliveries.id = examined.id where ${condition}`;
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from (select 1 as one from (${source.counted}) as counted
      limit ${sql.lit(MAX_COUNTED + 1)}) as bounded`.execute(reader.query);
  const isPartial = source.isPartial || Number(rows[0]?.total ?? 0) > MAX_COUNTED;
  return { rows: found, counted: found, isPartial };
}

async function sourceOf(
  reader: Reader,
  { search, webhookId }: DeadLetterFilter,
  first: number,
): Promise<Source> {
  const columns = sql`select deliveries.id, deliveries.updated_at from deliveries`;
  if (search === null && webhookId === null) {
    const counted = sql`${columns} where ${DEAD}`;
    return { rows: sql`${counted} order by ${NEWEST_FIRST} limit ${first}`, counted, isPartial: false };
  }
  const named = search === null ? [] : await readMatchingIds(reader, search, webhookId);
  const webhooks = search === null ? [webhookId!] : await readMatchingWebhooks(reader, search, webhookId);
  const searched = webhooks.slice(0, MAX_WEBHOOKS_SEARCHED);
  // No id is negative: lists of none find nothing.
  const [ids, webhookIds] = [sql.join([-1, ...named]), sql.join([-1, ...searched])];
  const byId = sql`${columns} where deliveries.id in (${ids})`;
  const newest = searched.map(
    (id) => sql`select * from (${columns} where deliveries.webhook_id = ${id} and ${DEAD}
      order by ${NEWEST_FIRST} limit ${first}) as newest`,
  );
  return {
    rows: sql.join([byId, ...newest], sql` union `),
    counted: sql`${byId} union all ${columns}
      where deliveries.webhook_id in (${webhookIds}) and ${DEAD} and deliveries.id not in (${ids})`,
    isPartial: webhooks.length > searched.length,
  };
}

/** The dead letter that a text names by its id or its message's. */
async function readMatchingIds(reader: Reader, search: string, webhookId: number | null): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select deliveries.id from deliveries
    where (deliveries.message_id = ${search} or deliveries.id = ${searchedId(search) ?? 0}) and ${DEAD}
      ${webhookId === null ? sql`` : sql`and deliveries.webhook_id = ${webhookId}`}`.execute(reader.query);
  return rows.map(({ id }) => id);
}

/** Webhooks that have dead letters and fit by name, deleted ones too; one more than are searched. */
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
