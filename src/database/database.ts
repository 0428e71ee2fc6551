import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

/** A value that may be bound to a statement. Objects (a `Date` above all) are refused by the adapters. */
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
  /** Runs a statement and answers how many rows it changed. */
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
   * Called once the transaction has committed and its caller is about to be answered. It is lost when the
   * process dies in between, so it may only hurry something that would happen anyway.
   */
  onCommit(hook: () => void): void;
  /**
   * Tells everyone who listens to the channel, in every instance, that something changed; once the transaction has
   * committed, and once however often it is called. Like a hook it may get lost, so it may only hurry something.
   * @param channel a constant of the code, at most 63 characters.
   */
  signal(channel: string): void;
}

/**
 * When the caller of a transaction is told that it committed. `durable`: once it is on disk. `deferred`: at once; should
 * the machine (not just the process) die within the next moment, the transaction is undone as a whole, as if it
 * had not been asked for. Everything that it read is on disk either way.
 */
export type Durability = 'durable' | 'deferred';

/** What may be said of a transaction; durable when nothing is. */
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

/** Learns what became of reads and changes: null for a change that was committed. */
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
  /** Resolves when the database answers. @throws {DatabaseUnavailableError} when it does not. */
  ping(): Promise<void>;
  /**
   * Calls back after every transaction, of this or another instance, that signalled the channel, and whenever signals may
   * have been missed. The listener must not throw. Disposing of the result ends it.
   */
  onSignal(channel: string, listener: () => void): Disposable;
}

/** Runs work in the transaction that is open already, or in one of its own. */
export function inTransaction<T>(
  database: Database,
  open: Transaction | undefined,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return open === undefined ? database.transaction(work) : work(open);
}

/**
 * The engine is not there, is full, or failed a commit: what was asked did not happen. Of one case nobody can tell: when
 * the connection to a server was lost after `commit` was sent and before its answer came.
 */
export class DatabaseUnavailableError extends Error {
  override name = 'DatabaseUnavailableError';
}
