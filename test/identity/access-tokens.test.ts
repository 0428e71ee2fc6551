import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { ClientService } from '../../src/identity/clients/client-service.ts';
import { formatScope, SCOPES } from '../../src/identity/scopes.ts';
import { AccessTokens } from '../../src/identity/tokens/access-tokens.ts';
import { deriveTokenKeys } from '../../src/identity/tokens/token-keys.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { AUTH_SECRET, createTokens, LIFETIME_MS, START } from './identity-helpers.ts';

const MAX_TOKEN_CHARACTERS = 512;

const OTHER_SECRET = 'b'.repeat(64);

async function openParts() {
  const owned = await openTestDatabase();
  const { database } = owned;
  const clock = new ManualClock(START);
  const clients = new ClientService({ database, now: clock.now });
  const { client } = await clients.create(
    { name: 'Test', email: 'test@example.com', scopes: SCOPES },
    COMMAND_LINE,
  );
  return {
    ...owned,
    clock,
    clients,
    client,
    tokens: await createTokens(database, clock.now),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

describe('an access token', () => {
  it('identifies its client and the granted scopes', async () => {
    await using parts = await openParts();
    for (let chosen = 0; chosen < 1 << SCOPES.length; chosen++) {
      const scopes = SCOPES.filter((_, place) => (chosen & (1 << place)) !== 0);
      const { token, expiresIn } = parts.tokens.issue(parts.client, scopes);
      assert.equal(expiresIn, LIFETIME_MS / 1_000);
      assert.deepEqual(await parts.tokens.verify(token), {
        clientId: parts.client.clientId,
        user: 'test@example.com',
        name: 'Test',
        scopes: new Set(scopes),
      });
    }
  });

  it('is short, opaque, valid in a Bearer header, and never the same twice', async () => {
    await using parts = await openParts();
    const tokens = Array.from({ length: 100 }, () => parts.tokens.issue(parts.client, SCOPES).token);
    assert.equal(new Set(tokens).size, tokens.length);
    for (const token of tokens) {
      assert.match(token, /^cwt1_[A-Za-z0-9_-]{80,130}$/);
      const inside = Buffer.from(token.slice('cwt1_'.length), 'base64url').toString('latin1');
      assert.ok(!inside.includes('test@example.com') && !inside.includes('webhooks'));
    }
  });

  it('is issued without writing to the database', async () => {
    await using parts = await openParts();
    await parts.database[Symbol.asyncDispose]();
    for (let made = 0; made < 10; made++)
      assert.match(parts.tokens.issue(parts.client, SCOPES).token, /^cwt1_/);
  });

  it('expires at the exact millisecond', async () => {
    await using parts = await openParts();
    const { token } = parts.tokens.issue(parts.client, []);
    parts.clock.pass(LIFETIME_MS - 1);
    assert.notEqual(await parts.tokens.verify(token), null);
    parts.clock.pass(1);
    assert.equal(await parts.tokens.verify(token), null);
  });

  it('reports its lifetime in whole seconds, rounded down', async () => {
    await using parts = await openParts();
    const keys = await deriveTokenKeys(parts.database, [AUTH_SECRET]);
    const short = new AccessTokens({
      reader: parts.database.reader,
      keys,
      lifetimeMs: 2_500.7,
      now: parts.clock.now,
    });
    const { token, expiresIn } = short.issue(parts.client, []);
    assert.equal(expiresIn, 2);
    assert.notEqual(await short.verify(token), null);
  });

  it('is invalid with any character changed, added or missing', async () => {
    await using parts = await openParts();
    const { token } = parts.tokens.issue(parts.client, SCOPES);
    for (let place = 0; place < token.length; place++) {
      for (const other of [token[place] === 'A' ? 'B' : 'A', '_', '=', 'é', '']) {
        if (other === token[place]) continue;
        const changed = token.slice(0, place) + other + token.slice(place + 1);
        assert.equal(await parts.tokens.verify(changed), null, changed);
      }
    }
    assert.equal(await parts.tokens.verify(`${token}A`), null);
    assert.equal(await parts.tokens.verify(`${token}=`), null);
    assert.equal(await parts.tokens.verify(` ${token}`), null);
  });

  it('has only one form: the spare bits of base64url cannot be changed', async () => {
    await using parts = await openParts();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const { token } = parts.tokens.issue(parts.client, SCOPES);
    const taken: string[] = [];
    for (const last of alphabet) {
      const text = token.slice(0, -1) + last;
      if ((await parts.tokens.verify(text)) !== null) taken.push(text);
    }
    assert.deepEqual(taken, [token]);
  });

  it('is invalid if it is nonsense, of another version, or too long', async () => {
    await using parts = await openParts();
    const { token } = parts.tokens.issue(parts.client, SCOPES);
    const nonsense = [
      '',
      'cwt1_',
      'x',
      'cwt1_AAAA',
      `cwt1_${'A'.repeat(100)}`,
      token.replace('cwt1_', 'cwt2_'),
      token.slice('cwt1_'.length),
      `cwt1_${'A'.repeat(MAX_TOKEN_CHARACTERS)}`,
      'a'.repeat(10_000_000),
    ];
    for (const text of nonsense) assert.equal(await parts.tokens.verify(text), null);
  });

  it('ends when its client is disabled, and stays ended when the client is enabled again', async () => {
    await using parts = await openParts();
    const { token } = parts.tokens.issue(parts.client, []);
    await parts.clients.setEnabled(parts.client.clientId, false, COMMAND_LINE);
    assert.equal(await parts.tokens.verify(token), null);
    await parts.clients.setEnabled(parts.client.clientId, true, COMMAND_LINE);
    assert.equal(await parts.tokens.verify(token), null);

    const renewed = await parts.clients.get(parts.client.clientId);
    assert.ok(renewed !== null);
    assert.notEqual(await parts.tokens.verify(parts.tokens.issue(renewed, []).token), null);
  });

  it('is invalid while its client is disabled, whatever the generation', async () => {
    await using parts = await openParts();
    const { token } = parts.tokens.issue(parts.client, []);
    await parts.database.transaction((tx) => tx.run('update api_clients set enabled = 0'));
    assert.equal(await parts.tokens.verify(token), null);
  });

  it('ends at once when another process deletes or disables its client', async () => {
    for (const act of ['delete', 'disable'] as const) {
      await using parts = await openParts();
      const { token } = parts.tokens.issue(parts.client, []);
      assert.notEqual(await parts.tokens.verify(token), null);

      await using other = parts.open();
      const clients = new ClientService({ database: other, now: parts.clock.now });
      if (act === 'delete') await clients.delete(parts.client.clientId, COMMAND_LINE);
      else await clients.setEnabled(parts.client.clientId, false, COMMAND_LINE);

      assert.equal(await parts.tokens.verify(token), null, act);
    }
  });

  it('loses the scopes that its client loses', async () => {
    await using parts = await openParts();
    const { token } = parts.tokens.issue(parts.client, ['webhooks:read', 'webhooks:write']);
    await parts.database.transaction((tx) =>
      tx.run('update api_clients set scopes = ?', 'content:read webhooks:read'),
    );
    assert.equal(formatScope((await parts.tokens.verify(token))?.scopes ?? []), 'webhooks:read');
  });

  it('is valid after a restart and on another instance', async () => {
    await using parts = await openParts();
    const { token } = parts.tokens.issue(parts.client, []);
    await using other = parts.open();
    const elsewhere = await createTokens(other, parts.clock.now);
    assert.notEqual(await elsewhere.verify(token), null);
    assert.notEqual(await parts.tokens.verify(elsewhere.issue(parts.client, []).token), null);
  });

  it('is invalid at an installation with another secret or another salt', async () => {
    await using parts = await openParts();
    const { token } = parts.tokens.issue(parts.client, []);
    const otherSecret = await createTokens(parts.database, parts.clock.now, [OTHER_SECRET]);
    assert.equal(await otherSecret.verify(token), null);

    await parts.database.transaction((tx) => tx.run('delete from service_secrets'));
    const otherSalt = await createTokens(parts.database, parts.clock.now);
    assert.equal(await otherSalt.verify(token), null);
  });

  it('survives a change of the secret while the former one is set too', async () => {
    await using parts = await openParts();
    const { token } = parts.tokens.issue(parts.client, []);
    const rotated = await createTokens(parts.database, parts.clock.now, [OTHER_SECRET, AUTH_SECRET]);
    assert.notEqual(await rotated.verify(token), null);

    const renewed = rotated.issue(parts.client, []).token;
    assert.equal(await parts.tokens.verify(renewed), null, 'the first key signs');
  });
});

describe('the salt of the token keys', () => {
  it('is created once, even if instances start together', async () => {
    await using parts = await openParts();
    await parts.database.transaction((tx) => tx.run('delete from service_secrets'));
    await using other = parts.open();
    const [here, there] = await Promise.all([
      createTokens(parts.database, parts.clock.now),
      createTokens(other, parts.clock.now),
    ]);
    assert.notEqual(await there.verify(here.issue(parts.client, []).token), null);
    const rows = await parts.database.reader.query.selectFrom('service_secrets').selectAll().execute();
    assert.equal(rows.length, 1);
    assert.equal(Buffer.from(rows[0]?.value ?? '', 'base64url').length, 32);
  });
});
