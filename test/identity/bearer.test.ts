import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { decideBearer, parseBearer } from '../../src/identity/bearer.ts';
import { ClientService } from '../../src/identity/clients/client-service.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { createTokens, LIFETIME_MS, START } from './identity-helpers.ts';

// Runs on SQLite alone: the header is read before its token is looked up, as in the tests of access tokens.

const MAX_TOKEN_CHARACTERS = 512;

describe('an Authorization header', () => {
  it('contains a bearer token (RFC 6750 §2.1), whatever the case of the scheme', () => {
    for (const header of ['Bearer a.B-_~+/1==', 'bearer a.B-_~+/1==', 'BEARER   a.B-_~+/1==']) {
      assert.deepEqual(parseBearer(header), { kind: 'token', token: 'a.B-_~+/1==' });
    }
  });

  it('contains none if it is missing, empty or of another scheme', () => {
    for (const header of [undefined, '', 'Basic YTpi', 'Bearerx y', 'abc']) {
      assert.deepEqual(parseBearer(header), { kind: 'absent' });
    }
  });

  it('is malformed if the text after the scheme is not a token', () => {
    const malformed = ['Bearer', 'Bearer ', 'Bearer a b', 'Bearer a,b', 'Bearer =', 'Bearer "a"', 'Bearer é'];
    for (const header of [...malformed, `Bearer ${'a'.repeat(MAX_TOKEN_CHARACTERS + 1)}`]) {
      assert.deepEqual(parseBearer(header), { kind: 'malformed' }, header);
    }
  });
});

describe('a request to the API', () => {
  async function openParts() {
    const owned = await openTestDatabase();
    const clock = new ManualClock(START);
    const clients = new ClientService({ database: owned.database, now: clock.now });
    const tokens = await createTokens(owned.database, clock.now);
    const { client } = await clients.create(
      {
        name: 'Test',
        email: 'test@example.com',
        scopes: ['webhooks:read', 'webhooks:write'],
      },
      COMMAND_LINE,
    );
    const header = `Bearer ${tokens.issue(client, ['webhooks:read']).token}`;
    return {
      clock,
      tokens,
      client,
      header,
      [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
    };
  }

  it('is accepted with a token of sufficient scope', async () => {
    await using parts = await openParts();
    for (const required of [['webhooks:read'], ['content:read', 'webhooks:read']] as const) {
      assert.deepEqual(await decideBearer(parts.header, required, parts.tokens), {
        caller: {
          clientId: parts.client.clientId,
          user: 'test@example.com',
          name: 'Test',
          scopes: new Set(['webhooks:read']),
        },
      });
    }
  });

  it('is 401 without an error code if it has no token', async () => {
    await using parts = await openParts();
    for (const header of [undefined, 'Basic YTpi']) {
      assert.deepEqual(await decideBearer(header, ['webhooks:read'], parts.tokens), {
        refusal: {
          status: 401,
          wwwAuthenticate: 'Bearer realm="coursewire"',
          detail: 'This request needs an access token.',
        },
      });
    }
  });

  it('is 401 invalid_token with a malformed, unknown or expired one', async () => {
    await using parts = await openParts();
    parts.clock.pass(LIFETIME_MS);
    for (const header of ['Bearer a b', 'Bearer unknown', parts.header]) {
      const decision = await decideBearer(header, ['webhooks:read'], parts.tokens);
      assert.ok('refusal' in decision);
      assert.equal(decision.refusal.status, 401);
      assert.equal(decision.refusal.wwwAuthenticate, 'Bearer realm="coursewire", error="invalid_token"');
    }
  });

  it('is 403 insufficient_scope, naming the required scope, if the token lacks it', async () => {
    await using parts = await openParts();
    const decision = await decideBearer(parts.header, ['content:read', 'webhooks:write'], parts.tokens);
    assert.ok('refusal' in decision);
    assert.equal(decision.refusal.status, 403);
    assert.equal(
      decision.refusal.wwwAuthenticate,
      'Bearer realm="coursewire", error="insufficient_scope", scope="content:read"',
    );
    assert.equal(
      decision.refusal.detail,
      'This request needs an access token with the scope content:read or webhooks:write.',
    );
  });

  it('is 403 if it requires a scope that does not exist', async () => {
    await using parts = await openParts();
    const decision = await decideBearer(parts.header, ['everything'], parts.tokens);
    assert.ok('refusal' in decision && decision.refusal.status === 403);
  });
});
