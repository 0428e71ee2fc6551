import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { basic, startEndpoint } from './identity-helpers.ts';
import { ask, assertGranted, assertRefused, GRANT, post } from './token-requests.ts';

describe('guessing at the token endpoint', () => {
  it('is 400 invalid_client for each of a hundred wrong secrets, and then a new client gets its first token', async () => {
    await using endpoint = await startEndpoint();
    for (let guess = 0; guess < 50; guess++) {
      for (const clientId of [endpoint.client.clientId, 'cw_guessed']) {
        const refused = await ask(endpoint, GRANT, basic(clientId, `guess ${guess}`));
        assertRefused(refused, 'invalid_client');
        assert.equal(refused.headers.get('retry-after'), null);
      }
    }
    await assertGranted(endpoint, await ask(endpoint, GRANT));
  });

  it('does not limit a hundred simultaneous correct requests', async () => {
    await using endpoint = await startEndpoint();
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(endpoint, GRANT)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  });
});

describe('the log of the token endpoint', () => {
  it('shows what was issued and rejected for which client', async () => {
    await using endpoint = await startEndpoint();
    await ask(endpoint, { ...GRANT, scope: 'webhooks:read' });
    await ask(endpoint, GRANT, basic(endpoint.client.clientId, 'wrong'));
    const lines = endpoint.logged
      .map((line) => JSON.parse(line))
      .filter((line) => line.class === 'TokenEndpoint')
      .map(({ level, msg, client_id, scope, error, address }) => ({
        level,
        msg,
        client_id,
        scope,
        error,
        address,
      }));
    const client_id = endpoint.client.clientId;
    const address = '127.0.0.1';
    assert.deepEqual(lines, [
      {
        level: 'info',
        msg: 'access token granted',
        client_id,
        scope: 'webhooks:read',
        error: undefined,
        address,
      },
      {
        level: 'info',
        msg: 'access token refused',
        client_id,
        scope: undefined,
        error: 'invalid_client',
        address,
      },
    ]);
  });

  it('never contains a credential or a token, wherever the client puts them', async () => {
    await using endpoint = await startEndpoint();
    const { clientId } = endpoint.client;
    const granted = await ask(endpoint, GRANT);
    const Authorization = basic(clientId, endpoint.secret);
    await ask(endpoint, GRANT, basic(endpoint.secret, clientId));
    await ask(endpoint, { ...GRANT, scope: endpoint.secret });
    await ask(endpoint, { grant_type: endpoint.secret });
    await ask(endpoint, GRANT, `Bearer ${endpoint.secret}`);
    await post(`${endpoint.url}?client_secret=${endpoint.secret}`, { body: 'grant_type=client_credentials' });
    await fetch(`${endpoint.url}?client_id=${clientId}&client_secret=${endpoint.secret}`, {
      headers: { Authorization },
    });
    await endpoint.database.transaction((tx) => tx.run('alter table api_clients rename to hidden'));
    await ask(endpoint, GRANT);

    const log = endpoint.logged.join('');
    assert.match(log, /access token granted/);
    assert.ok(!log.includes(endpoint.secret));
    assert.ok(!log.includes(Authorization.slice('Basic '.length)));
    assert.ok(!log.includes(String(granted.body.access_token)));
  });
});
