import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as openid from 'openid-client';
import { startTestService } from '../support/service.ts';

// Runs on SQLite alone: the metadata does not depend on the database.

describe('the metadata of the authorization server', () => {
  test('leads an OAuth library from the address of the service to the token endpoint', async () => {
    await using service = await startTestService();
    const configuration = await openid.discovery(
      new URL(service.url),
      service.clientId,
      {},
      openid.ClientSecretBasic(service.clientSecret),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    );
    assert.equal(configuration.serverMetadata().token_endpoint, `${service.url}/public/v1/auth`);
    const granted = await openid.clientCredentialsGrant(configuration, { scope: 'content:read' });
    assert.equal(granted.scope, 'content:read');
    const answer = await fetch(`${service.url}/accounts`, {
      headers: { authorization: `Bearer ${granted.access_token}` },
    });
    assert.equal(answer.status, 200);
  });

  test('has base_url as its issuer, and with a path is also found where RFC 8414 puts it', async () => {
    const issuer = 'https://learn.example/coursewire';
    await using service = await startTestService({ settings: { base_url: issuer } });
    for (const suffix of ['', '/coursewire']) {
      const answer = await fetch(`${service.url}/.well-known/oauth-authorization-server${suffix}`);
      const metadata = (await answer.json()) as Record<string, unknown>;
      assert.equal(metadata.issuer, issuer);
      assert.equal(metadata.token_endpoint, `${issuer}/public/v1/auth`);
    }
  });
});

test('the token endpoint names POST alone as its method, even to a client that sends an unusual one', async () => {
  await using service = await startTestService();
  for (const method of ['GET', 'PROPFIND']) {
    const { status, headers } = await fetch(`${service.url}/public/v1/auth`, { method });
    assert.deepEqual([status, headers.get('allow')], [405, 'POST'], method);
  }
});
