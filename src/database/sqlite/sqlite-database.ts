import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../problems/error-message.ts';
import {
  type Database,
  type DatabaseClock,
  DatabaseLostError,
  DatabaseUnavailableError,
  type OutcomeListener,
  type Reader,
  type RefusedUse,
  type SqlValue,
  type Transaction,
  type TransactionOptions,
} from '../database.ts';
import { SignalListeners } from '../signal-listeners.ts';
import { isFull } from './full-disk.ts';
import { toUnavailable } from './kysely-node-sqlite.ts';
import { rewriteLog } from './rewrite-log.ts';
import { type Done, SharedCommits, type Waiting } from './shared-commits.ts';
import { createReader, openConnection } from './sqlite-connections.ts';
import { WalCheckpoints } from './wal-checkpoints.ts';
import { WalSync } from './wal-sync.ts';

/** Maximum number of transactions per commit. It limits how long the first of a batch waits for the last. */
const MAX_BATCH = 256;
/**
 * The page size of a new file; existing files keep theirs. A delivery has about 2 KB, so a commit of many
 * writes half as many pages as with SQLite's usual 4 KiB (8 % more deliveries with 100 webhooks). With 16 KiB, a commit of
 * one delivery would write too much (10 % fewer with one webhook).
 */
const NEW_PAGE_BYTES = 8_192;
/** The page cache of the writing connection, in KiB. */
const WRITER_CACHE_KIB = 16_384;
const READER_CACHE_KIB = 4_096;
/**
 * Maximum time until a deferred change is on disk. After a power failure, what was delivered in that time is
 * delivered again.
 */
const DEFERRED_SYNC_MS = 10;

/**
 * The embedded engine: one file in WAL mode, with one writing and one reading connection. A durable commit is on disk
 * before its caller continues, a deferred one within {@link DEFERRED_SYNC_MS}. Transactions that start in the same turn of
 * the event loop share one `begin immediate … commit`, each in a savepoint. A commit costs a sync of the disk (0.2 ms and
 * more), so without sharing, the sync would limit events and deliveries.
 *
 * The sync does not block the event loop. Transactions that follow in the meantime run, commit, and share the next
 * sync. Deferred transactions wait for a sync only while a durable change that they may have read is not on disk.
 */
