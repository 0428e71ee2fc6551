import { assertBindable } from '../bindable.ts';
import type { NamedRow, SqlRow, SqlValue } from '../database.ts';
import { storableInJson } from './postgres-statements.ts';

/** Rows of a statement's one parameter, as an array of objects. @throws {TypeError} for values that cannot be bound. */
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

/** The same of rows that are objects already, of which these columns count. */
export function namedRowsToJson(columns: readonly string[], rows: readonly NamedRow[]): string {
  return rowsToJson(
    columns,
    rows.map((row) => columns.map((column) => row[column] as SqlValue)),
  );
}

/** Bytes in PostgreSQL's notation. */
function toMember(value: SqlValue): unknown {
  return value instanceof Uint8Array ? `\\x${value.toHex()}` : storableInJson(value);
}
