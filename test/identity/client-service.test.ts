import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { ClientService, hasClientIdForm } from '../../src/identity/clients/client-service.ts';
import { ProblemError } from '../../src/problems/problem.ts';
import { MINUTE_MS } from '../../src/time/units.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { START } from './identity-helpers.ts';

const INPUT = { name: 'Exporter', email: 'ops@example.com', scopes: ['webhooks:write', 'content:read'] };

async function openClients() {
  const owned = await openTestDatabase();
  const clock = new ManualClock(START);
  return {
    ...owned,
    clock,
    clients: new ClientService({ database: owned.database, now: clock.now }),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

describe('an API client', () => {
  it('gets a random id and a secret of 256 random bits, and is read as it was created', async () => {
    await using parts = await openClients();
    const { client, clientSecret } = await parts.clients.create(INPUT, COMMAND_LINE);
    const another = await parts.clients.create(INPUT, COMMAND_LINE);

    assert.match(client.clientId, /^cw_[0-9a-f]{24}$/);
    assert.ok(hasClientIdForm(client.clientId) && !hasClientIdForm(clientSecret));
    assert.equal(Buffer.from(clientSecret.slice('cws_'.length), 'base64url').length, 32);
    assert.notEqual(another.client.clientId, client.clientId);
    assert.notEqual(another.clientSecret, clientSecret);
    assert.deepEqual(client, {
      clientId: client.clientId,
      name: INPUT.name,
      email: INPUT.email,
      scopes: new Set(['content:read', 'webhooks:write']),
      enabled: true,
      tokenGeneration: 0,
      createdAt: START,
      lastUsedAt: null,
      revision: 1,
    });
    assert.deepEqual(await parts.clients.get(client.clientId), client);
  });

  it('has its secret stored only as a SHA-256 hash', async () => {
    await using parts = await openClients();
    const { clientSecret } = await parts.clients.create(INPUT, COMMAND_LINE);
    const rows = await parts.database.reader.query.selectFrom('api_clients').selectAll().execute();
    assert.equal(rows[0]?.secret_hash, createHash('sha256').update(clientSecret).digest('hex'));
    assert.ok(!JSON.stringify(rows).includes(clientSecret));
  });

  it('may have no scope at all', async () => {
    await using parts = await openClients();
    const { client } = await parts.clients.create({ ...INPUT, scopes: [] }, COMMAND_LINE);
    assert.deepEqual((await parts.clients.get(client.clientId))?.scopes, new Set());
  });

  it('is authenticated only by its own secret', async () => {
    await using parts = await openClients();
    const { client, clientSecret } = await parts.clients.create(INPUT, COMMAND_LINE);
    const another = await parts.clients.create(INPUT, COMMAND_LINE);

    assert.deepEqual(await parts.clients.authenticate(client.clientId, clientSecret), client);
    const wrong: [string, string][] = [
      [client.clientId, another.clientSecret],
      [client.clientId, ''],
      [client.clientId, clientSecret.slice(0, -1)],
      [client.clientId, `${clientSecret} `],
      [client.clientId.toUpperCase(), clientSecret],
      ['cw_unknown', clientSecret],
      ['', clientSecret],
      ['\0', clientSecret],
      ['\u{1f600}'.repeat(10_000), clientSecret],
    ];
    for (const [id, secret] of wrong) assert.equal(await parts.clients.authenticate(id, secret), null);
  });

  it('is not authenticated while it is disabled', async () => {
    await using parts = await openClients();
    const { client, clientSecret } = await parts.clients.create(INPUT, COMMAND_LINE);
    assert.equal(await parts.clients.setEnabled(client.clientId, false, COMMAND_LINE), true);
    assert.equal(await parts.clients.authenticate(client.clientId, clientSecret), null);
    assert.equal((await parts.clients.get(client.clientId))?.enabled, false);

    assert.equal(await parts.clients.setEnabled(client.clientId, true, COMMAND_LINE), true);
    assert.equal((await parts.clients.authenticate(client.clientId, clientSecret))?.enabled, true);
  });

  it('starts a new token generation each time it is disabled, and none when it is enabled', async () => {
    await using parts = await openClients();
    const { client } = await parts.clients.create(INPUT, COMMAND_LINE);
    const generations: unknown[] = [];
    for (const enabled of [false, true, false]) {
      await parts.clients.setEnabled(client.clientId, enabled, COMMAND_LINE);
      generations.push((await parts.clients.get(client.clientId))?.tokenGeneration);
    }
    assert.deepEqual(generations, [1, 1, 2]);
  });

  it('no longer exists once deleted', async () => {
    await using parts = await openClients();
    const { client, clientSecret } = await parts.clients.create(INPUT, COMMAND_LINE);
    assert.equal(await parts.clients.delete(client.clientId, COMMAND_LINE), true);
    assert.equal(await parts.clients.get(client.clientId), null);
    assert.equal(await parts.clients.authenticate(client.clientId, clientSecret), null);
    assert.deepEqual(await parts.clients.list(), []);
  });

  it('cannot be changed if it does not exist', async () => {
    await using parts = await openClients();
    for (const id of ['cw_unknown', '', '\0']) {
      assert.equal(await parts.clients.delete(id, COMMAND_LINE), false);
      assert.equal(await parts.clients.setEnabled(id, true, COMMAND_LINE), false);
      assert.equal(await parts.clients.setEnabled(id, false, COMMAND_LINE), false);
      assert.equal(await parts.clients.get(id), null);
    }
  });

  it('is listed with the others, oldest first', async () => {
    await using parts = await openClients();
    for (const name of ['first', 'second', 'third']) {
      parts.clock.pass(1);
      await parts.clients.create({ ...INPUT, name }, COMMAND_LINE);
    }
    assert.deepEqual(
      (await parts.clients.list()).map(({ name }) => name),
      ['first', 'second', 'third'],
    );
  });

  it('has its last use recorded, at most once a minute', async () => {
    await using parts = await openClients();
    const { client } = await parts.clients.create(INPUT, COMMAND_LINE);
    const used = async () => (await parts.clients.get(client.clientId))?.lastUsedAt;
    const use = async () => parts.clients.noteUse((await parts.clients.get(client.clientId)) ?? client);

    await use();
    assert.equal(await used(), START);
    parts.clock.pass(MINUTE_MS - 1);
    await use();
    assert.equal(await used(), START);
    await parts.clients.noteUse(client);
    assert.equal(await used(), START, 'also when the client was read before its last use');
    parts.clock.pass(1);
    await use();
    assert.equal(await used(), START + MINUTE_MS);
  });
});

describe('recording the use of an API client', () => {
  it('writes nothing within the minute, so that another writer cannot delay it', async () => {
    await using parts = await openClients();
    const { client } = await parts.clients.create(INPUT, COMMAND_LINE);
    await parts.clients.noteUse(client);
    const used = await parts.clients.get(client.clientId);
    assert.ok(used !== null);

    await using other = parts.open();
    await other.transaction(() => parts.clients.noteUse(used));
  });
});

describe('the input of an API client', () => {
  async function offending(input: Partial<typeof INPUT>): Promise<string[]> {
    await using parts = await openClients();
    try {
      await parts.clients.create({ ...INPUT, ...input }, COMMAND_LINE);
      return [];
    } catch (error) {
      assert.ok(error instanceof ProblemError);
      assert.equal(error.code, 'invalid-request');
      assert.deepEqual(await parts.clients.list(), [], 'nothing was made');
      return error.errors.map(({ pointer }) => pointer);
    }
  }

  it('is rejected with every offending member named', async () => {
    assert.deepEqual(await offending({ name: '', email: 'nobody', scopes: ['webhooks:delete'] }), [
      '/name',
      '/email',
      '/scope',
    ]);
  });

  it('has a name of 1 to 200 characters without control characters', async () => {
    for (const name of ['x', 'é'.repeat(200), '\u{1f600}'.repeat(200), ' Büro "A" ']) {
      assert.deepEqual(await offending({ name }), [], name);
    }
    for (const name of ['', '  ', 'x'.repeat(201), 'a\nb', 'a\0', '\x7f', '\x85', '\ud800']) {
      assert.deepEqual(await offending({ name }), ['/name'], JSON.stringify(name));
    }
  });

  it('has an e-mail address of at most 254 characters', async () => {
    const longest = `${'x'.repeat(64)}@${`${'d'.repeat(60)}.`.repeat(3)}${'e'.repeat(6)}`;
    assert.equal(longest.length, 254);
    for (const email of ['a@b', "o'neil+x@mail.example.com", longest]) {
      assert.deepEqual(await offending({ email }), [], email);
    }
    const wrong = ['', 'a', '@b', 'a@', 'a@@b', 'a b@c', 'a@b..c', 'a@-b', 'a@b\n', 'A <a@b>', `x${longest}`];
    for (const email of wrong)
      assert.deepEqual(await offending({ email }), ['/email'], JSON.stringify(email));
  });

  it('has only known scopes, and unknown ones are named', async () => {
    await using parts = await openClients();
    await assert.rejects(
      parts.clients.create({ ...INPUT, scopes: ['content:read', 'x', 'y:z'] }, COMMAND_LINE),
      (error) => {
        assert.ok(error instanceof ProblemError);
        assert.match(error.errors[0]?.detail ?? '', /"x", "y:z"$/);
        return true;
      },
    );
  });
});
