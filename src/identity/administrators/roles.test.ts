import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SCOPES } from '../scopes.ts';
import { includesRole, scopesOfRole } from './roles.ts';

describe('roles', () => {
  test('admin has every scope, integrator manages webhooks, viewer reads, and a role that does not exist has none', () => {
    assert.deepEqual([...scopesOfRole('admin')], [...SCOPES]);
    assert.deepEqual([...scopesOfRole('integrator')], ['webhooks:read', 'webhooks:write']);
    assert.deepEqual([...scopesOfRole('viewer')], ['content:read', 'webhooks:read']);
    for (const role of ['', 'Admin', 'owner', '__proto__', 'constructor']) {
      assert.deepEqual([...scopesOfRole(role)], [], role);
    }
  });

  test('admin includes integrator and viewer, and neither of them includes admin', () => {
    assert.equal(includesRole('admin', 'viewer'), true);
    assert.equal(includesRole('admin', 'admin'), true);
    assert.equal(includesRole('viewer', 'viewer'), true);
    assert.equal(includesRole('viewer', 'admin'), false);
    assert.equal(includesRole('integrator', 'viewer'), true);
    assert.equal(includesRole('integrator', 'admin'), false);
    assert.equal(includesRole('owner', 'viewer'), false);
    assert.equal(includesRole('admin', 'owner'), false);
  });
});
