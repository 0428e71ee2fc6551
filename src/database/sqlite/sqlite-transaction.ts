import type { Kysely } from 'kysely';
import type { TimeSlices } from '../../time/time-slices.ts';
import {
  DatabaseUnavailableError,
  type NamedRow,
  type RowsStatement,
  type SqlRow,
  type SqlValue,
  type Transaction,
} from '../database.ts';
import type { Tables } from '../schema.ts';
import { kyselyOverSqlite, type Statements } from './kysely-node-sqlite.ts';
import { StatementTurns } from './statement-turns.ts';

/** A transaction on the writing connection. Its statements block the event loop for at most one time slice. */
export class SqliteTransaction implements Transaction {
  readonly dialect = 'sqlite';
  /** True after a statement that may have changed something. */
  mayHaveChanged = false;
  /** False as long as no statement has changed a row. A commit of such a transaction needs no space on the disk. */
  hasWritten = false;
  readonly #statements: Statements;
  readonly #hooks: (() => void)[] = [];
  readonly #turns: StatementTurns;
  readonly #isUndone: () => boolean;
  readonly #announce: (channel: string) => void;
  readonly #signalled = new Set<string>();
  #query: Kysely<Tables> | null = null;
  #ended = false;

  constructor(
    statements: Statements,
    {
      slices,
      isUndone,
      announce,
    }: { slices: TimeSlices; isUndone: () => boolean; announce: (channel: string) => void },
  ) {
    this.#statements = statements;
    this.#turns = new StatementTurns(slices, () => this.#assertOpen());
    this.#isUndone = isUndone;
    this.#announce = announce;
  }

  /** A new instance (about 6 µs), so that queries built from it end with the transaction. */
  get query(): Kysely<Tables> {
    this.#assertOpen();
    this.#query ??= kyselyOverSqlite(this.#statements, ({ sql }, execute) => {
      this.#assertOpen();
      this.#noteUse(sql);
      return this.#turns.run(execute);
    });
    return this.#query;
  }

  async all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    this.#assertOpen();
    this.#noteUse(sql);
    return (await this.#turns.run(() => this.#statements.all(sql, values))) as Row[];
  }

  async run(sql: string, ...values: SqlValue[]): Promise<number> {
    this.#assertOpen();
    this.mayHaveChanged = true;
    const { changes } = await this.#turns.run(() => this.#statements.run(sql, values));
    this.hasWritten ||= changes > 0;
    return Number(changes);
  }

  async allFor<Row>(statement: RowsStatement, rows: readonly NamedRow[]): Promise<Row[]> {
    this.#assertOpen();
    this.#noteUse(statement.forOne);
    const found: unknown[] = [];
    await this.#turns.runForRows(rows, (some) => {
      for (const row of this.#statements.allFor(statement, some)) found.push(row);
    });
    return found as Row[];
  }

  async runFor(statement: RowsStatement, rows: readonly NamedRow[]): Promise<void> {
    this.#assertOpen();
    this.mayHaveChanged = true;
    this.hasWritten = true;
    await this.#turns.runForRows(rows, (some) => this.#statements.runFor(statement, some));
  }

  async insertMany(
    table: string,
    columns: readonly string[],
    rows: readonly SqlRow[],
    suffix = '',
  ): Promise<void> {
    this.#assertOpen();
    if (rows.length === 0) return;
    this.mayHaveChanged = true;
    this.hasWritten = true;
    const places = columns.map(() => '?').join(', ');
    const sql = `insert into ${table} (${columns.join(', ')}) values (${places}) ${suffix}`;
    await this.#turns.runForRows(rows, (some) => this.#statements.runEach(sql, some));
  }

  onCommit(hook: () => void): void {
    this.#assertOpen();
    this.#hooks.push(hook);
  }

  signal(channel: string): void {
    this.#assertOpen();
    this.#signalled.add(channel);
  }

  /** Resolves when all called statements are done, including those that were not awaited. */
  async settled(): Promise<void> {
    await this.#turns.settled();
  }

  /** Invalidates the handle. A query that was not awaited must not run in another transaction. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#turns.settled();
  }

  runHooks(): void {
    for (const hook of this.#hooks) hook();
    for (const channel of this.#signalled) this.#announce(channel);
  }

  #noteUse(sql: string): void {
    if (sql.startsWith('select')) return;
    this.mayHaveChanged = true;
    this.hasWritten = true;
  }

  /** A full disk or a failed read rolls everything back. Later statements would be committed on their own. */
  #assertOpen(): void {
    if (this.#ended) throw new Error('this transaction has ended');
    if (this.#isUndone()) throw new DatabaseUnavailableError('the database undid the transaction');
  }
}
