import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Database,
  type DatabaseClock,
  DatabaseUnavailableError,
  type Durability,
  type OutcomeListener,
  type Reader,
  type Transaction,
  type TransactionOptions,
} from '../database.ts';
import { SignalListeners } from '../signal-listeners.ts';
import { isBusy, Statements, toUnavailable } from './kysely-node-sqlite.ts';
import { BUSY_TIMEOUT_MS, createReader, openConnection } from './sqlite-connections.ts';
import { SqliteTransaction } from './sqlite-transaction.ts';
import { TimeSlices } from './time-slices.ts';
import { WalCheckpoints } from './wal-checkpoints.ts';
import { WalSync } from './wal-sync.ts';

/** While it waits, the event loop turns: between two attempts. */
const BUSY_RETRY_MS = 5;
/** Transactions that one commit may carry: bounds how long the first of a batch waits for the last. */
const MAX_BATCH = 256;
/**
 * Of the pages of a new file; those of one that is there stay as they are. A commit of many deliveries, about 2 KB each,
 * writes half as many as of SQLite's usual 4 KiB (8 % more deliveries at 100 webhooks); of 16 KiB a commit of one would
 * write too much (10 % less at one webhook).
 */
const NEW_PAGE_BYTES = 8_192;
/** Page cache of the writing connection, in KiB. */
const WRITER_CACHE_KIB = 16_384;
const READER_CACHE_KIB = 4_096;
/**
 * How long a deferred change may stay off the disk: what was delivered in the meantime is delivered again after
 * a power failure.
 */
const DEFERRED_SYNC_MS = 10;

interface Waiting {
  run(tx: SqliteTransaction): Promise<unknown>;
  readonly durability: Durability;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Work that ran, and what its caller will be told once the batch is committed. */
interface Done {
  waiting: Waiting;
  tx: SqliteTransaction;
  outcome: { value: unknown } | { error: unknown };
}

/**
 * The embedded engine: one file in WAL mode, one writing and one reading connection, every commit synced to
 * disk before its caller is answered.
 * Transactions that were asked for in the same turn of the event loop share one `begin immediate … commit`,
 * each in a savepoint of its own: a commit costs a sync of the disk (0.2 ms and more), and without sharing that
 * sync would bound events and deliveries alike (architecture, invariant 6). The sync happens beside the main
 * thread; transactions that follow in the meantime run and commit, and share the next one. Deferred
 * transactions wait for it only while something durable, which they may have read, is not on disk yet.
 */
export class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  readonly clock: DatabaseClock = { now: Date.now, onMeasured() {} };
  readonly reader: Reader;
  readonly #writer: DatabaseSync;
  readonly #readerConnection: DatabaseSync;
  readonly #statements: Statements;
  readonly #wal: WalSync;
  readonly #checkpoints: WalCheckpoints;
  readonly #listeners = new SignalListeners();
  readonly #outcomeListeners: OutcomeListener[] = [];
  /** Set when a sync failed: what the log holds from then on is uncertain, so nothing more may be promised. */
  #syncFailure: DatabaseUnavailableError | null = null;
  /** Batches with durable changes that are not on disk yet. */
  #unsyncedBatches = 0;
  readonly #slices = new TimeSlices();
  #deferredSync: NodeJS.Timeout | null = null;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  /** Opens or creates the file. @throws {DatabaseUnavailableError} when it cannot be opened or is no database. */
  constructor(file: string) {
    try {
      this.#writer = openConnection(file, WRITER_CACHE_KIB);
      this.#writer.exec(
        `pragma page_size = ${NEW_PAGE_BYTES}; pragma journal_mode = wal; pragma busy_timeout = 0`,
      );
      this.#readerConnection = openConnection(file, READER_CACHE_KIB);
      this.#readerConnection.exec('pragma query_only = on');
    } catch (error) {
      throw new DatabaseUnavailableError(`the database ${file} cannot be opened: ${messageOf(error)}`, {
        cause: error,
      });
    }
    this.#statements = new Statements(this.#writer);
    this.#wal = new WalSync(`${file}-wal`);
    this.#checkpoints = new WalCheckpoints(file, this.#writer);
    this.reader = createReader(this.#readerConnection);
  }

  transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    { durability = 'durable' }: TransactionOptions = {},
  ): Promise<T> {
    if (this.#closing !== null) return Promise.reject(new DatabaseUnavailableError('the database is closed'));
    if (this.#syncFailure !== null) return Promise.reject(this.#syncFailure);
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run: work, durability, resolve: resolve as (value: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  async ping(): Promise<void> {
    if (this.#syncFailure !== null) throw this.#syncFailure;
    await this.reader.all('select 1');
  }

  onOutcome(listener: OutcomeListener): void {
    this.#outcomeListeners.push(listener);
  }

  /** Of this process alone: nobody else delivers from the file. */
  onSignal(channel: string, listener: () => void): Disposable {
    return this.#listeners.add(channel, listener);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    while (this.#draining !== null) await this.#draining;
    if (this.#deferredSync !== null) clearTimeout(this.#deferredSync);
    await this.#wal[Symbol.asyncDispose]();
    await this.#checkpoints[Symbol.asyncDispose]();
    this.#readerConnection.close();
    this.#writer.close();
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Everything that this turn's I/O asks for joins the batch.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#checkpoints.held !== null) await this.#checkpoints.held;
      this.#slices.begin();
      await this.#commitBatch(this.#waiting.splice(0, MAX_BATCH));
    }
    this.#draining = null;
  }

  async #commitBatch(batch: readonly Waiting[]): Promise<void> {
    const done: Done[] = [];
    try {
      await this.#begin();
    } catch (error) {
      this.#refuse(batch, toUnavailable(error, 'begin'));
      return;
    }
    let next = 0;
    let isChanged: boolean;
    try {
      for (; next < batch.length; next++) {
        const waiting = batch[next]!;
        done.push(await this.#runInSavepoint(waiting, batch.length === 1));
      }
      isChanged = done.some(({ tx, outcome }) => 'value' in outcome && tx.mayHaveChanged);
      this.#statements.run('commit', []);
    } catch (error) {
      if (this.#writer.isTransaction) this.#writer.exec('rollback');
      const all = [...done.map(({ waiting }) => waiting), ...batch.slice(next)];
      this.#refuse(all, toUnavailable(error, 'commit'));
      return;
    }
    if (isChanged) this.#checkpoints.committed();
    const isDurable =
      isChanged &&
      done.some(({ waiting, outcome }) => 'value' in outcome && waiting.durability === 'durable');
    // One that only read may have read what another is still syncing: its caller must not be told before that one's.
    if (isDurable || this.#unsyncedBatches > 0) {
      void this.#answerWhenSynced(done, isChanged);
      return;
    }
    if (isChanged) this.#deferredSync ??= setTimeout(() => void this.#syncDeferred(), DEFERRED_SYNC_MS);
    this.#answer(done, isChanged);
  }

  /**
   * Begins to write once no other process does. SQLite would wait for it with the event loop standing still.
   * @throws {DatabaseUnavailableError} when the other one does not finish in time
   */
  async #begin(): Promise<void> {
    const end = performance.now() + BUSY_TIMEOUT_MS;
    while (true) {
      try {
        this.#statements.run('begin immediate', []);
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() >= end) throw error;
      }
      await delay(BUSY_RETRY_MS);
      this.#slices.begin();
    }
  }

  /** Rejects work that was undone as a whole. */
  #refuse(refused: readonly Waiting[], error: DatabaseUnavailableError): void {
    for (const waiting of refused) waiting.reject(error);
    for (const listener of this.#outcomeListeners) listener(error);
  }

  #answer(done: readonly Done[], isChanged: boolean): void {
    if (isChanged) for (const listener of this.#outcomeListeners) listener(null);
    answer(done);
  }

  async #syncDeferred(): Promise<void> {
    this.#deferredSync = null;
    try {
      await this.#wal.synced();
    } catch (error) {
      this.#syncFailure = syncFailed(error);
    }
  }

  async #answerWhenSynced(done: readonly Done[], isChanged: boolean): Promise<void> {
    this.#unsyncedBatches++;
    try {
      await this.#wal.synced();
    } catch (error) {
      this.#syncFailure = syncFailed(error);
      this.#refuse(
        done.map(({ waiting }) => waiting),
        this.#syncFailure,
      );
      return;
    } finally {
      this.#unsyncedBatches--;
    }
    this.#answer(done, isChanged);
  }

  /**
   * Runs the work; what it did is rolled back when it fails. Its error waits for the commit like any answer: it may come
   * of what others in the batch did, which is not so if the batch is lost. Work that is alone needs no savepoint.
   * @throws when the whole batch is lost
   */
  async #runInSavepoint(waiting: Waiting, isAlone: boolean): Promise<Done> {
    if (!isAlone) this.#statements.run('savepoint work', []);
    const tx = new SqliteTransaction(this.#statements, {
      slices: this.#slices,
      isUndone: () => !this.#writer.isTransaction,
      announce: (channel) => this.#listeners.call(channel),
    });
    try {
      const value = await waiting.run(tx);
      await tx.settled();
      await tx.end();
      if (!isAlone) this.#statements.run('release work', []);
      return { waiting, tx, outcome: { value } };
    } catch (error) {
      await tx.end();
      // A full disk or a failed read makes SQLite roll the whole transaction back by itself.
      if (!this.#writer.isTransaction) throw error;
      if (isAlone) {
        this.#statements.run('rollback', []);
        await this.#begin();
      } else {
        this.#statements.run('rollback to work', []);
        this.#statements.run('release work', []);
      }
      return { waiting, tx, outcome: { error } };
    }
  }
}

/**
 * After a failed sync the system may have dropped what it could not write: only a restart, which reads the log as it
 * is on disk, can tell what is there.
 */
function syncFailed(error: unknown): DatabaseUnavailableError {
  return toUnavailable(error, 'sync its log; restart the service');
}

function answer(done: readonly Done[]): void {
  for (const { waiting, outcome } of done) {
    if ('value' in outcome) waiting.resolve(outcome.value);
    else waiting.reject(outcome.error);
  }
  for (const { tx, outcome } of done) if ('value' in outcome) tx.runHooks();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
