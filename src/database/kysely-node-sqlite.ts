import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { SqliteDialect } from 'kysely';
import type { SqlValue } from './database.ts';

/** Statements kept prepared on a connection; the service has about two hundred texts. */
const MAX_PREPARED = 1_000;

/** Prepares a text once, keeps it, and refuses values that `node:sqlite` would bind as something else. */
export class StatementCache {
  readonly #connection: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  /** The prepared statement of a text. */
  get(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(sql);
    if (this.#prepared.size >= MAX_PREPARED) {
      const oldest = this.#prepared.keys().next().value;
      if (oldest !== undefined) this.#prepared.delete(oldest);
    }
    this.#prepared.set(sql, statement);
    return statement;
  }
}

/**
 * `node:sqlite` takes an object in the first place for named parameters, so that a `Date` there binds NULL
 * without a word: only plain values pass.
 */
export function assertBindable(values: readonly unknown[]): asserts values is SqlValue[] {
  for (const value of values) {
    const type = typeof value;
    if (type === 'string' || value === null) continue;
    if (type === 'number' && Number.isFinite(value)) continue;
    if (type === 'bigint' || value instanceof Uint8Array) continue;
    throw new TypeError(`a value of type ${value instanceof Date ? 'Date' : type} cannot be bound to SQL`);
  }
}

/** Kysely over a `node:sqlite` connection. Transactions are the adapter's, never Kysely's. */
export function nodeSqliteDialect(connection: DatabaseSync, statements: StatementCache): SqliteDialect {
  return new SqliteDialect({
    database: {
      close: () => connection.close(),
      prepare(sql: string) {
        const statement = statements.get(sql);
        return {
          reader: statement.columns().length > 0,
          all: (values: readonly unknown[]) => {
            assertBindable(values);
            return statement.all(...values);
          },
          run: (values: readonly unknown[]) => {
            assertBindable(values);
            return statement.run(...values);
          },
          iterate: (values: readonly unknown[]) => {
            assertBindable(values);
            return statement.iterate(...values);
          },
        };
      },
    },
  });
}
