import { setTimeout as wait } from 'node:timers/promises';
import {
  type Database,
  DatabaseUnavailableError,
  type NamedRow,
  type OutcomeListener,
  type Reader,
  type RefusedUse,
  type RowsStatement,
  type SqlValue,
  type Transaction,
  type TransactionOptions,
} from '../database.ts';
import { kyselyOver } from './kysely-postgres.ts';
import { PostgresAddress } from './postgres-address.ts';
import { PostgresClock } from './postgres-clock.ts';
import {
  CLIENT_CHECK_MS,
  DEFAULT_TIMEOUTS,
  type LentConnection,
  LONG_IDLE_MS,
  LONG_LOCK_MS,
  LONG_STATEMENT_MS,
  PostgresConnections,
  type PostgresResult,
  type PostgresTimeouts,
  PROBED_MS,
  PROBES,
} from './postgres-connections.ts';
import { isRerunnable, translateError } from './postgres-errors.ts';
import { namedRowsToJson } from './postgres-json.ts';
import { PostgresNotifier } from './postgres-notifier.ts';
import { hasSessions } from './postgres-sessions.ts';
import { PostgresSignals } from './postgres-signals.ts';
import { type PostgresStatement, PostgresStatements } from './postgres-statements.ts';
import { PostgresTransaction } from './postgres-transaction.ts';

/** How long a change whose refusal is expected waits for a lock. The one before it waited for the whole time. */
const EXPECTED_LOCK_MS = 1_000;
/** How often a transaction is run that the server rolled back because of others. */
const MAX_RUNS = 4;
/** The maximum of a random pause between two runs, so that the same transactions do not collide again. */
const LONGEST_PAUSE_MS = 50;
/** A health check waits this long for the response. */
const PING_TIMEOUT_MS = 3_000;
/** The share of connections for reads outside transactions. */
const READING_PART = 0.4;
const DEFAULT_CONNECTIONS = 20;

/** Options of a server database. */
export interface PostgresOptions {
  /** Maximum number of connections, including one for signals; at least 3. */
  connections?: number;
  timeouts?: PostgresTimeouts;
}

/** The oldest supported release, as `server_version_num`. */
const OLDEST_VERSION = 140_000;

/** The server cannot be used, and waiting does not help. */
export class UnsuitableServerError extends Error {
  override name = 'UnsuitableServerError';
}

/** The server rolled a transaction back. It can be run again. */
class RolledBackError extends Error {
  override name = 'RolledBackError';

  /** @param cause as thrown by `pg` */
  constructor(cause: unknown) {
    super('rolled back by the server', { cause });
  }
}

/**
 * The server engine: PostgreSQL 14 or later, for several instances. Transactions see what others have committed
 * (read committed); use row locks if you need more. Reads outside transactions have their own connections, so a
 * transaction that waits for such a read never deadlocks with itself.
 */
export class PostgresDatabase implements Database {
  readonly dialect = 'postgres';
  readonly clock: PostgresClock;
  readonly reader: Reader;
  readonly #writing: PostgresConnections;
  readonly #reading: PostgresConnections;
  readonly #signals: PostgresSignals;
  readonly #notifier: PostgresNotifier;
  readonly #statements = new PostgresStatements();
  readonly #outcomeListeners: OutcomeListener[] = [];
  readonly #address: PostgresAddress;

