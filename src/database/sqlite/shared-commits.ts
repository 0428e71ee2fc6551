import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { TimeSlices } from '../../time/time-slices.ts';
import type { Durability } from '../database.ts';
import { isBusy, Statements, toUnavailable } from './kysely-node-sqlite.ts';
import { BUSY_TIMEOUT_MS } from './sqlite-connections.ts';
import { SqliteTransaction } from './sqlite-transaction.ts';

/** Pause between two attempts while another process writes, so that the event loop can turn. */
const BUSY_RETRY_MS = 5;

/** A transaction that waits for its turn, and its caller. */
export interface Waiting {
  run(tx: SqliteTransaction): Promise<unknown>;
  readonly durability: Durability;
  readonly expectsRefusal: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Work that has run, and the outcome that its caller gets after the commit. */
export interface Done {
  waiting: Waiting;
  tx: SqliteTransaction;
  outcome: { value: unknown } | { error: unknown };
}

/**
 * Runs the work of several transactions in one `begin immediate … commit`, each in a savepoint. If one fails, only that
 * one is undone.
 */
export class SharedCommits {
  readonly #writer: DatabaseSync;
  readonly #announce: (channel: string) => void;
  readonly #statements: Statements;
  readonly #slices = new TimeSlices();

  /**
   * @param writer the writing connection
   * @param announce called with each channel that a transaction has signalled
   */
  constructor(writer: DatabaseSync, announce: (channel: string) => void) {
    this.#writer = writer;
    this.#announce = announce;
    this.#statements = new Statements(writer);
  }

  /**
   * Runs the batch and commits it. The commit need not be on disk yet, because the log is not synced.
   * @throws {DatabaseUnavailableError} if nothing of the batch was committed
   */
  async run(batch: readonly Waiting[]): Promise<{ done: Done[]; isChanged: boolean }> {
    this.#slices.begin();
    try {
      await this.#begin();
    } catch (error) {
      throw toUnavailable(error, 'begin');
    }
    try {
      const done: Done[] = [];
      for (const waiting of batch)
        done.push(await (batch.length === 1 ? this.#runAlone(waiting) : this.#runInSavepoint(waiting)));
      const isChanged = done.some(({ tx, outcome }) => 'value' in outcome && tx.mayHaveChanged);
      this.#statements.run('commit', []);
      return { done, isChanged };
    } catch (error) {
      if (this.#writer.isTransaction) this.#writer.exec('rollback');
      throw toUnavailable(error, 'commit');
    }
  }

  /**
   * Begins to write when no other process is writing. SQLite itself would block the event loop while it waits.
   * @throws {DatabaseUnavailableError} if the other process does not finish in time
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

  /** Runs the only work of a batch, which needs no savepoint. @throws if the batch is lost */
  async #runAlone(waiting: Waiting): Promise<Done> {
    return await this.#run(waiting, {
      undo: async () => {
        this.#statements.run('rollback', []);
        await this.#begin();
      },
    });
  }

  /** Runs the work of a batch with others. @throws if the whole batch is lost */
  async #runInSavepoint(waiting: Waiting): Promise<Done> {
    this.#statements.run('savepoint work', []);
    return await this.#run(waiting, {
      keep: () => this.#statements.run('release work', []),
      undo: () => {
        this.#statements.run('rollback to work', []);
        this.#statements.run('release work', []);
      },
    });
  }

  /**
   * Runs the work, and undoes it if it fails. Its error waits for the commit, like a result, because the work may have
   * read changes of the batch, which may be lost.
   */
  async #run(
    waiting: Waiting,
    { keep, undo }: { keep?: () => void; undo: () => void | Promise<void> },
  ): Promise<Done> {
    const tx = new SqliteTransaction(this.#statements, {
      slices: this.#slices,
      isUndone: () => !this.#writer.isTransaction,
      announce: this.#announce,
    });
    try {
      const value = await waiting.run(tx);
      await tx.settled();
      await tx.end();
      keep?.();
      return { waiting, tx, outcome: { value } };
    } catch (error) {
      await tx.end();
      // After a full disk or a failed read, SQLite may have rolled back the whole transaction.
      if (!this.#writer.isTransaction) throw error;
      await undo();
      return { waiting, tx, outcome: { error } };
    }
  }
}
