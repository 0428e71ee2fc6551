import { Client, Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import { DatabaseUnavailableError } from '../database.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { isConnectionUsable, isStalePlan } from './postgres-errors.ts';
import type { PostgresStatement } from './postgres-statements.ts';

/** A statement with a time limit of its own, in milliseconds, which the types of `pg` lack. */
export type TimedQuery = QueryConfig & { query_timeout?: number };

/** Time limits for waiting for the server, in milliseconds. */
export interface PostgresTimeouts {
  /** For a connection: until one of the pool is free, or a new one is open. */
  connectMs: number;
  /** For a statement, by the clock of the server. */
  statementMs: number;
  /** For a lock that another transaction holds. */
  lockMs: number;
  /** Until the server ends an idle transaction and releases its locks, for instances that hang. */
  idleInTransactionMs: number;
  /**
   * Until the server closes the connection of an instance that takes none of its data, because it hangs or the network is
   * lost. Meanwhile, the server notices no other limit. Some systems do not support this; the limit has no effect there.
   */
  unreadMs: number;
  /** In addition to `statementMs`, until a connection without any response is closed. */
  graceMs: number;
}

/** The time limits of a service. */
export const DEFAULT_TIMEOUTS: PostgresTimeouts = {
  connectMs: 5_000,
  statementMs: 20_000,
  lockMs: 10_000,
  idleInTransactionMs: 4_000,
  unreadMs: 30_000,
  graceMs: 5_000,
};

/** Limits for long transactions: migrations, and copies of whole tables. */
export const LONG_STATEMENT_MS = HOUR_MS;
export const LONG_LOCK_MS = 2 * MINUTE_MS;
export const LONG_IDLE_MS = 2 * MINUTE_MS;
/**
 * How often the server checks, while a long statement runs, whether the program still exists. Otherwise, the statement of a
 * killed program would keep its locks until it ends.
 */
export const CLIENT_CHECK_MS = 10 * SECOND_MS;

/**
 * How the server notices that the machine or network of a long transaction is lost: it asks the client's system, which
 * answers although the program is busy. After 90 s without an answer, it releases the locks, before the next run gives up.
 */
export const PROBES = { idleSeconds: 30, intervalSeconds: 10, count: 6 };
/** The time after which the server notices the loss. */
export const PROBED_MS = (PROBES.idleSeconds + PROBES.intervalSeconds * PROBES.count) * SECOND_MS;

/** Earlier servers take a scan that cannot be avoided as so expensive that they no longer compare the rest of the plan. */
const AVOIDS_SCANS_FROM = 180_000;

/** Idle connections are closed after this time. */
const IDLE_CLOSE_MS = MINUTE_MS;
/** So that load is spread again after a failover or behind a load balancer. */
const MAX_LIFETIME_SECONDS = 1_800;

/**
 * Sets the time limits of the session, and the isolation of single statements, regardless of the server's defaults.
 * PgBouncer would refuse them as startup parameters, or silently drop them. PostgreSQL has `transaction_timeout` since
 * version 17. It would end migrations and copies, and `idle_session_timeout` the connection that listens.
 *
 * Lets statements scan a whole table only if no index can help. The server keeps the plan of a prepared statement. One that
 * was made while a table was small would scan it after it has grown, until the server renews its statistics. Statements
 * are never compiled (`jit`): compilation takes longer than any of them.
 *
 * Refuses a standby. After a failover, a name may lead to one for a while. If a pool kept that connection, changes
 * would fail on it, and reads would return old data, long after the name leads to the new primary.
 * @throws {DatabaseUnavailableError} if the server is a standby. Throws errors of `pg`
 */
export async function limitSession(
  client: Pick<Client, 'query'>,
  { connectMs, statementMs, lockMs, idleInTransactionMs, unreadMs }: PostgresTimeouts,
): Promise<void> {
  const settings: TimedQuery = {
    // A pooler without a free server connection accepts this one, and then lets its first statement wait.
    query_timeout: connectMs,
    text: `set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs};
     set idle_in_transaction_session_timeout = ${idleInTransactionMs};
     set tcp_user_timeout = ${unreadMs};
     set default_transaction_isolation = 'read committed';
     set jit = off;
     select set_config('enable_seqscan', 'off', false) where current_setting('server_version_num')::int >= ${AVOIDS_SCANS_FROM};
     select set_config(name, '0', false) from pg_settings
       where name in ('transaction_timeout', 'idle_session_timeout');
     select pg_is_in_recovery() as is_standby`,
  };
  const results: unknown = await client.query(settings);
  const last = (results as QueryResult<{ is_standby: boolean }>[]).at(-1);
  if (last?.rows[0]?.is_standby === true)
    throw new DatabaseUnavailableError('the database accepts no changes: the server is a standby');
}

/**
 * A limited number of connections to a server that is not a standby, opened on demand. A connection with an error that
 * was not the fault of a statement is closed and not used again.
 */
export class PostgresConnections implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #address: PostgresAddress;
  readonly #onStalePlan: () => void;
  #lent = 0;
  readonly #returned = Promise.withResolvers<void>();
  #closing: Promise<void> | null = null;

  constructor(
    address: PostgresAddress,
    { max, timeouts, onStalePlan }: { max: number; timeouts: PostgresTimeouts; onStalePlan: () => void },
  ) {
    this.#pool = new Pool({
      Client: class extends Client {
        constructor() {
          super(address.clientConfig());
        }
      },
      connectionTimeoutMillis: timeouts.connectMs,
      onConnect: (client) => limitSession(client, timeouts),
      max,
      idleTimeoutMillis: IDLE_CLOSE_MS,
      maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
    });
    this.#address = address;
    this.#onStalePlan = onStalePlan;
    // Idle connections were lost. Their next user gets the error if it matters.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /**
   * Lends a connection until `use` settles. Errors of `use` are passed on unchanged.
   * @throws {DatabaseUnavailableError} if no connection is available in time
   */
  async lend<T>(use: (connection: LentConnection) => Promise<T>): Promise<T> {
    if (this.#closing !== null) throw new DatabaseUnavailableError('the database is closed');
    this.#lent += 1;
    try {
      return await this.#lend(use);
    } finally {
      this.#lent -= 1;
      if (this.#lent === 0 && this.#closing !== null) this.#returned.resolve();
    }
  }

  /** Closes the connections once none is in use. */
  [Symbol.asyncDispose](): Promise<void> {
    if (this.#lent === 0) this.#returned.resolve();
    this.#closing ??= this.#returned.promise.then(() => this.#pool.end());
    return this.#closing;
  }

  async #lend<T>(use: (connection: LentConnection) => Promise<T>): Promise<T> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw this.#address.connectError(error);
    }
    const connection = new LentConnection(client);
    try {
      return await use(connection);
    } finally {
      if (connection.hasStalePlan) this.#onStalePlan();
      client.release(!connection.isUsable);
    }
  }
}

