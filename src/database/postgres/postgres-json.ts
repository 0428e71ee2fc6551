import { assertBindable } from '../bindable.ts';
import type { NamedRow, SqlRow, SqlValue } from '../database.ts';
import { storableInJson } from './postgres-statements.ts';

/**
 * The rows for the single parameter of a statement, as a JSON array of objects.
 * @throws {TypeError} for values that cannot be bound
 */
export function rowsToJson(columns: readonly string[], rows: readonly SqlRow[]): string {
  return JSON.stringify(
    rows.map((row) => {
      assertBindable(row);
      const object: Record<string, unknown> = {};
      for (let index = 0; index < columns.length; index++)
        object[columns[index]!] = toMember(row[index] ?? null);
      return object;
    }),
  );
}

/** Like {@link rowsToJson}, for rows that are objects. Only the given columns are used. */
export function namedRowsToJson(columns: readonly string[], rows: readonly NamedRow[]): string {
  return rowsToJson(
    columns,
    rows.map((row) => columns.map((column) => row[column] as SqlValue)),
  );
}

/** Bytes in the notation of PostgreSQL. */
function toMember(value: SqlValue): unknown {
  return value instanceof Uint8Array ? `\\x${value.toHex()}` : storableInJson(value);
}