  /**
   * Connects on first use.
   * @param url `postgres://user:password@host:port/database?sslmode=…`; it appears in no error and no log
   * @throws {DatabaseUnavailableError} if the URL is invalid
   */
  constructor(
    url: string,
    { connections = DEFAULT_CONNECTIONS, timeouts = DEFAULT_TIMEOUTS }: PostgresOptions = {},
  ) {
    this.#address = new PostgresAddress(url, timeouts);
    const reading = Math.max(1, Math.floor((connections - 1) * READING_PART));
    const onStalePlan = () => this.#statements.renew();
    this.#reading = new PostgresConnections(this.#address, { max: reading, timeouts, onStalePlan });
    this.#writing = new PostgresConnections(this.#address, {
      max: Math.max(1, connections - 1 - reading),
      timeouts,
      onStalePlan,
    });
    this.#signals = new PostgresSignals({ address: this.#address, timeouts, ping: () => this.ping() });
    this.#notifier = new PostgresNotifier(this.#statements);
    this.clock = new PostgresClock(() => this.#readTime());
    this.reader = {
      dialect: 'postgres',
      query: kyselyOver((sql, values) => this.#read(this.#statements.prepareNumbered(sql, values))),
      all: async <Row>(sql: string, ...values: SqlValue[]) => {
        const { rows } = await this.#read(this.#statements.prepare(sql, values));
        return rows as Row[];
      },
      allFor: async <Row>({ columns, forAll }: RowsStatement, given: readonly NamedRow[]) =>
        await this.reader.all<Row>(forAll, namedRowsToJson(columns, given)),
    };
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return await this.#runUntilDone((connection) => this.#transact(connection, work, options), options);
  }

  async runAlone<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    return await this.#runUntilDone(async (connection) => {
      try {
        return (await connection.query(this.#statements.prepare(sql, values))).rows as Row[];
      } catch (error) {
        throw changeError(error, 'run a statement');
      }
    });
  }

  /** Runs a change again if the server rolled it back because of others. */
  async #runUntilDone<T>(
    change: (connection: LentConnection) => Promise<T>,
    { expectsRefusal = false }: TransactionOptions = {},
  ): Promise<T> {
    const noted = (error: unknown) => (expectsRefusal ? error : this.#noted(error, 'change'));
    for (let run = 1; ; run++) {
      try {
        return await this.#writing.lend(change);
      } catch (error) {
        if (!(error instanceof RolledBackError)) throw noted(error);
        if (run === MAX_RUNS) throw noted(translateError(error.cause, 'finish a transaction'));
        await wait(Math.random() * LONGEST_PAUSE_MS);
      }
    }
  }

  async ping(): Promise<void> {
    const acceptsChanges = await this.#lendForReading(async (connection) => {
      const statement = { text: 'show transaction_read_only', values: [] };
      const { rows } = await this.#readOn(connection, statement, PING_TIMEOUT_MS);
      const [row] = rows as { transaction_read_only: string }[];
      const isWritable = row?.transaction_read_only === 'off';
      // The session may have a default that was changed since, so the next ping uses another one.
      if (!isWritable) connection.isUsable = false;
      return isWritable;
    });
    if (!acceptsChanges)
      throw new DatabaseUnavailableError('the database accepts no changes: it is set to read-only');
  }

  /**
   * Checks the server and the database, and synchronises the clock.
   * @throws {UnsuitableServerError} @throws {DatabaseUnavailableError}
   */
  async assertSuitable(): Promise<void> {
    const [server] = await this.reader.all<{ version: string; number: string; encoding: string }>(
      `select current_setting('server_version') as version, current_setting('server_version_num') as number,
         current_setting('server_encoding') as encoding`,
    );
    if (server === undefined || Number(server.number) < OLDEST_VERSION) {
      throw new UnsuitableServerError(
        `database_url names a PostgreSQL server of version ${server?.version}; version 14 or later is required`,
      );
    }
    if (server.encoding !== 'UTF8') {
      throw new UnsuitableServerError(
        `database_url names a database with the encoding ${server.encoding}; create one with the encoding UTF8`,
      );
    }
    if (!(await hasSessions(this.#address))) {
      throw new UnsuitableServerError(
        'database_url names a pooler that shares server connections between transactions ' +
          '(pool_mode=transaction or statement in PgBouncer); set pool_mode=session, or name the server itself',
      );
    }
    await this.clock.synchronize();
  }

  onOutcome(listener: OutcomeListener): void {
    this.#outcomeListeners.push(listener);
  }

  onSignal(channel: string, listener: () => void): Disposable {
    return this.#signals.listen(channel, listener);
  }

  onReceivingSignals(listener: (failure: unknown) => void): void {
    this.#signals.onReceiving(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.clock[Symbol.asyncDispose]();
    await this.#signals[Symbol.asyncDispose]();
    await Promise.all([this.#writing[Symbol.asyncDispose](), this.#reading[Symbol.asyncDispose]()]);
  }

  /** The time of the server, in epoch milliseconds. */
  async #readTime(): Promise<number> {
    const sql = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now';
    const { rows } = await this.#read(this.#statements.prepare(sql, []), PING_TIMEOUT_MS);
    return (rows as { now: number }[])[0]!.now;
  }

  /** Retries a read on another connection if its prepared statement is stale. */
  async #read(statement: PostgresStatement, timeoutMs?: number): Promise<PostgresResult> {
    return await this.#lendForReading((connection) => this.#readOn(connection, statement, timeoutMs));
  }

  async #lendForReading<T>(use: (connection: LentConnection) => Promise<T>): Promise<T> {
    try {
      return await this.#reading.lend(use);
    } catch (error) {
      throw this.#noted(error, 'read');
    }
  }

  async #readOn(
    connection: LentConnection,
    statement: PostgresStatement,
    timeoutMs: number | undefined,
  ): Promise<PostgresResult> {
    try {
      return await connection.query(statement, timeoutMs);
    } catch (error) {
      if (!connection.hasStalePlan) throw translateError(error, 'run a statement');
      const { name: _prepared, ...plain } = statement;
      return await connection.query(plain, timeoutMs);
    }
  }

  /** Notifies the listeners, and returns the error. */
  #noted(error: unknown, use: RefusedUse): unknown {
    if (error instanceof DatabaseUnavailableError)
      for (const listener of this.#outcomeListeners) listener(error, use);
    return error;
  }

  /** @throws {RolledBackError} if it can be run again */
  async #transact<T>(
    connection: LentConnection,
    work: (tx: Transaction) => Promise<T>,
    options: TransactionOptions,
  ): Promise<T> {
    const timeoutMs = options.isLong ? LONG_STATEMENT_MS + DEFAULT_TIMEOUTS.graceMs : undefined;
    const beginning = connection.query(beginningOf(options)).catch((error: unknown) => {
      throw translateError(error, 'begin a transaction');
    });
    const tx = new PostgresTransaction(connection, this.#statements, { timeoutMs, beginning });
    let value: T;
    try {
      value = await work(tx);
      await tx.close();
      if (tx.failure !== null) throw translateError(tx.failure.error, 'run a statement');
    } catch (error) {
      await tx.end();
      await rollback(connection);
      throw tx.failure !== null && isRerunnable(tx.failure.error)
        ? new RolledBackError(tx.failure.error)
        : error;
    }
    await this.#commit(tx, connection, timeoutMs);
    return value;
  }

  /** Commits, then calls the hooks and sends the signals. @throws {RolledBackError} if the transaction can be run again */
  async #commit(
    tx: PostgresTransaction,
    connection: LentConnection,
    timeoutMs: number | undefined,
  ): Promise<void> {
    // Sent together with statements that were not awaited. If one of them fails, the server rolls back instead.
    const sent = connection.settled();
    const committing = connection.query('commit', timeoutMs);
    const { signalled } = tx;
    const signalling =
      signalled.length === 0
        ? null
        : this.#notifier.sendBehindCommit(connection, { channels: signalled, committing, timeoutMs });
    try {
      await Promise.all([committing, sent]);
    } catch (error) {
      await signalling;
      await rollback(connection);
      throw changeError(error, 'commit');
    }
    if ((await committing).command !== 'COMMIT') {
      await signalling;
      const error = tx.failure?.error ?? new Error('the server rolled the transaction back');
      throw changeError(error, 'run a statement');
    }
    if (tx.hasChanged) for (const listener of this.#outcomeListeners) listener(null, 'change');
    tx.runHooks();
    this.#signals.committed(signalled);
    await signalling;
    if (signalling === null && signalled.length > 0) await this.#notifier.sendNext(connection, signalled);
  }
}

