import type { Kysely } from 'kysely';
import type { NamedRow, RowsStatement, SqlRow, SqlValue, Transaction } from '../database.ts';
import type { Tables } from '../schema.ts';
import { kyselyOver } from './kysely-postgres.ts';
import type { LentConnection, PostgresResult } from './postgres-connections.ts';
import { translateError } from './postgres-errors.ts';
import { namedRowsToJson, rowsToJson } from './postgres-json.ts';
import type { PostgresStatement, PostgresStatements } from './postgres-statements.ts';

/** Rows per statement of `insertMany`, which limits the size of its text. */
const MAX_ROWS_A_STATEMENT = 2_000;

/** A statement that changes nothing, at least not unless it calls functions that do. */
const READS = /^\s*select\b/i;

/** A transaction on its own connection. */
export class PostgresTransaction implements Transaction {
  readonly dialect = 'postgres';
  readonly #connection: LentConnection;
  readonly #statements: PostgresStatements;
  readonly #timeoutMs: number | undefined;
  readonly #beginning: Promise<unknown>;
  #hasBegun = false;
  /** The number of statements that wait for `begin`. */
  #waiting = 0;
  readonly #hooks: (() => void)[] = [];
  readonly #signalled = new Set<string>();
  #query: Kysely<Tables> | null = null;
  #ended = false;
  #hasChanged = false;
  /** The error of the first failed statement, after which PostgreSQL accepts no other. */
  #failure: { error: unknown } | null = null;

  /**
   * @param timeoutMs how long to wait for a response, if not the default
   * @param beginning the result of `begin`, which was sent
   */
  constructor(
    connection: LentConnection,
    statements: PostgresStatements,
    { timeoutMs, beginning }: { timeoutMs: number | undefined; beginning: Promise<unknown> },
  ) {
    this.#connection = connection;
    this.#statements = statements;
    this.#timeoutMs = timeoutMs;
    this.#beginning = beginning.then(() => {
      this.#hasBegun = true;
    });
    this.#beginning.catch(() => undefined);
  }

  get query(): Kysely<Tables> {
    this.#assertOpen();
    this.#query ??= kyselyOver(async (sql, parameters) => {
      this.#assertOpen();
      return await this.#prepareAndExecute(() => this.#statements.prepareNumbered(sql, parameters));
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

  /** As thrown by `pg` or when it was prepared; null if no statement failed. */
  get failure(): { error: unknown } | null {
    return this.#failure;
  }

  async all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    this.#assertOpen();
    return (await this.#prepareAndExecute(() => this.#statements.prepare(sql, values))).rows as Row[];
  }

  async run(sql: string, ...values: SqlValue[]): Promise<number> {
    this.#assertOpen();
    return (await this.#prepareAndExecute(() => this.#statements.prepare(sql, values))).rowCount ?? 0;
  }

  async allFor<Row>({ columns, forAll }: RowsStatement, rows: readonly NamedRow[]): Promise<Row[]> {
    const prepare = () => this.#statements.prepare(forAll, [namedRowsToJson(columns, rows)]);
    this.#assertOpen();
    return (await this.#prepareAndExecute(prepare)).rows as Row[];
  }

  async runFor({ columns, forAll }: RowsStatement, rows: readonly NamedRow[]): Promise<void> {
    const prepare = () => this.#statements.prepare(forAll, [namedRowsToJson(columns, rows)]);
    this.#assertOpen();
    await this.#prepareAndExecute(prepare);
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
      executed.push(
        this.#prepareAndExecute(() => this.#statements.prepare(sql, [rowsToJson(columns, some)])),
      );
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

  /** Invalidates the handle at once. Resolves when all statements have been sent. Throws errors of `begin`. */
  async close(): Promise<void> {
    this.#ended = true;
    if (!this.#hasBegun || this.#waiting > 0) await this.#beginning;
  }

  /** Like {@link close}, but resolves when all statements are done, including those that were not awaited. */
  async end(): Promise<void> {
    await this.close().catch(() => undefined);
    await this.#connection.settled();
  }

  runHooks(): void {
    for (const hook of this.#hooks) hook();
  }

  /** A statement that cannot be prepared fails the transaction, too, because its result may not be awaited. */
  async #prepareAndExecute(prepare: () => PostgresStatement): Promise<PostgresResult> {
    let statement: PostgresStatement;
    try {
      statement = prepare();
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
    return await this.#execute(statement);
  }

  async #execute(statement: PostgresStatement): Promise<PostgresResult> {
    if (this.#waiting > 0 || !(this.#hasBegun || READS.test(statement.text))) await this.#untilBegun();
    try {
      const result = await this.#connection.query(statement, this.#timeoutMs);
      this.#hasChanged ||= result.command !== 'SELECT' && (result.rowCount ?? 0) > 0;
      return result;
    } catch (error) {
      this.#failure ??= { error };
      // The server refuses all further statements, whose errors do not say what is wrong.
      throw translateError(this.#failure.error, 'run a statement');
    }
  }

  /**
   * A read that comes first is sent together with `begin`. Changes wait, because they would be committed at once if
   * there were no transaction. Later statements wait, too, because statements are sent in the order of the calls.
   */
  async #untilBegun(): Promise<void> {
    this.#waiting += 1;
    try {
      await this.#beginning;
    } finally {
      this.#waiting -= 1;
    }
  }

  #assertOpen(): void {
    if (this.#ended) throw new Error('this transaction has ended');
  }
}
