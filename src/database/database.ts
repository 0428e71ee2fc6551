import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

/** A value that can be bound to a statement. Objects (a `Date` above all) are refused by the adapters. */
export type SqlValue = string | number | null | Uint8Array;

/** A value of {@link Database.insertMany}'s rows, in the order of its columns. */
export type SqlRow = readonly SqlValue[];

export type Dialect = 'sqlite' | 'postgres';

/** A statement for any number of rows in the form that each engine runs fastest; see `batch-statement.ts`. */
export interface RowsStatement {
  /** Of each row, in the order of {@link RowsStatement.forOne}'s placeholders. */
  readonly columns: readonly string[];
  /** SQLite's: run once for each row, a numbered placeholder for each column. */
  readonly forOne: string;
  /** PostgreSQL's: run once, with one placeholder for all rows as JSON. */
  readonly forAll: string;
}

/** A row's values by column. */
export type NamedRow = Readonly<Record<string, SqlValue>>;

/**
 * Reads rows. `all` takes plain SQL with `?` placeholders: the hot paths use it, with statements that are
 * prepared once. Everyday queries go through `query`, a Kysely instance.
 */
export interface Reader {
  readonly dialect: Dialect;
  readonly query: Kysely<Tables>;
  all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]>;
  /** What a select answers for rows together, all of it read from one state of the data. */
  allFor<Row>(statement: RowsStatement, rows: readonly NamedRow[]): Promise<Row[]>;
}

/**
 * An open transaction. It sees its own changes, and nothing of it is seen elsewhere before it commits.
 * Nothing but the database may be awaited inside: on SQLite everyone else's changes wait behind it.
 *
 * A statement that fails ends it: work that goes on all the same is undone on PostgreSQL, and its caller gets the error
 * of that statement. So ask before writing (`on conflict`, a lock) instead of catching.
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
}

/** The clock that all instances of a database share: the server's on PostgreSQL, this machine's on SQLite. */
export interface DatabaseClock {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Calls back, now and then, with how far this machine's clock is ahead of the shared one, in milliseconds; never where
   * they are the same. The listener must not throw.
   */
  onMeasured(listener: (aheadMs: number) => void): void;
}

/** Notified of the outcomes of reads and changes: null for a committed change. */
export type OutcomeListener = (refusal: DatabaseUnavailableError | null) => void;

/** An open database of either engine. */
export interface Database extends AsyncDisposable {
  readonly dialect: Dialect;
  readonly clock: DatabaseClock;
  /**
   * Calls back with each error that says the engine is not available, and with null after each committed change.
   * The listener must not throw.
   */
  onOutcome(listener: OutcomeListener): void;
  /** Committed data, read outside any transaction. */
  readonly reader: Reader;
  /**
   * Runs `work` in one transaction: commits when it resolves, rolls back when it rejects, then rethrows.
   * Work that PostgreSQL undid for the sake of another's (a deadlock) is run again, a few times: it must have no
   * effect but through the transaction.
   * @throws {DatabaseUnavailableError} when the engine cannot begin or commit.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Resolves when the database responds. @throws {DatabaseUnavailableError} if it does not. */
  ping(): Promise<void>;
  /**
   * Calls back after every transaction, of this or another instance, that signalled the channel, and whenever signals may
   * have been missed. The listener must not throw. Disposing of the result ends it.
   */
  onSignal(channel: string, listener: () => void): Disposable;
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
 * The engine is unavailable, full, or failed a commit: nothing was changed. One case is unknown: the connection
 * to a server was lost after `commit` was sent and before the response.
 */
export class DatabaseUnavailableError extends Error {
  override name = 'DatabaseUnavailableError';
}
