import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { ADVISORY_LOCKS } from './advisory-locks.ts';

// Runs on SQLite alone: it reads files.

const SRC = path.join(import.meta.dirname, '..');

describe('advisory locks', () => {
  it('have different numbers', () => {
    const numbers = Object.values(ADVISORY_LOCKS);
    assert.equal(new Set(numbers).size, numbers.length);
  });

  it('are all in one file', () => {
    const files = globSync('**/*.ts', { cwd: SRC }).filter((file) => !file.endsWith('.test.ts'));
    const withLocks = files.filter((file) =>
      /pg_(?:try_)?advisory/.test(readFileSync(path.join(SRC, file), 'utf8')),
    );
    assert.deepEqual(withLocks, [path.join('database', 'advisory-locks.ts')]);
  });
});
