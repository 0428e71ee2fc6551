import type { DatabaseSync } from 'node:sqlite';
import { foldLetters } from '../letter-case.ts';

/**
 * {@link foldLetters} in SQL. Do not use it in a table or an index, because other programs that open the file do
 * not have it.
 */
export const FOLD_FUNCTION = 'fold_letters';

/** Adds the program's own functions to a connection. */
export function addFunctions(connection: DatabaseSync): void {
  connection.function(FOLD_FUNCTION, { deterministic: true, directOnly: true }, (text) =>
    typeof text === 'string' ? foldLetters(text) : text,
  );
}
