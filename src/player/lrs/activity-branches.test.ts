import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { processorMs } from '../../../test/support/processor-speed.ts';
import { ActivityBranches } from './activity-branches.ts';

/** Separators are as frequent as other letters, so that ids begin with each other. */
const LETTERS = ['a', 'b', '/', '#', '?', ':', '\u{1f600}', '\ufffd'];
const SEPARATORS = ['/', '#', '?', ':'];

/** Like {@link ActivityBranches.include}, by comparing with each id. */
function plainly(ids: readonly string[], activityId: string): boolean {
  return ids.some(
    (id) =>
      activityId === id ||
      (activityId.startsWith(id) &&
        (SEPARATORS.includes(id.at(-1) ?? '') || SEPARATORS.includes(activityId[id.length] ?? ''))),
  );
}

describe('the branches of activities', () => {
  const branches = new ActivityBranches([
    'https://c.example/a',
    'https://c.example/a/b',
    'urn:x:',
    'urn:x:y',
  ]);
  for (const [id, isIncluded] of [
    ['https://c.example/a', true],
    ['https://c.example/a/b/c', true],
    ['https://c.example/a#1', true],
    ['https://c.example/a/c', true],
    ['https://c.example/ab', false],
    ['https://c.example/', false],
    ['urn:x:z', true],
    ['urn:x', false],
    ['', false],
    ['zzz', false],
  ] as const) {
    test(`${isIncluded ? 'include' : 'do not include'} "${id}"`, () => {
      assert.equal(branches.include(id), isIncluded);
    });
  }

  test('include nothing if there are none', () => {
    assert.equal(new ActivityBranches([]).include('a'), false);
  });

  test('include what a comparison with each of them finds', () => {
    const make = (seed: number, length: number) =>
      Array.from(
        { length },
        (_, n) => LETTERS[(seed * (n + 7) * 2_654_435 + (seed >> n)) % LETTERS.length],
      ).join('');
    for (let seed = 1; seed < 300; seed++) {
      const ids = Array.from({ length: (seed % 9) + 1 }, (_, n) => make(seed * 31 + n, (n % 4) + 1));
      const some = new ActivityBranches(ids);
      for (let n = 0; n < 50; n++) {
        const id = (n % 2 === 0 ? (ids[n % ids.length] ?? '') : '') + make(seed * 7 + n, n % 5);
        assert.equal(some.include(id), plainly(ids, id), `${id} in ${ids.join(' ')}`);
      }
    }
  });

  test('are compared with at once, even if thousands begin alike', () => {
    const slashes = '/'.repeat(1_200);
    const ids = Array.from({ length: 2_000 }, (_, n) => `a:${'/'.repeat(n)}b${slashes}`);
    const some = new ActivityBranches(ids);
    const started = processorMs();
    for (let n = 0; n < 1_000; n++) assert.equal(some.include(`a:${'/'.repeat(n + 1_000)}${n}`), false);
    assert.ok(processorMs() - started < 1_000);
  });
});
