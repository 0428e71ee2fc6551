import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reader } from '../../database/database.ts';
import { STEP_BYTES, TURN_BYTES } from '../../database/step-bytes.ts';
import {
  type EventBlock,
  readBlockEnd,
  readBlockStart,
  readBlocks,
  readBlocksEnd,
  readFirstBlockFrom,
} from './block-store.ts';
import { BLOCK_EVENTS } from './event-blocks.ts';
import { keysCompleteIn, keysOf } from './event-keys.ts';
import { type EventPart, readEventPart } from './event-store.ts';
import { mayHaveKeys } from './key-filter.ts';
import type { StoredEvent, UnreadableEvent } from './stored-event.ts';

/** Number of block summaries that are read together. */
const BLOCKS_TOGETHER = 100;
/** Maximum number of events that a search reads before it returns; fewer if they are large. */
const MAX_EVENTS_READ = 20_000;

/** Which events are searched, and in which order. */
export interface EventSearch {
  /** Only events with all of these keys. */
  keys: readonly string[];
  /** Only events that occurred in this range, in epoch milliseconds; `to` is excluded. */
  from: number;
  to: number;
  /** Only events with ids between these two, both excluded. */
  after: number;
  before: number;
  direction: 'ascending' | 'descending';
  limit: number;
  /** The search ends once it has read this much text. */
  maxBytes: number;
}

/** The events that were found, at most as many as the limit. */
export interface FoundEvents {
  items: StoredEvent[];
  /** Events that cannot be read, and so may match. */
  unreadable: UnreadableEvent[];
  /** The id to continue from; null at the end. */
  next: number | null;
  /** How much text was read. */
  bytes: number;
}

type EventReader = Pick<Reader, 'all' | 'allFor' | 'dialect'>;

/** A search for all events. The caller chooses the direction and the limit. */
export const ALL_EVENTS = {
  keys: [],
  from: Number.MIN_SAFE_INTEGER,
  to: Number.MAX_SAFE_INTEGER,
  after: 0,
  before: Number.MAX_SAFE_INTEGER,
  maxBytes: STEP_BYTES,
} as const;

/**
 * Finds events in the order of their ids, which is the order of commits. A search with few matches stops after a limit
 * and says where to continue. It may return no events.
 */
export async function searchEvents(reader: EventReader, search: EventSearch): Promise<FoundEvents> {
  const { limit, maxBytes } = search;
  const items: StoredEvent[] = [];
  const unreadable: UnreadableEvent[] = [];
  const read = { events: 0, bytes: 0 };
  for await (const part of candidates(reader, search, read)) {
    unreadable.push(...part.unreadable.filter((event) => isInPeriod(event, search)));
    for (const event of part.events) {
      if (!fits(event, search)) continue;
      if (items.length === limit) return { items, unreadable, next: items.at(-1)!.id, bytes: read.bytes };
      items.push(event);
    }
    const isEnough = read.events >= MAX_EVENTS_READ || read.bytes >= maxBytes;
    if (isEnough && part.end !== null) return { items, unreadable, next: part.end, bytes: read.bytes };
  }
  return { items, unreadable, next: null, bytes: read.bytes };
}

function isInPeriod({ occurredAt }: { occurredAt: number }, { from, to }: EventSearch): boolean {
  return occurredAt >= from && occurredAt < to;
}

function fits(event: StoredEvent, search: EventSearch): boolean {
  const { keys } = search;
  if (!isInPeriod(event, search)) return false;
  if (keys.length === 0) return true;
  const own = keysOf(event);
  return keys.every((key) => own.includes(key));
}

/** What a search has read so far. */
interface Read {
  events: number;
  bytes: number;
}

type Candidates = AsyncGenerator<Pick<EventPart, 'events' | 'unreadable' | 'end'>>;

/** The events that may match. Blocks that cannot contain any are skipped. */
async function* candidates(reader: EventReader, search: EventSearch, read: Read): Candidates {
  // The end of the blocks is read first: an event that is added to a block in the meantime is still read one by one.
  const blocksEnd = await readBlocksEnd(reader);
  const tail = { ...search, after: Math.max(search.after, blocksEnd) };
  const blocks = { ...search, before: Math.min(search.before, blocksEnd + 1) };
  if (search.direction === 'ascending') {
    yield* inBlocks(reader, blocks, read);
    yield* oneByOne(reader, tail, read);
  } else {
    yield* oneByOne(reader, tail, read);
    yield* inBlocks(reader, blocks, read);
  }
}

async function* inBlocks(reader: EventReader, search: EventSearch, read: Read): Candidates {
  const { direction } = search;
  let after = Math.max(search.after, await endBeforeTime(reader, search));
  let upTo = (await readBlockEnd(reader, search.before - 1)) ?? (await readBlocksEnd(reader));
  while (after < upTo) {
    const some = await readBlocks(reader, { after, upTo, direction, limit: BLOCKS_TOGETHER });
    for (const block of some) {
      if (!mayHave(block, search)) continue;
      const start = await readBlockStart(reader, block.lastId);
      const range = {
        ...search,
        after: Math.max(search.after, start),
        before: Math.min(search.before, block.lastId + 1),
      };
      yield* oneByOne(reader, range, read);
    }
    const last = some.at(-1);
    if (last === undefined || some.length < BLOCKS_TOGETHER) return;
    if (direction === 'ascending') after = last.lastId;
    else upTo = last.lastId - 1;
    await nextTurn();
  }
}

/** The end of the blocks that are all too early; 0 if that is unknown. */
async function endBeforeTime(reader: EventReader, { after, from }: EventSearch): Promise<number> {
  // A search that continues has passed over these.
  if (from <= ALL_EVENTS.from || after > ALL_EVENTS.after) return 0;
  const first = await readFirstBlockFrom(reader, from);
  return first === null ? Number.MAX_SAFE_INTEGER : first - 1;
}

function mayHave(block: EventBlock, { keys, from, to }: EventSearch): boolean {
  const { firstAt, lastAt, keys: filter, keyFormat } = block;
  return lastAt >= from && firstAt < to && mayHaveKeys(filter, keysCompleteIn(keyFormat, keys));
}

async function* oneByOne(reader: EventReader, search: EventSearch, read: Read): Candidates {
  const { direction, keys, limit, maxBytes } = search;
  let { after, before } = search;
  // Without keys, almost every event matches.
  const step = keys.length === 0 ? Math.min(BLOCK_EVENTS, limit + 1) : BLOCK_EVENTS;
  while (after + 1 < before) {
    const range = { after, before, direction, limit: step };
    const part = await readEventPart(reader, range, Math.min(TURN_BYTES, maxBytes - read.bytes));
    const { end } = part;
    read.events += part.events.length + part.unreadable.length;
    read.bytes += part.bytes;
    yield part;
    if (!part.hasMore || end === null) return;
    if (direction === 'ascending') after = end;
    else before = end;
    await nextTurn();
  }
}
