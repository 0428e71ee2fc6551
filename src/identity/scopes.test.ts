import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatScope, isScope, readStoredScopes, SCOPES, splitScope } from './scopes.ts';

describe('scopes', () => {
  it('are these eight, at the positions that access tokens rely on', () => {
    assert.deepEqual(
      [...SCOPES],
      [
        'content:read',
        'content:write',
        'webhooks:read',
        'webhooks:write',
        'registrations:write',
        'statements:read',
        'statements:write',
        'audit:read',
      ],
    );
  });

  it('are split at single spaces, and nothing else is a list (RFC 6749 §3.3)', () => {
    assert.deepEqual(splitScope('a'), ['a']);
    assert.deepEqual(splitScope('webhooks:read other~!'), ['webhooks:read', 'other~!']);
    for (const malformed of ['', ' ', ' a', 'a ', 'a  b', 'a\tb', 'a\nb', 'a"b', 'a\\b', 'ä', 'a\x7f']) {
      assert.equal(splitScope(malformed), null, JSON.stringify(malformed));
    }
  });

  it('are written once each, in their order', () => {
    assert.equal(
      formatScope(['webhooks:write', 'content:read', 'webhooks:write']),
      'content:read webhooks:write',
    );
    assert.equal(formatScope([]), '');
  });

  it('are recognized by their exact names', () => {
    assert.ok(isScope('webhooks:read'));
    for (const other of ['', 'Webhooks:read', 'webhooks', 'webhooks:read ', 'toString'])
      assert.ok(!isScope(other));
  });

  it('grant nothing that this release does not know', () => {
    assert.deepEqual(readStoredScopes('content:read future:write'), new Set(['content:read']));
    assert.deepEqual(readStoredScopes(''), new Set());
  });
});
