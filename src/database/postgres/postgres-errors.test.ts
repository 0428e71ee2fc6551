import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseError } from 'pg';
import { isConnectionUsable } from './postgres-errors.ts';

// Runs on SQLite alone: it opens no database.

/** As an Italian server sends it. */
function errorOf(code: string, severity: 'ERRORE' | 'FATALE'): DatabaseError {
  return Object.assign(new DatabaseError('qualcosa', 8, 'error'), { code, severity });
}

describe('an error of a server whose messages are not English', () => {
  it('ends the use of its connection if the server has ended that', () => {
    for (const code of ['08P01', '25P03', '25P04', '57P01', '57P02', '57P05', '58030', 'XX000'])
      assert.equal(isConnectionUsable(errorOf(code, 'FATALE')), false, code);
  });

  it('leaves its connection usable if only the statement failed', () => {
    for (const code of ['23505', '40001', '40P01', '42P01', '53100', '55P03', '57014'])
      assert.equal(isConnectionUsable(errorOf(code, 'ERRORE')), true, code);
  });
});
