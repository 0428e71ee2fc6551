import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { basic, startEndpoint } from './identity-parts.ts';
import { ask, assertGranted, assertRefused, GRANT, post } from './token-asking.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('guessing at the token endpoint', () => {
  it('is 429 with Retry-After after ten wrong secrets, even for correct ones', async () => {
    await using endpoint = await startEndpoint();
    const wrong = basic(endpoint.client.clientId, 'wrong');
    for (let guess = 1; guess <= 10; guess++) {
      const refused = await ask(endpoint, GRANT, wrong);
      assertRefused(refused, 'invalid_client');
      assert.equal(refused.headers.get('retry-after'), guess < 10 ? null : '6', `guess ${guess}`);
    }
    for (const header of [wrong, basic(endpoint.client.clientId, endpoint.secret)]) {
      const refused = await ask(endpoint, GRANT, header);
      assertRefused(refused, 'temporarily_unavailable', 429);
      assert.equal(refused.headers.get('retry-after'), '6');
    }
    endpoint.clock.advance(6_000);
    await assertGranted(endpoint, await ask(endpoint, GRANT));
  });

  it('does not lock out a client that has got tokens from the same address before', async () => {
    await using endpoint = await startEndpoint();
    await assertGranted(endpoint, await ask(endpoint, GRANT));
    for (let guess = 0; guess < 30; guess++)
      await ask(endpoint, GRANT, basic('cw_guessed', `guess ${guess}`));
    await assertGranted(endpoint, await ask(endpoint, GRANT));

    assertRefused(await ask(endpoint, GRANT, basic('cw_guessed', 'wrong')), 'temporarily_unavailable', 429);
    await assertGranted(endpoint, await ask(endpoint, GRANT));
  });

  it('does not lock out, on another instance or after a restart, a client that got a token in the last 35 days', async () => {
    await using endpoint = await startEndpoint();
    await assertGranted(endpoint, await ask(endpoint, GRANT));
    const other = { ...endpoint, url: endpoint.otherUrl };
    const wrong = basic(`cw_${'0'.repeat(24)}`, 'wrong');
    const exhaust = async () => {
      for (let guess = 0; guess < 10; guess++) await ask(other, GRANT, wrong);
      assertRefused(await ask(other, GRANT, wrong), 'temporarily_unavailable', 429);
    };
    endpoint.clock.advance(35 * DAY_MS - HOUR_MS);
    await exhaust();
    await assertGranted(endpoint, await ask(other, GRANT));
    assertRefused(await ask(other, GRANT, wrong), 'temporarily_unavailable', 429);
  });

  it('locks out, on another instance, a client that got no token in the last 35 days', async () => {
    await using endpoint = await startEndpoint();
    await assertGranted(endpoint, await ask(endpoint, GRANT));
    const other = { ...endpoint, url: endpoint.otherUrl };
    endpoint.clock.advance(35 * DAY_MS);
    for (let guess = 0; guess < 10; guess++) await ask(other, GRANT, basic('cw_guessed', 'wrong'));
    assertRefused(await ask(other, GRANT), 'temporarily_unavailable', 429);
  });

  it('is 400, as for every wrong secret, if the secret of a client that may still try was checked', async () => {
    await using endpoint = await startEndpoint();
    await assertGranted(endpoint, await ask(endpoint, GRANT));
    const wrong = basic(endpoint.client.clientId, 'wrong');
    for (let guess = 0; guess < 30; guess++) {
      const refused = await ask(endpoint, GRANT, wrong);
      assertRefused(refused, 'invalid_client');
      assert.equal(refused.headers.get('retry-after'), null, 'its next secret is checked');
    }
    await assertGranted(endpoint, await ask(endpoint, GRANT));
  });

  it('is answered alike for an unknown client and for one that may still try, once the address must wait', async () => {
    await using endpoint = await startEndpoint();
    await assertGranted(endpoint, await ask(endpoint, GRANT));
    const other = { ...endpoint, url: endpoint.otherUrl };
    const unknown = basic(`cw_${'0'.repeat(24)}`, 'wrong');
    for (let guess = 0; guess < 10; guess++) await ask(other, GRANT, unknown);
    const answers = [];
    for (const header of [unknown, basic(endpoint.client.clientId, 'wrong')]) {
      const refused = await ask(other, GRANT, header);
      assertRefused(refused, 'temporarily_unavailable', 429);
      answers.push([refused.headers.get('retry-after'), refused.body]);
    }
    assert.deepEqual(answers[1], answers[0]);
    await assertGranted(endpoint, await ask(other, GRANT));
  });

  it('is counted by address, IPv6 by /64, and other requests are not counted', async () => {
    await using endpoint = await startEndpoint();
    const wrong = basic(endpoint.client.clientId, 'wrong');
    const from = async (address: string) =>
      await post(endpoint.url, {
        headers: { Authorization: wrong, 'X-Forwarded-For': address },
        body: 'grant_type=client_credentials',
      });
    for (let guess = 0; guess < 10; guess++) {
      assertRefused(await from(`2001:db8::${guess + 1}`), 'invalid_client');
    }
    assertRefused(await from('2001:db8::ffff'), 'temporarily_unavailable', 429);
    assertRefused(await from('2001:db8:0:1::1'), 'invalid_client');

    for (let request = 0; request < 20; request++) {
      assertRefused(await ask(endpoint, { grant_type: 'password' }), 'unsupported_grant_type');
      assertRefused(await ask(endpoint, { ...GRANT, scope: 'nothing' }), 'invalid_scope');
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
