import { MIB } from '../../bytes.ts';
import type { Database, Transaction } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import {
  deleteBlock,
  drawTransactionNumber,
  type EventBlock,
  insertBlock,
  isOpenBefore,
  readBlockBefore,
  readBlockStart,
  readBlocksEnd,
  readLastEvent,
  setFirstAt,
} from './block-store.ts';
import { KEY_FORMAT, keysOf, NO_KEY_FORMAT } from './event-keys.ts';
import { deleteEvents, readEventPart, readEventRemovals } from './event-store.ts';
import { toKeyFilter } from './key-filter.ts';

/** Number of events in a block. A search reads all of them if it cannot skip the block. */
export const BLOCK_EVENTS = 512;
/** Maximum size of the events in memory at once, in bytes of text. */
const PART_BYTES = 4 * MIB;
const INTERVAL_MS = 1_000;
/** Between two blocks, deliveries and events have the database to themselves. */
const STEP_PAUSE_MS = 10;

/**
 * Summarizes the event log in blocks: which keys and times their events may have. A search skips most blocks, so the
 * log needs no index, which every event would have to write. Events after the last block are searched one by one.
 */
export class EventBlocks implements AsyncDisposable {
  readonly #database: Pick<Database, 'dialect' | 'reader' | 'transaction'>;
  readonly #task: BackgroundTask;
  /** On PostgreSQL: up to `lastId`, no event is missing once all transactions before `next` have ended. */
  #awaited: { lastId: number; next: number } | null = null;
  #settledTo = 0;

  constructor({
    database,
    log,
  }: {
    database: Pick<Database, 'dialect' | 'reader' | 'transaction'>;
    log: Pick<Logger, 'warn'>;
  }) {
    this.#database = database;
    this.#task = new BackgroundTask({
      round: () => this.build(),
      pauseMs: INTERVAL_MS,
      onError: (error, isFirst) => {
        if (isFirst) log.warn('events could not be indexed; searching them is slower', { error });
      },
    });
  }

  /** Starts the background task. */
  start(): void {
    this.#task.start();
  }

  /** Makes all blocks that are complete. @throws {DatabaseUnavailableError} */
  async build(): Promise<void> {
    const settledTo = await this.#readSettledTo();
    while (!this.#task.signal.aborted) {
      const after = await readBlocksEnd(this.#database.reader);
      if (settledTo - after < BLOCK_EVENTS) return;
      const block = await this.#readBlock(after, settledTo);
      if (block === null) return;
      await this.#database.transaction((tx) => insertBlock(tx, block), { durability: 'deferred' });
      await this.#task.pause(STEP_PAUSE_MS);
    }
  }

  /** The next block; null if it is not complete. Of large events, only a few are in memory at a time. */
  async #readBlock(after: number, settledTo: number): Promise<EventBlock | null> {
    const keys = new Set<string>();
    const times: number[] = [];
    let areKeysComplete = true;
    let lastId = after;
    while (!this.#task.signal.aborted) {
      const limit = BLOCK_EVENTS - times.length;
      const range = { after: lastId, before: settledTo + 1, direction: 'ascending', limit } as const;
      const { events, unreadable, end, hasMore } = await readEventPart(
        this.#database.reader,
        range,
        PART_BYTES,
      );
      times.push(...[...events, ...unreadable].map(({ occurredAt }) => occurredAt));
      for (const event of events) for (const key of keysOf(event)) keys.add(key);
      areKeysComplete &&= unreadable.length === 0;
      lastId = end ?? lastId;
      if (times.length >= BLOCK_EVENTS) {
        const [firstAt, lastAt] = [Math.min(...times), Math.max(...times)];
        return {
          lastId,
          firstAt,
          lastAt,
          keys: toKeyFilter(keys),
          keyFormat: areKeysComplete ? KEY_FORMAT : NO_KEY_FORMAT,
        };
      }
      if (!hasMore) return null;
      await this.#task.pause(STEP_PAUSE_MS);
    }
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }

  /**
   * The id up to which no further event can appear. On PostgreSQL, an event with a smaller id may be committed after one
   * with a larger id.
   */
  async #readSettledTo(): Promise<number> {
    const { reader, dialect } = this.#database;
    if (dialect === 'sqlite') return await readLastEvent(reader);
    if (this.#awaited !== null && !(await isOpenBefore(reader, this.#awaited.next))) {
      this.#settledTo = this.#awaited.lastId;
      this.#awaited = null;
    }
    if (this.#awaited === null) {
      const lastId = await readLastEvent(reader);
      // Without new events, no transaction has to end first, and no number is drawn.
      if (lastId > this.#settledTo) this.#awaited = { lastId, next: await drawTransactionNumber(reader) };
    }
    return this.#settledTo;
  }
}

/** Removes events before the given time, oldest first and at most `limit`. Returns their number. */
export async function deleteEventsBefore(tx: Transaction, before: number, limit: number): Promise<number> {
  let deleted = 0;
  while (deleted < limit) {
    const blockEnd = await readBlockBefore(tx, before);
    deleted +=
      blockEnd === null
        ? await deleteAfterBlocks(tx, before, limit - deleted)
        : await deleteInBlock(tx, blockEnd, before, limit - deleted);
    if (blockEnd === null) break;
  }
  return deleted;
}

async function deleteInBlock(
  tx: Transaction,
  blockEnd: number,
  before: number,
  limit: number,
): Promise<number> {
  const events = await readEventRemovals(tx, {
    after: await readBlockStart(tx, blockEnd),
    before: blockEnd + 1,
    limit: BLOCK_EVENTS,
  });
  const old = events.filter(({ occurredAt }) => occurredAt < before);
  const gone = old.slice(0, limit);
  await deleteEvents(tx, gone);
  const left = events.filter((event) => !gone.includes(event));
  if (left.length === 0) await deleteBlock(tx, blockEnd);
  else await setFirstAt(tx, blockEnd, Math.min(...left.map(({ occurredAt }) => occurredAt)));
  return gone.length;
}

/** Removes events that are in no block yet. If few events occur, the next block may never be complete. */
async function deleteAfterBlocks(tx: Transaction, before: number, limit: number): Promise<number> {
  const events = await readEventRemovals(tx, {
    after: await readBlocksEnd(tx),
    before: Number.MAX_SAFE_INTEGER,
    limit: BLOCK_EVENTS,
  });
  const gone = events.filter(({ occurredAt }) => occurredAt < before).slice(0, limit);
  await deleteEvents(tx, gone);
  return gone.length;
}