/** The error of a change for an error of `pg`. `doing` completes the sentence "the database could not …". */
function changeError(error: unknown, doing: string): unknown {
  return isRerunnable(error) ? new RolledBackError(error) : translateError(error, doing);
}

/** All statements in one round trip. */
function beginningOf({ durability, isLong, mayIdle, expectsRefusal }: TransactionOptions): string {
  const statements = ['begin isolation level read committed'];
  if (durability === 'deferred') statements.push('set local synchronous_commit = off');
  if (expectsRefusal) statements.push(`set local lock_timeout = ${EXPECTED_LOCK_MS}`);
  if (isLong) {
    statements.push(
      `set local statement_timeout = ${LONG_STATEMENT_MS}`,
      `set local lock_timeout = ${LONG_LOCK_MS}`,
      // It may read whole tables.
      'set local enable_seqscan = on',
      `set local idle_in_transaction_session_timeout = ${mayIdle ? LONG_STATEMENT_MS : LONG_IDLE_MS}`,
      // On Linux, it also replaces the number of probes.
      `set local tcp_user_timeout = ${PROBED_MS}`,
      `set local tcp_keepalives_idle = ${PROBES.idleSeconds}`,
      `set local tcp_keepalives_interval = ${PROBES.intervalSeconds}`,
      `set local tcp_keepalives_count = ${PROBES.count}`,
      // Other systems may refuse it, which would end the transaction.
      `select set_config('client_connection_check_interval', '${CLIENT_CHECK_MS}', true) where version() like '%linux%'`,
    );
  }
  return statements.join('; ');
}

/** If this fails, the connection is not used again, and its server rolls back. */
async function rollback(connection: LentConnection): Promise<void> {
  if (!connection.isUsable) return;
  await connection.query('rollback').catch(() => {
    connection.isUsable = false;
  });
}
