import type { Kysely } from 'kysely';
import type { NamedRow, RowsStatement, SqlRow, SqlValue, Transaction } from '../database.ts';
import type { Tables } from '../schema.ts';
import { kyselyOver } from './kysely-postgres.ts';
import type { LentConnection, PostgresAnswer } from './postgres-connections.ts';
import { translateError } from './postgres-errors.ts';
import { namedRowsToJson, rowsToJson } from './postgres-json.ts';
import type { PostgresStatement, PostgresStatements } from './postgres-statements.ts';

/** Rows per statement of `insertMany`, which limits the size of its text. */
const MAX_ROWS_A_STATEMENT = 2_000;

/** A transaction on its own connection. */
export class PostgresTransaction implements Transaction {
  readonly dialect = 'postgres';
  readonly #connection: LentConnection;
  readonly #statements: PostgresStatements;
  readonly #timeoutMs: number | undefined;
  readonly #hooks: (() => void)[] = [];
  readonly #signalled = new Set<string>();
  #query: Kysely<Tables> | null = null;
  #ended = false;
  #hasChanged = false;
  /** The error of the first failed statement, after which PostgreSQL accepts no other. */
  #failure: { error: unknown } | null = null;

  /** @param timeoutMs how long to wait for a response, if not the default */
  constructor(connection: LentConnection, statements: PostgresStatements, timeoutMs: number | undefined) {
    this.#connection = connection;
    this.#statements = statements;
    this.#timeoutMs = timeoutMs;
  }

  get query(): Kysely<Tables> {
    this.#assertOpen();
    this.#query ??= kyselyOver(async (sql, parameters) => {
      this.#assertOpen();
      return await this.#execute(this.#statements.prepareNumbered(sql, parameters));
    });
    return this.#query;
  }

  /** The channels to notify with the commit. */
  get signalled(): readonly string[] {
    return [...this.#signalled];
  }

  /** Whether a statement inserted, updated or deleted a row. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** As thrown by `pg`; null if no statement failed. */
  get failure(): { error: unknown } | null {
    return this.#failure;
  }

  async all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    this.#assertOpen();
    return (await this.#execute(this.#statements.prepare(sql, values))).rows as Row[];
  }

  async run(sql: string, ...values: SqlValue[]): Promise<number> {
    this.#assertOpen();
    return (await this.#execute(this.#statements.prepare(sql, values))).rowCount ?? 0;
  }

  async allFor<Row>({ columns, forAll }: RowsStatement, rows: readonly NamedRow[]): Promise<Row[]> {
    return await this.all<Row>(forAll, namedRowsToJson(columns, rows));
  }

  async runFor({ columns, forAll }: RowsStatement, rows: readonly NamedRow[]): Promise<void> {
    await this.run(forAll, namedRowsToJson(columns, rows));
  }

  /**
   * One parameter carries all rows, so the text is the same for any number of rows and is prepared once. The types
   * are those of the table's columns.
   */
  async insertMany(
    table: string,
    columns: readonly string[],
    rows: readonly SqlRow[],
    suffix = '',
  ): Promise<void> {
    this.#assertOpen();
    const sql = `insert into ${table} (${columns.join(', ')})
      select ${columns.map((column) => `given.${column}`).join(', ')}
      from json_populate_recordset(null::${table}, ?::json) as given ${suffix}`;
    const executed: Promise<unknown>[] = [];
    for (let from = 0; from < rows.length; from += MAX_ROWS_A_STATEMENT) {
      const some = rows.slice(from, from + MAX_ROWS_A_STATEMENT);
      executed.push(this.#execute(this.#statements.prepare(sql, [rowsToJson(columns, some)])));
    }
    await Promise.all(executed);
  }

  onCommit(hook: () => void): void {
    this.#assertOpen();
    this.#hooks.push(hook);
  }

  signal(channel: string): void {
    this.#assertOpen();
    this.#signalled.add(channel);
  }

  /** Invalidates the handle at once. Resolves when all statements are done, including those that were not awaited. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#connection.settled();
  }

  runHooks(): void {
    for (const hook of this.#hooks) hook();
  }

  async #execute(statement: PostgresStatement): Promise<PostgresAnswer> {
    try {
      const answer = await this.#connection.query(statement, this.#timeoutMs);
      this.#hasChanged ||= answer.command !== 'SELECT' && (answer.rowCount ?? 0) > 0;
      return answer;
    } catch (error) {
      this.#failure ??= { error };
      // The server refuses all further statements, whose errors do not say what is wrong.
      throw translateError(this.#failure.error, 'run a statement');
    }
  }

  #assertOpen(): void {
    if (this.#ended) throw new Error('this transaction has ended');
  }
}
