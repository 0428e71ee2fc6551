import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { basePathOf, withoutBasePath } from './base-path.ts';

describe('the path of base_url', () => {
  test('has no slash at its end, and is empty if there is none', () => {
    assert.equal(basePathOf(null), '');
    assert.equal(basePathOf('https://example.com'), '');
    assert.equal(basePathOf('https://example.com/'), '');
    assert.equal(basePathOf('https://example.com/a/b'), '/a/b');
    assert.equal(basePathOf('https://example.com/a/b/'), '/a/b');
  });

  test('is removed from a request that begins with it, as whole segments only', () => {
    for (const [target, expected] of [
      ['/a/b', '/'],
      ['/a/b/', '/'],
      ['/a/b?x=/a/b', '/?x=/a/b'],
      ['/a/b/webhooks/1?limit=1', '/webhooks/1?limit=1'],
      ['/a/b/a/b/x', '/a/b/x'],
      ['/a/bc', '/a/bc'],
      ['/a', '/a'],
      ['/webhooks', '/webhooks'],
      ['*', '*'],
    ] as const) {
      assert.equal(withoutBasePath(target, '/a/b'), expected, target);
    }
    assert.equal(withoutBasePath('/webhooks', ''), '/webhooks');
  });
});
