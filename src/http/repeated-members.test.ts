import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countMembers, repeatedMembers } from './repeated-members.ts';

/** The pointers of the repeated members of a text, after a check that the fast comparison finds them, too. */
function repeatedIn(json: string, written: number): string[] {
  const found = repeatedMembers(json).map(({ pointer }) => pointer);
  assert.equal(found.length > 0, countMembers(JSON.parse(json)) < written, json);
  return found;
}

describe('members that an object has twice', () => {
  test('are found at every level, each once', () => {
    assert.deepEqual(repeatedIn('{"a":1,"b":2,"a":3,"a":4}', 4), ['/a']);
    assert.deepEqual(repeatedIn('{"list":[{"a":1},{"a":1,"a":2}],"c":{"d~/":{},"d~/":[]}}', 7), [
      '/list/1/a',
      '/c/d~0~1',
    ]);
    assert.deepEqual(repeatedIn('[[{}],{"a":[1,2],"a":{"b":0,"b":0}}]', 4), ['/1/a', '/1/a/b']);
  });

  test('are found however their names are written', () => {
    assert.deepEqual(repeatedIn('{"a":1,"\\u0061":2}', 2), ['/a']);
    assert.deepEqual(repeatedIn('{"a\\"b":1,"a\\u0022b":2}', 2), ['/a"b']);
    assert.deepEqual(repeatedIn('{"__proto__":1,"__proto__":2}', 2), ['/__proto__']);
  });

  test('are not mistaken for values, or for members of other objects', () => {
    for (const [json, written] of [
      ['{"a":"a","b":"a"}', 2],
      ['{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}', 6],
      ['{"a":"{\\"b\\":1,\\"b\\":2}\\\\"}', 1],
      ['["a","a",["a"]]', 0],
      ['"a"', 0],
      ['null', 0],
      [' { "a" : [ ] , "A" : 1 } ', 2],
    ] as const) {
      assert.deepEqual(repeatedIn(json, written), []);
    }
  });

  test('are not all found in a text with very many', () => {
    const json = `{${Array.from({ length: 500 }, (_, n) => `"m${n}":1,"m${n}":2`).join()}}`;
    assert.equal(repeatedIn(json, 1_000).length, 100);
  });
});
