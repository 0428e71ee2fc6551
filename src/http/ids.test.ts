import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProblemError } from '../problems/problem.ts';
import { parseId } from './ids.ts';

describe('ids in paths', () => {
  test('are whole numbers from 1', () => {
    assert.equal(parseId('1', 'webhook'), 1);
    assert.equal(parseId(String(Number.MAX_SAFE_INTEGER), 'webhook'), Number.MAX_SAFE_INTEGER);
  });

  test('of any other form are not ids', () => {
    const texts = [
      '',
      '0',
      '-1',
      '+1',
      '1e3',
      '1.0',
      '0x1',
      '01',
      ' 1',
      '1 ',
      '١',
      'abc',
      'null',
      '__proto__',
    ];
    for (const text of [...texts, String(Number.MAX_SAFE_INTEGER + 1), '9'.repeat(300)]) {
      assert.throws(
        () => parseId(text, 'webhook'),
        (error) => error instanceof ProblemError && error.code === 'not-found' && error.message.length < 100,
        text,
      );
    }
  });
});
