import { DatabaseSync } from 'node:sqlite';
import type { DatabaseUnavailableError, NamedRow, Reader, RowsStatement, SqlValue } from '../database.ts';
import { kyselyOverSqlite, Statements } from './kysely-node-sqlite.ts';
import { addFunctions } from './sqlite-functions.ts';

/** How long a transaction waits for another process, such as the command line, to finish writing. */
export const BUSY_TIMEOUT_MS = 5_000;

/** Opens a connection to the file. */
export function openConnection(file: string, cacheKib: number): DatabaseSync {
  const connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  // `normal` leaves the sync of the log after a commit to WalSync. SQLite itself syncs before a checkpoint.
  connection.exec(
    `pragma synchronous = normal; pragma foreign_keys = on; pragma cache_size = -${cacheKib}; pragma temp_store = memory`,
  );
  addFunctions(connection);
  return connection;
}

/**
 * Reads on a connection of its own.
 * @param onFailure called with each failure of the engine
 */
export function createReader(
  connection: DatabaseSync,
  onFailure: (error: DatabaseUnavailableError) => void,
): Reader {
  const statements = new Statements(connection, onFailure);
  return {
    dialect: 'sqlite',
    query: kyselyOverSqlite(statements),
    async all<Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> {
      return statements.all(sql, values) as Row[];
    },
    async allFor<Row>(statement: RowsStatement, rows: readonly NamedRow[]): Promise<Row[]> {
      // In one transaction: otherwise each statement would lock, unlock and read pages again (2.5 µs a row).
      statements.run('begin', []);
      try {
        const found = statements.allFor(statement, rows);
        statements.run('commit', []);
        return found as Row[];
      } catch (error) {
        // SQLite may already have ended it.
        if (connection.isTransaction) connection.exec('rollback');
        throw error;
      }
    },
  };
}
