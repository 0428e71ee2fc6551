import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

/** A value that can be bound to a statement. The adapters refuse objects, such as a `Date`. */
export type SqlValue = string | number | null | Uint8Array;

/** The values of a row for {@link Transaction.insertMany}, in the order of its columns. */
export type SqlRow = readonly SqlValue[];

/** The SQL of an engine. */
export type Dialect = 'sqlite' | 'postgres';

/** A statement for any number of rows, in the form that each engine runs fastest. See `batch-statement.ts`. */
export interface RowsStatement {
  /** The columns of a row, in the order of the placeholders of {@link RowsStatement.forOne}. */
  readonly columns: readonly string[];
  /** For SQLite: run once for each row, with a numbered placeholder for each column. */
  readonly forOne: string;
  /** For PostgreSQL: run once, with one placeholder for all rows as JSON. */
  readonly forAll: string;
}

/** The values of a row, by column. */
export type NamedRow = Readonly<Record<string, SqlValue>>;

/**
 * Reads rows. `all` takes plain SQL with `?` placeholders, for hot paths with statements that are prepared once.
 * All other queries use `query`, a Kysely instance.
 */
export interface Reader {
  readonly dialect: Dialect;
  readonly query: Kysely<Tables>;
  all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]>;
  /** The result of a select for all rows, from one snapshot of the data. */
  allFor<Row>(statement: RowsStatement, rows: readonly NamedRow[]): Promise<Row[]>;
}

/**
 * An open transaction. It sees its own changes; nobody else sees them before the commit. Await nothing but the
 * database inside, because on SQLite all other changes wait.
 *
 * A failed statement ends the transaction. On PostgreSQL, later changes are rolled back as well, and the caller
 * gets the error of that statement. So check before writing (`on conflict`, a lock) instead of catching errors.
 */
export interface Transaction extends Reader {
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, ...values: SqlValue[]): Promise<number>;
  /** Runs a statement for rows, in their order. */
  runFor(statement: RowsStatement, rows: readonly NamedRow[]): Promise<void>;
  /** Inserts rows with as few round trips as the engine allows; `suffix` is an `on conflict` clause. */
  insertMany(
    table: string,
    columns: readonly string[],
    rows: readonly SqlRow[],
    suffix?: string,
  ): Promise<void>;
  /**
   * Called when the transaction has committed, before its caller gets the result. It is lost if the process
   * dies in between, so it may only speed up something that would happen anyway.
   */
  onCommit(hook: () => void): void;
  /**
   * Notifies all listeners of the channel in every instance, once, after the transaction has committed. Like a
   * hook, a signal may be lost, so it may only speed something up.
   * @param channel a constant of the code, at most 63 characters.
   */
  signal(channel: string): void;
}

/**
 * When the caller of a transaction gets the result. `durable`: when it is on disk. `deferred`: immediately. If
 * the machine (not just the process) dies within the next moment, the whole transaction is undone, as if it had
 * never run. Everything that it read is on disk in both cases.
 */
export type Durability = 'durable' | 'deferred';

/** Options of a transaction. The default is durable. */
export interface TransactionOptions {
  durability?: Durability;
  /** For migrations and copies of whole tables: statements and locks may take minutes, not seconds. */
  isLong?: boolean;
  /**
   * For copies, with `isLong`: an hour may pass between two statements, while the other database is read. If this process
   * hangs, the locks are kept as long. If this machine or its network is lost, the server releases them within two minutes.
   */
  mayIdle?: boolean;
  /**
   * The caller knows that the engine may refuse this change alone. Its refusal does not mean that the engine is failing. It
   * waits for locks for a second only.
   */
  expectsRefusal?: boolean;
}

/** The clock that all instances of a database share: the server's on PostgreSQL, this machine's on SQLite. */
export interface DatabaseClock {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Calls the listener occasionally with the number of milliseconds that this machine's clock is ahead of the
   * shared one. Never calls it if they are the same clock. The listener must not throw.
   */
  onMeasured(listener: (aheadMs: number) => void): void;
  /** Asks for the time, so that `now` is right even after this process was paused. Throws if the database is unavailable. */
  synchronize(): Promise<void>;
}

/** What was refused: a read outside of transactions, or a change. */
export type RefusedUse = 'read' | 'change';

/** Notified of the outcomes of reads and changes: null for a committed change. */
export type OutcomeListener = (refusal: DatabaseUnavailableError | null, use: RefusedUse) => void;

/** An open database of either engine. */
export interface Database extends AsyncDisposable {
  readonly dialect: Dialect;
  readonly clock: DatabaseClock;
  /**
   * Calls the listener with each error that means that the engine is unavailable, and with null after each
   * committed change. The listener must not throw.
   */
  onOutcome(listener: OutcomeListener): void;
  /** Reads committed data, outside any transaction. */
  readonly reader: Reader;
  /**
   * Runs `work` in a transaction: commits if it resolves; rolls back and rethrows if it rejects. If PostgreSQL
   * rolled it back because of other transactions (a deadlock), it runs again, a few times. So `work` must have no
   * effect outside the transaction.
   * @throws {DatabaseUnavailableError} if the engine cannot begin or commit
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs a single statement as a transaction of its own, and returns its rows. On PostgreSQL, it is sent without
   * `begin` and `commit`, in one round trip. It is run again as `transaction` does.
   * @throws {DatabaseUnavailableError} if the engine cannot run or commit it
   */
  runAlone<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]>;
  /** Resolves when the database responds. @throws {DatabaseUnavailableError} if it does not. */
  ping(): Promise<void>;
  /**
   * Calls the listener after every transaction of any instance that signalled the channel, and whenever signals may
   * have been missed. The listener must not throw. Dispose of the result to remove it.
   */
  onSignal(channel: string, listener: () => void): Disposable;
  /**
   * Calls the listener with an error, again and again, while signals cannot be received although the database works, and
   * with null when they can be. Meanwhile, listeners of signals are called every second. The listener must not throw.
   */
  onReceivingSignals(listener: (failure: unknown) => void): void;
}

/** Runs work in the open transaction, or in a new one. */
export function inTransaction<T>(
  database: Database,
  open: Transaction | undefined,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return open === undefined ? database.transaction(work) : work(open);
}

/**
 * The engine is unavailable, full, or failed a commit. Nothing was changed, with one exception: if the connection
 * to a server is lost after `commit` was sent and before the response, the outcome is unknown.
 */
export class DatabaseUnavailableError extends Error {
  override name = 'DatabaseUnavailableError';
}

/** The engine accepts no more changes until the process is restarted. */
export class DatabaseLostError extends DatabaseUnavailableError {}