export class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  readonly clock: DatabaseClock = { now: Date.now, onMeasured() {}, async synchronize() {} };
  readonly reader: Reader;
  readonly #writer: DatabaseSync;
  readonly #readerConnection: DatabaseSync;
  readonly #commits: SharedCommits;
  readonly #wal: WalSync;
  readonly #checkpoints: WalCheckpoints;
  readonly #listeners = new SignalListeners();
  readonly #outcomeListeners: OutcomeListener[] = [];
  /** Set if a sync failed. The content of the log is then uncertain, so no further commit is possible. */
  #syncFailure: DatabaseLostError | null = null;
  /** Batches with durable changes that are not on disk. */
  #unsyncedBatches = 0;
  #deferredSync: NodeJS.Timeout | null = null;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  /**
   * Opens or creates the file.
   * @param rewritesLog whether it first makes sure that the log of an earlier process is on disk, as a service must
   * @throws {DatabaseUnavailableError} if it cannot be opened or is not a database
   */
  constructor(file: string, { rewritesLog = false } = {}) {
    try {
      this.#writer = openConnection(file, WRITER_CACHE_KIB);
      this.#writer.exec(`pragma page_size = ${NEW_PAGE_BYTES}; pragma journal_mode = wal`);
      if (rewritesLog) rewriteLog(this.#writer, `${file}-wal`);
      this.#writer.exec('pragma busy_timeout = 0');
      this.#readerConnection = openConnection(file, READER_CACHE_KIB);
      this.#readerConnection.exec('pragma query_only = on');
    } catch (error) {
      const reason = isFull(path.dirname(file), error)
        ? 'the disk is full. Make room on it'
        : messageOf(error);
      throw new DatabaseUnavailableError(`the database ${file} cannot be opened: ${reason}`, {
        cause: error,
      });
    }
    this.#commits = new SharedCommits(this.#writer, (channel) => this.#listeners.call(channel));
    this.#wal = new WalSync(`${file}-wal`);
    this.#checkpoints = new WalCheckpoints(file, this.#writer);
    this.reader = createReader(this.#readerConnection, (error) => this.#report(error, 'read'));
  }

  transaction<T>(
    work: (tx: Transaction) => Promise<T>,
    { durability = 'durable', expectsRefusal = false }: TransactionOptions = {},
  ): Promise<T> {
    if (this.#closing !== null) return Promise.reject(new DatabaseUnavailableError('the database is closed'));
    if (this.#syncFailure !== null) {
      this.#report(this.#syncFailure);
      return Promise.reject(this.#syncFailure);
    }
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        run: work,
        durability,
        expectsRefusal,
        resolve: resolve as (value: unknown) => void,
        reject,
      });
      this.#draining ??= this.#drain();
    });
  }

  runAlone<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    return this.transaction((tx) => tx.all<Row>(sql, ...values));
  }

  async ping(): Promise<void> {
    if (this.#syncFailure !== null) throw this.#syncFailure;
    await this.reader.all('select 1');
  }

  onOutcome(listener: OutcomeListener): void {
    this.#outcomeListeners.push(listener);
  }

  /** They are always received. */
  onReceivingSignals(_listener: (failure: unknown) => void): void {}

  /** Only this process, because no other process delivers from the file. */
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
      // Everything that is started in this turn of the event loop joins the batch.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#checkpoints.held !== null) await this.#checkpoints.held;
      await this.#commitBatch(this.#waiting.splice(0, MAX_BATCH));
    }
    this.#draining = null;
  }

  async #commitBatch(batch: readonly Waiting[]): Promise<void> {
    let committed: { done: Done[]; isChanged: boolean };
    try {
      if (this.#syncFailure !== null) throw this.#syncFailure;
      committed = await this.#commits.run(batch);
    } catch (error) {
      this.#refuse(batch, toUnavailable(error, 'commit'));
      return;
    }
    const { done, isChanged } = committed;
    if (isChanged) this.#checkpoints.committed();
    const isDurable =
      isChanged &&
      done.some(({ waiting, outcome }) => 'value' in outcome && waiting.durability === 'durable');
    // A transaction that only read may have read a change whose sync is in progress. Its caller must wait for that
    // sync.
    if (isDurable || this.#unsyncedBatches > 0) {
      void this.#finishWhenSynced(done);
      return;
    }
    if (isChanged) this.#deferredSync ??= setTimeout(() => void this.#syncDeferred(), DEFERRED_SYNC_MS);
    this.#finish(done);
  }

  /** Rejects transactions that were rolled back as a whole. */
  #refuse(refused: readonly Waiting[], error: DatabaseUnavailableError): void {
    for (const waiting of refused) waiting.reject(error);
    this.#report(error);
  }

  #report(outcome: DatabaseUnavailableError | null, use: RefusedUse = 'change'): void {
    for (const listener of this.#outcomeListeners) listener(outcome, use);
  }

  #finish(done: readonly Done[]): void {
    // A later sync may succeed, but what it wrote follows the uncertain part of the log, and is lost with it.
    if (this.#syncFailure !== null) {
      this.#refuse(
        done.map(({ waiting }) => waiting),
        this.#syncFailure,
      );
      return;
    }
    if (done.some(({ tx, outcome }) => 'value' in outcome && tx.hasWritten)) this.#report(null);
    // The engine may refuse the work of one transaction, for example if only one of its tables is damaged.
    for (const { waiting, outcome } of done)
      if ('error' in outcome && outcome.error instanceof DatabaseUnavailableError && !waiting.expectsRefusal)
        this.#report(outcome.error);
    settleCallers(done);
  }

  async #syncDeferred(): Promise<void> {
    this.#deferredSync = null;
    await this.#sync();
    if (this.#syncFailure !== null) this.#report(this.#syncFailure);
  }

  async #finishWhenSynced(done: readonly Done[]): Promise<void> {
    this.#unsyncedBatches++;
    await this.#sync();
    this.#unsyncedBatches--;
    this.#finish(done);
  }

  /** Syncs the log. If that fails, no change is confirmed any more. */
  async #sync(): Promise<void> {
    try {
      await this.#wal.synced();
    } catch (error) {
      this.#syncFailure ??= syncFailed(error);
    }
  }
}

/** After a failed sync, the system may have dropped what it could not write. The next process writes the log again. */
function syncFailed(error: unknown): DatabaseLostError {
  return new DatabaseLostError(
    `the database could not sync its log; restart the service: ${messageOf(error)}`,
    {
      cause: error,
    },
  );
}

function settleCallers(done: readonly Done[]): void {
  for (const { waiting, outcome } of done) {
    if ('value' in outcome) waiting.resolve(outcome.value);
    else waiting.reject(outcome.error);
  }
  for (const { tx, outcome } of done) if ('value' in outcome) tx.runHooks();
}
