import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import { type IndexBound, type IndexPart, indexPartOrder, inIndexPart } from '../../database/index-part.ts';
import type { Subtopic } from '../../events/catalogue.ts';
import { idIn } from '../../http/ids.ts';
import { lastToRead, MESSAGE_BYTES, readSubjects } from '../../webhooks/history/bodies-read.ts';
import { type DeliveryFilter, matches, searchesBodies } from '../../webhooks/history/delivery-filter.ts';
import { hasDeadLetters } from '../../webhooks/history/has-dead-letters.ts';
import type { MessageSubject } from '../../webhooks/messages/message-subject.ts';
import { MAX_COUNTED } from '../list-limits.ts';
import type { ListPart, LongListed } from '../list-query.ts';
import { nameHolds } from '../name-search.ts';
import { bounded } from '../read-list.ts';

/** Maximum number of webhooks in a search of dead letters by name. */
const MAX_WEBHOOKS_SEARCHED = 50;

/** A dead-lettered message of any webhook. */
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
}

/** A dead letter with what its message is about. */
export interface DeadLetterInBrief {
  letter: ListedDeadLetter;
  about: MessageSubject;
}

/** Filters of the list of dead letters, all of which must match. Null members are ignored. */
export interface DeadLetterFilter {
  /** A part of the webhook's name, or a message's or delivery's id. */
  search: string | null;
  webhookId: number | null;
  /** Further conditions on the deliveries. */
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

/** The dead letters that a list covers, before its filters apply. */
interface Source {
  /** Null: those of all webhooks. */
  webhooks: readonly number[] | null;
  /** Single ones in addition. */
  ids: readonly number[];
  /** True when there may be more than the source holds. */
  isPartial: boolean;
}

/** A part of a source. */
interface SourcePart {
  source: Source;
  bounds: readonly IndexBound[];
  /** The conditions on the deliveries. */
  filter: DeliveryFilter;
  /** How many of the newest ones are needed. */
  first: number;
}

const DEAD = sql<SqlBool>`deliveries.status = 'DEAD_LETTERED'`;

/** A page of the dead letters of all webhooks, newest first. */
export async function listDeadLetters(
  reader: Reader,
  { deliveries: filter, ...searched }: DeadLetterFilter,
  { limit, offset }: ListPart<'dead_lettered'>,
): Promise<DeadLetterPage> {
  const source = await sourceOf(reader, searched);
  const { after } = searched;
  const behind: IndexBound[] = after === null ? [] : [['<', after.updatedAt, after.id]];
  const end = isEmpty(filter) ? null : await readEnd(reader, { source, bounds: behind, filter });
  // Each of these statements may read many messages, which SQLite does without a pause.
  await nextTurn();
  const bounds: IndexBound[] = [...behind, ...(end === null ? [] : [['>=', end.updatedAt, end.id] as const])];
  const { rows: counted } = await sql<{ total: number }>`
    select count(*) as total from (select 1 as one
      from (${letters(reader, { source, bounds, filter, first: MAX_COUNTED + 1 })}) as found
      limit ${sql.lit(MAX_COUNTED + 1)}) as bounded`.execute(reader.query);
  const { total, totalIsLowerBound } = bounded(Number(counted[0]?.total ?? 0));
  await nextTurn();
  const { rows: items } = await sql<ListedDeadLetter>`
    select deliveries.id, deliveries.webhook_id, webhooks.name as webhook_name, webhooks.enabled as webhook_enabled,
      webhooks.deleted_at as webhook_deleted_at, deliveries.subtopic, deliveries.message_id, deliveries.attempts,
      deliveries.response_status, deliveries.error, deliveries.status, deliveries.status_reason,
      deliveries.enqueued_at, deliveries.updated_at
    from (select found.id, found.updated_at
        from (${letters(reader, { source, bounds, filter, first: offset + limit })}) as found
        order by found.updated_at desc, found.id desc limit ${limit} offset ${offset}) as page
      join deliveries on deliveries.id = page.id
      left join webhooks on webhooks.id = deliveries.webhook_id
    order by page.updated_at desc, page.id desc`.execute(reader.query);
  const subjects = await readSubjects(
    reader,
    items.map(({ id }) => id),
  );
  // Those that were removed in the meantime are missing.
  const found = items.filter(({ id }) => subjects.has(id));
  // Later ones in the list were dead-lettered earlier, and an event occurs before its message is dead-lettered.
  const next = (end?.updatedAt ?? 0) < (filter.from ?? 0) ? null : end;
  return {
    items: found.map((letter) => ({ letter, about: subjects.get(letter.id)! })),
    total,
    totalIsLowerBound: totalIsLowerBound || source.isPartial || next !== null,
    next,
  };
}

function isEmpty(filter: DeliveryFilter): boolean {
  return Object.keys(filter).length === 0;
}

/**
 * The last dead letter that a filter examines; null if there are no more after it. A filter has to look at each
 * message. So only the newest {@link MAX_COUNTED} dead letters of the source are examined, or fewer if large messages
 * are searched. The next page continues after them.
 */
async function readEnd(
  reader: Reader,
  { source, bounds, filter }: Omit<SourcePart, 'first'>,
): Promise<LetterPosition | null> {
  const newest = letters(reader, { source, bounds, filter: {}, first: MAX_COUNTED + 1 });
  if (searchesBodies(filter)) {
    const { rows } = await sql<LetterPosition & { bytes: number }>`
      select newest.updated_at as "updatedAt", newest.id, ${MESSAGE_BYTES} as bytes
      from (select * from (${newest}) as found
          order by found.updated_at desc, found.id desc limit ${sql.lit(MAX_COUNTED + 1)}) as newest
        cross join deliveries where deliveries.id = newest.id
      order by newest.updated_at desc, newest.id desc`.execute(reader.query);
    // Unless further ones follow, all can be examined.
    const end = lastToRead(rows.slice(0, MAX_COUNTED), MAX_COUNTED);
    return end === undefined || end.id === rows.at(-1)!.id ? null : { updatedAt: end.updatedAt, id: end.id };
  }
  const { rows } = await sql<LetterPosition>`
    select newest.updated_at as "updatedAt", newest.id from (${newest}) as newest
    order by newest.updated_at desc, newest.id desc
    limit 2 offset ${sql.lit(MAX_COUNTED - 1)}`.execute(reader.query);
  const [last, further] = rows;
  return last === undefined || further === undefined ? null : last;
}

/**
 * A select of the ids and times of a part of a source. Webhook by webhook, an index has the order of the list, so a page
 * costs only the rows that it passes over: SQLite merges the webhooks row by row.
 */
function letters(
  { query, dialect }: Pick<Reader, 'query' | 'dialect'>,
  { source: { webhooks, ids }, bounds, filter, first }: SourcePart,
): RawBuilder<unknown> {
  const by = ['deliveries.updated_at', 'deliveries.id'];
  const dead = (equal: IndexPart['equal']) =>
    query
      .selectFrom('deliveries')
      .select(['deliveries.id', 'deliveries.updated_at'])
      .where(inIndexPart(dialect, { equal, by, bounds }))
      .where(DEAD)
      .where((eb) => matches(eb, filter, dialect));
  const equals = webhooks === null ? [{}] : webhooks.map((id) => ({ 'deliveries.webhook_id': id }));
  const parts = equals.map((equal) => {
    const others = ids.length === 0 ? dead(equal) : dead(equal).where('deliveries.id', 'not in', ids);
    return dialect === 'sqlite'
      ? others
      : others.orderBy(indexPartOrder(dialect, { equal, by }, 'desc')).limit(first);
  });
  // No id is negative: this one finds nothing.
  const named = dead({}).where('deliveries.id', 'in', [-1, ...ids]);
  const all = webhooks === null ? parts : [named, ...parts];
  return sql`${sql.join(
    all.map((part) => sql`select * from ${part} as part`),
    sql` union all `,
  )}`;
}

async function sourceOf(
  reader: Reader,
  { search, webhookId }: Pick<DeadLetterFilter, 'search' | 'webhookId'>,
): Promise<Source> {
  if (search === null)
    return { webhooks: webhookId === null ? null : [webhookId], ids: [], isPartial: false };
  const ids = await readMatchingIds(reader, search, webhookId);
  const webhooks = await readMatchingWebhooks(reader, search, webhookId);
  const searched = webhooks.slice(0, MAX_WEBHOOKS_SEARCHED);
  return { webhooks: searched, ids, isPartial: webhooks.length > searched.length };
}

/** The dead letter that a text names by its id or its message's. */
async function readMatchingIds(reader: Reader, search: string, webhookId: number | null): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select deliveries.id from deliveries
    where (deliveries.message_id = ${search.toLowerCase()} or deliveries.id = ${idIn(search) ?? 0}) and ${DEAD}
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
      and ${hasDeadLetters(reader.dialect)}
    order by webhooks.id limit ${sql.lit(MAX_WEBHOOKS_SEARCHED + 1)}`.execute(reader.query);
  return rows.map(({ id }) => id);
}
