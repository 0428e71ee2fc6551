import type { Database, Transaction } from '../../database/database.ts';
import type { Logger } from '../../observability/log.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import {
  deleteBlock,
  insertBlock,
  readBlockBefore,
  readBlockStart,
  readBlocksEnd,
  readLastEvent,
  readOpenTransactions,
  setFirstAt,
} from './block-store.ts';
import { keysOf } from './event-keys.ts';
import { deleteEvents, readEventRange } from './event-store.ts';
import { toKeyFilter } from './key-filter.ts';
import type { StoredEvent } from './stored-event.ts';

/** Events of a block: a search that cannot skip it reads so many. */
export const BLOCK_EVENTS = 512;
const INTERVAL_MS = 1_000;
/** Between two blocks, deliveries and events have the database to themselves. */
const STEP_PAUSE_MS = 10;

/**
 * Summarizes the event log in blocks: which keys may be in them, and which times. A search skips most blocks, so that the
 * log needs no index that every event would have to write. The events after the last block are searched one by one.
 */
export class EventBlocks implements AsyncDisposable {
  readonly #database: Database;
  readonly #task: BackgroundTask;
  #failing = false;
  /** On PostgreSQL: up to `lastId`, no event is missing once all transactions before `next` have ended. */
  #awaited: { lastId: number; next: number } | null = null;
  #settledTo = 0;

  constructor({ database, log }: { database: Database; log: Pick<Logger, 'warn'> }) {
    this.#database = database;
    this.#task = new BackgroundTask({
      round: async () => {
        await this.build();
        this.#failing = false;
      },
      pauseMs: INTERVAL_MS,
      onError: (error) => {
        if (!this.#failing) log.warn('events could not be indexed; searching them is slower', { error });
        this.#failing = true;
      },
    });
  }

  /** Starts the background task. */
  start(): void {
    this.#task.start();
  }

  /** Makes all blocks that are complete. @throws {DatabaseUnavailableError} */
  async build(): Promise<void> {
    const { reader } = this.#database;
    const settledTo = await this.#readSettledTo();
    let isFull = true;
    while (isFull && !this.#task.signal.aborted) {
      const after = await readBlocksEnd(reader);
      if (settledTo - after < BLOCK_EVENTS) return;
      const range = { after, before: settledTo + 1, direction: 'ascending', limit: BLOCK_EVENTS } as const;
      const events = await readEventRange(reader, range);
      isFull = events.length === BLOCK_EVENTS;
      if (!isFull) return;
      await this.#database.transaction((tx) => insertBlock(tx, toBlock(events)), { durability: 'deferred' });
      await this.#task.pause(STEP_PAUSE_MS);
    }
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
    const { oldest } = await readOpenTransactions(reader);
    if (this.#awaited !== null && oldest >= this.#awaited.next) {
      this.#settledTo = this.#awaited.lastId;
      this.#awaited = null;
    }
    if (this.#awaited === null) {
      const lastId = await readLastEvent(reader);
      this.#awaited = { lastId, next: (await readOpenTransactions(reader)).next };
    }
    return this.#settledTo;
  }
}

function toBlock(events: readonly StoredEvent[]) {
  const times = events.map(({ occurredAt }) => occurredAt);
  return {
    lastId: events.at(-1)!.id,
    firstAt: Math.min(...times),
    lastAt: Math.max(...times),
    keys: toKeyFilter(new Set(events.flatMap(keysOf))),
  };
}

/** Removes events of before a moment, the oldest first, at most `limit`, and returns how many. */
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
  const events = await readEventRange(tx, {
    after: await readBlockStart(tx, blockEnd),
    before: blockEnd + 1,
    direction: 'ascending',
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

/** Where few events occur, none of them may ever be in a block. */
async function deleteAfterBlocks(tx: Transaction, before: number, limit: number): Promise<number> {
  const events = await readEventRange(tx, {
    after: await readBlocksEnd(tx),
    before: Number.MAX_SAFE_INTEGER,
    direction: 'ascending',
    limit: BLOCK_EVENTS,
  });
  const gone = events.filter(({ occurredAt }) => occurredAt < before).slice(0, limit);
  await deleteEvents(tx, gone);
  return gone.length;
}