/** The result of a statement. */
export interface PostgresResult {
  rows: unknown[];
  /** The number of rows that were changed or read; null for other statements. */
  rowCount: number | null;
  command: string;
}

/**
 * A lent connection. Its statements run one after another. Those that are made before the event loop continues are
 * sent in one write, and a batch of them takes one round trip.
 */
export class LentConnection {
  readonly #client: PoolClient;
  #last: Promise<unknown> = Promise.resolve();
  #isGathering = false;
  isUsable = true;
  hasStalePlan = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  /** Throws errors of `pg`. `timeoutMs` applies if there is no response. */
  query(statement: string | PostgresStatement, timeoutMs?: number): Promise<PostgresResult> {
    const result = this.#query(statement, timeoutMs);
    this.#last = result;
    return result;
  }

  async #query(statement: string | PostgresStatement, timeoutMs?: number): Promise<PostgresResult> {
    this.#gather();
    const config: TimedQuery = typeof statement === 'string' ? { text: statement } : { ...statement };
    if (timeoutMs !== undefined) config.query_timeout = timeoutMs;
    try {
      return await this.#client.query<object>(config);
    } catch (error) {
      if (!isConnectionUsable(error)) this.isUsable = false;
      if (isStalePlan(error)) this.hasStalePlan = true;
      throw error;
    }
  }

  /** Holds back what is written until the event loop continues, because each write takes as long as a statement. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const { stream } = (this.#client as PoolClient & Pick<Client, 'connection'>).connection;
    stream.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  /** Resolves when no statement is running, whether or not it succeeded. */
  async settled(): Promise<void> {
    await this.#last.catch(() => {});
  }
}
