import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { invalidInput, notFound, PROBLEMS, ProblemError, pointerTo } from './problem.ts';
import { assertRevision } from './revision.ts';

/** The kinds of problems, which end their types, and their statuses. Clients may rely on them. */
const STATUSES = {
  'invalid-request': 400,
  'malformed-json': 400,
  'invalid-package': 400,
  unauthorized: 401,
  forbidden: 403,
  'webhooks-read-only': 403,
  'not-found': 404,
  'method-not-allowed': 405,
  conflict: 409,
  'limit-reached': 409,
  'launch-over': 410,
  'precondition-failed': 412,
  'content-too-large': 413,
  'unsupported-media-type': 415,
  'range-not-satisfiable': 416,
  'idempotency-key-reused': 422,
  'too-many-requests': 429,
  'internal-error': 500,
  unavailable: 503,
};

describe('problems', () => {
  test('each has its documented status, and a title without a full stop', () => {
    const statuses = Object.entries(PROBLEMS).map(([code, { status }]) => [code, status]);
    assert.deepEqual(Object.fromEntries(statuses), STATUSES);
    for (const [code, { title }] of Object.entries(PROBLEMS)) assert.match(title, /^[A-Z].*[^.]$/, code);
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

  test('of many errors, the first hundred are listed, and `detail` says how many were found', () => {
    const errors = Array.from({ length: 301 }, (_, at) => ({ pointer: `/ids/${at}`, detail: 'is wrong' }));
    const problem = invalidInput(errors);
    assert.deepEqual(problem.errors, errors.slice(0, 100));
    assert.equal(problem.message, 'There are at least 301 errors; the first 100 are listed');
    assert.deepEqual(invalidInput(errors.slice(0, 100)).errors, errors.slice(0, 100));
  });

  test('an unknown id is repeated as it was sent', () => {
    const problem = notFound('webhook', 'a"b');
    assert.ok(problem instanceof ProblemError);
    assert.equal(problem.code, 'not-found');
    assert.equal(problem.message, 'There is no webhook "a\\"b"');
    assert.equal(notFound('account', 7).message, 'There is no account 7');
  });

  test('pointers are escaped as in RFC 6901', () => {
    assert.equal(pointerTo('', 'name'), '/name');
    assert.equal(pointerTo('/focus', 0), '/focus/0');
    assert.equal(pointerTo('', 'a/b~c~1'), '/a~1b~0c~01');
    assert.equal(pointerTo('', ''), '/');
  });

  test('an unexpected revision fails the precondition', () => {
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
