import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { invalidInput, notFound, PROBLEMS, ProblemError, pointerTo } from './problem.ts';
import { assertRevision } from './revision.ts';

describe('problems', () => {
  test('each has a status of its own kind and a title without an end mark', () => {
    for (const [code, { status, title }] of Object.entries(PROBLEMS)) {
      assert.match(code, /^[a-z]+(-[a-z]+)*$/);
      assert.ok(status >= 400 && status <= 599, code);
      assert.match(title, /^[A-Z].*[^.]$/, code);
    }
  });

  test('invalid input names every offending member', () => {
    const errors = [
      { pointer: '/name', detail: 'is required' },
      { pointer: '', detail: 'must be an object' },
    ];
    const problem = invalidInput(errors);
    assert.equal(problem.code, 'invalid-request');
    assert.deepEqual(problem.errors, errors);
    assert.equal(problem.message, '2 members are invalid: /name, the body');
    assert.equal(invalidInput(errors.slice(0, 1)).message, 'One member is invalid: /name');
  });

  test('an id that names nothing is told as it came', () => {
    const problem = notFound('webhook', 'a"b');
    assert.ok(problem instanceof ProblemError);
    assert.equal(problem.code, 'not-found');
    assert.equal(problem.message, 'There is no webhook "a\\"b"');
    assert.equal(notFound('account', 7).message, 'There is no account 7');
  });

  test('pointers escape what RFC 6901 escapes, in its order', () => {
    assert.equal(pointerTo('', 'name'), '/name');
    assert.equal(pointerTo('/focus', 0), '/focus/0');
    assert.equal(pointerTo('', 'a/b~c~1'), '/a~1b~0c~01');
    assert.equal(pointerTo('', ''), '/');
  });

  test('a revision that was not asked for fails the precondition', () => {
    assertRevision(3, null);
    assertRevision(3, new Set([2, 3]));
    for (const expected of [new Set<number>(), new Set([2])]) {
      assert.throws(
        () => assertRevision(3, expected),
        (error) => error instanceof ProblemError && error.code === 'precondition-failed',
      );
    }
  });
});
