import { Client, type ClientConfig, Pool, type PoolClient, type QueryConfig } from 'pg';
import { DatabaseUnavailableError } from '../database.ts';
import { isConnectionUsable, isStalePlan, translateError } from './postgres-errors.ts';
import { NUMBERS_AS_NUMBERS } from './postgres-numbers.ts';
import type { PostgresStatement } from './postgres-statements.ts';

/** How long waiting for the server may take, in milliseconds. */
export interface PostgresTimeouts {
  /** For a connection: for one of the pool to get free, and for a new one to be made. */
  connectMs: number;
  /** For a statement, by the server's clock. */
  statementMs: number;
  /** For a lock that another transaction holds. */
  lockMs: number;
  /** Until the server ends a transaction whose instance is frozen, and so releases its locks. */
  idleInTransactionMs: number;
  /** Beyond `statementMs`, until a connection on which nothing comes back is dead-lettered. */
  graceMs: number;
}

export const DEFAULT_TIMEOUTS: PostgresTimeouts = {
  connectMs: 5_000,
  statementMs: 20_000,
  lockMs: 10_000,
  idleInTransactionMs: 4_000,
  graceMs: 5_000,
};

/** Limits of long transactions: migrations, copies of whole tables. */
export const LONG_STATEMENT_MS = 3_600_000;
export const LONG_LOCK_MS = 120_000;
export const LONG_IDLE_MS = 120_000;

const KEEP_ALIVE_AFTER_MS = 10_000;
/** Connections that nobody needed for so long are closed. */
const IDLE_CLOSE_MS = 60_000;
/** So that load spreads again after a switch-over or behind a balancer. */
const MAX_LIFETIME_SECONDS = 1_800;

/** The options that open a connection. {@link limitSession} must follow. */
export function clientConfig(url: string, timeouts: PostgresTimeouts): ClientConfig & { pipeline: boolean } {
  return {
    connectionString: url,
    fallback_application_name: 'coursewire',
    connectionTimeoutMillis: timeouts.connectMs,
    query_timeout: timeouts.statementMs + timeouts.graceMs,
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    types: NUMBERS_AS_NUMBERS,
  };
}

/**
 * Sets the session's time limits. As startup parameters, PgBouncer would refuse or silently drop them.
 * Errors are those of `pg`.
 */
export async function limitSession(
  client: Pick<Client, 'query'>,
  { statementMs, lockMs, idleInTransactionMs }: PostgresTimeouts,
): Promise<void> {
  await client.query(
    `set statement_timeout = ${statementMs}; set lock_timeout = ${lockMs};
     set idle_in_transaction_session_timeout = ${idleInTransactionMs}`,
  );
}

/**
 * A bounded number of connections, made when they are needed. One on which something went wrong that was not a
 * statement's fault is closed and never used again.
 */
export class PostgresConnections implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #onStalePlan: () => void;
  #lent = 0;
  readonly #returned = Promise.withResolvers<void>();
  #closing: Promise<void> | null = null;

  /** @throws {DatabaseUnavailableError} when the URL is none; what it holds is not told. */
  constructor(
    url: string,
    { max, timeouts, onStalePlan }: { max: number; timeouts: PostgresTimeouts; onStalePlan: () => void },
  ) {
    try {
      this.#pool = new Pool({
        ...clientConfig(url, timeouts),
        onConnect: (client) => limitSession(client, timeouts),
        max,
        idleTimeoutMillis: IDLE_CLOSE_MS,
        maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
      });
      // Reads the URL, which the pool itself would do at the first connection only.
      new Client(this.#pool.options as ClientConfig);
    } catch {
      throw new DatabaseUnavailableError('database_url cannot be read as the address of a PostgreSQL server');
    }
    this.#onStalePlan = onStalePlan;
    // Both tell of connections that are lost while nothing runs on them; the next user is told when it matters.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /**
   * Lends a connection for as long as `use` takes. Errors that `use` throws come through as they are.
   * @throws {DatabaseUnavailableError} when there is none to be had in time.
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

  /** Closes the connections once nobody uses one any more. */
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
      throw translateError(error, 'be reached');
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

/** What a statement came to. */
export interface PostgresAnswer {
  rows: unknown[];
  /** Rows that it changed or read; null for statements that do neither. */
  rowCount: number | null;
  command: string;
}

/**
 * A connection while it is lent; statements run one after the other. Those that are asked for without waiting for the one
 * before are sent to the server at once: a batch of them costs one round trip.
 */
export class LentConnection {
  readonly #client: PoolClient;
  #last: Promise<unknown> = Promise.resolve();
  isUsable = true;
  hasStalePlan = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  /** Errors are those of `pg`. `timeoutMs` is for an answer that never comes. */
  query(statement: string | PostgresStatement, timeoutMs?: number): Promise<PostgresAnswer> {
    const answer = this.#query(statement, timeoutMs);
    this.#last = answer;
    return answer;
  }

  async #query(statement: string | PostgresStatement, timeoutMs?: number): Promise<PostgresAnswer> {
    const config: QueryConfig & { query_timeout?: number } =
      typeof statement === 'string' ? { text: statement } : { ...statement };
    if (timeoutMs !== undefined) config.query_timeout = timeoutMs;
    try {
      return await this.#client.query<object>(config);
    } catch (error) {
      if (!isConnectionUsable(error)) this.isUsable = false;
      if (isStalePlan(error)) this.hasStalePlan = true;
      throw error;
    }
  }

  /** Resolves when nothing runs on it any more, however that went. */
  async settled(): Promise<void> {
    await this.#last.catch(() => {});
  }
}
