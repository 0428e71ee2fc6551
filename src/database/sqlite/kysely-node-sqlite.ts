import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { keepNewest } from '../../keep-newest.ts';
import { messageOf } from '../../problems/error-message.ts';
import { assertBindable } from '../bindable.ts';
import { DatabaseUnavailableError, type NamedRow, type RowsStatement, type SqlValue } from '../database.ts';
import type { Tables } from '../schema.ts';
import { resultCodeOf, SQLITE_BUSY } from './result-code.ts';

/** Maximum number of prepared statements per connection. The service has about two hundred texts. */
const MAX_PREPARED = 1_000;

/**
 * Runs the statements of a connection. Prepares each text once, refuses values that `node:sqlite` would bind as
 * something else, and distinguishes failures of the engine from errors of a query.
 */
export class Statements {
  readonly #connection: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  readonly #onFailure: (error: DatabaseUnavailableError) => void;

  /** @param onFailure called with each failure of the engine */
  constructor(connection: DatabaseSync, onFailure: (error: DatabaseUnavailableError) => void = () => {}) {
    this.#connection = connection;
    this.#onFailure = onFailure;
  }

  /** @throws {DatabaseUnavailableError} if the engine fails */
  all(sql: string, values: readonly unknown[]): unknown[] {
    return this.#execute(sql, values, (prepared, bound) => rowsOf(prepared, bound));
  }

  /** @throws {DatabaseUnavailableError} if the engine fails */
  run(
    sql: string,
    values: readonly unknown[],
  ): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#execute(sql, values, ({ statement }, bound) => statement.run(...bound));
  }

  /** Runs a statement for the values of each row, in order. @throws {DatabaseUnavailableError} if the engine fails */
  runEach(sql: string, rows: readonly (readonly unknown[])[]): void {
    this.#execute(sql, [], ({ statement }) => {
      for (const values of rows) {
        assertBindable(values);
        statement.run(...values);
      }
    });
  }

  /** Runs a statement for each row, in order. @throws {DatabaseUnavailableError} if the engine fails */
  runFor({ columns, forOne }: RowsStatement, rows: readonly NamedRow[]): void {
    this.#executeFor(columns, forOne, rows, ({ statement }, bound) => {
      statement.run(...bound);
    });
  }

  /** The result of a select for all rows. @throws {DatabaseUnavailableError} if the engine fails */
  allFor({ columns, forOne }: RowsStatement, rows: readonly NamedRow[]): unknown[] {
    const found: unknown[] = [];
    this.#executeFor(columns, forOne, rows, (prepared, bound) => {
      for (const row of rowsOf(prepared, bound)) found.push(row);
    });
    return found;
  }

  /** Whether a statement returns rows. @throws {DatabaseUnavailableError} if the engine fails */
  returnsRows(sql: string): boolean {
    return this.#execute(sql, [], ({ names }) => names.length > 0);
  }

  #execute<T>(
    sql: string,
    values: readonly unknown[],
    execute: (prepared: Prepared, bound: readonly SqlValue[]) => T,
  ): T {
    assertBindable(values);
    try {
      return execute(this.#prepare(sql), values);
    } catch (error) {
      if (!ENGINE_FAILURES.has(resultCodeOf(error))) throw error;
      const failure = toUnavailable(error, 'run a statement');
      this.#onFailure(failure);
      throw failure;
    }
  }

  #executeFor(
    columns: readonly string[],
    sql: string,
    rows: readonly NamedRow[],
    execute: (prepared: Prepared, bound: readonly SqlValue[]) => void,
  ): void {
    // One array for all rows, because bound values are copied.
    const bound: SqlValue[] = columns.map(() => null);
    this.#execute(sql, [], (prepared) => {
      for (const row of rows) {
        for (let place = 0; place < columns.length; place++) bound[place] = row[columns[place]!] as SqlValue;
        assertBindable(bound);
        execute(prepared, bound);
      }
    });
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(sql);
    statement.setReturnArrays(true);
    const prepared = { statement, names: namesOf(statement) };
    this.#prepared.set(sql, prepared);
    keepNewest(this.#prepared, MAX_PREPARED);
    return prepared;
  }
}

/** A prepared statement and the column names of its result; empty if it returns no rows. */
interface Prepared {
  readonly statement: StatementSync;
  names: readonly string[];
}

/**
 * The rows of a select. The engine returns only their values: objects that it creates are dictionaries (1 µs more
 * for a row of eight columns, and slower to read).
 */
function rowsOf(prepared: Prepared, bound: readonly SqlValue[]): Record<string, unknown>[] {
  const found = prepared.statement.all(...bound) as unknown as readonly unknown[][];
  // If another process has added a column (a migration that is not breaking), the engine prepares a `select *`
  // again, and only then knows the new names.
  const columns = found[0]?.length;
  if (columns !== undefined && columns !== prepared.names.length)
    prepared.names = namesOf(prepared.statement);
  const { names } = prepared;
  const rows: Record<string, unknown>[] = [];
  for (const values of found) {
    const row: Record<string, unknown> = {};
    for (let place = 0; place < names.length; place++) row[names[place]!] = values[place];
    rows.push(row);
  }
  return rows;
}

function namesOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name);
}

/**
 * BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB: failures of the engine, not errors of the
 * query.
 */
const ENGINE_FAILURES = new Set([5, 6, 7, 8, 10, 11, 13, 14, 26]);

/** Whether a statement failed because another connection is writing. */
export function isBusy(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && resultCodeOf(error.cause) === SQLITE_BUSY;
}

/** The error for a failure of the engine; `doing` completes the sentence "the database could not …". */
export function toUnavailable(error: unknown, doing: string): DatabaseUnavailableError {
  if (error instanceof DatabaseUnavailableError) return error;
  const reason = messageOf(error);
  return new DatabaseUnavailableError(`the database could not ${doing}: ${reason}`, { cause: error });
}

/** Runs a query now, or when it is its turn. It may throw to refuse the query. */
export type RunQuery = (
  query: Pick<CompiledQuery, 'sql' | 'parameters'>,
  execute: () => QueryResult<unknown>,
) => QueryResult<unknown> | Promise<QueryResult<unknown>>;

/** Kysely over the statements of a connection. The adapter handles transactions, not Kysely. */
export function kyselyOverSqlite(
  statements: Statements,
  runQuery: RunQuery = (_query, execute) => execute(),
): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: nodeSqliteDialect(statements, runQuery) });
}

function nodeSqliteDialect(statements: Statements, runQuery: RunQuery): Dialect {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      return (await runQuery(query, () => execute(statements, query))) as QueryResult<R>;
    },
    // biome-ignore lint/correctness/useYield: streams are not used; reading pages is how lists are read.
    async *streamQuery() {
      throw new Error('queries are not streamed');
    },
  };
  const notHere = async () => {
    throw new Error('transactions and the connection are the adapter’s, not Kysely’s');
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => connection,
      releaseConnection: async () => {},
      beginTransaction: notHere,
      commitTransaction: notHere,
      rollbackTransaction: notHere,
      destroy: notHere,
    }),
  };
}

function execute(
  statements: Statements,
  { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
): QueryResult<unknown> {
  if (statements.returnsRows(sql)) return { rows: statements.all(sql, parameters) };
  const { changes, lastInsertRowid } = statements.run(sql, parameters);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}
