import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import * as openid from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import { LIFETIME_MS, startEndpoint, type TestEndpoint } from './identity-helpers.ts';

// Runs on SQLite alone: the responses are the same on every database.

const TOKEN_PATH = '/public/v1/auth';

interface Credentials {
  id: string;
  secret: string;
}

/** The token as a library read it from the response. */
interface Granted {
  token: unknown;
  type: unknown;
  expiresIn: unknown;
  scope: unknown;
}

type Library = (endpoint: TestEndpoint, credentials: Credentials, scope?: string) => Promise<Granted>;

function openidClient(authentication: (secret: string) => openid.ClientAuth): Library {
  return async (endpoint, { id, secret }, scope) => {
    const server = { issuer: endpoint.origin, token_endpoint: endpoint.url };
    const configuration = new openid.Configuration(server, id, {}, authentication(secret));
    openid.allowInsecureRequests(configuration);
    const answer = await openid.clientCredentialsGrant(configuration, scope === undefined ? {} : { scope });
    return {
      token: answer.access_token,
      type: answer.token_type,
      expiresIn: answer.expires_in,
      scope: answer.scope,
    };
  };
}

function simpleOauth2(authorizationMethod: 'header' | 'body'): Library {
  return async (endpoint, client, scope) => {
    const library = new ClientCredentials({
      client,
      auth: { tokenHost: endpoint.origin, tokenPath: TOKEN_PATH },
      options: { authorizationMethod },
    });
    const { token } = await library.getToken(scope === undefined ? {} : { scope });
    return {
      token: token.access_token,
      type: token.token_type,
      expiresIn: token.expires_in,
      scope: token.scope,
    };
  };
}

const LIBRARIES: Record<string, Library> = {
  'openid-client with HTTP Basic': openidClient(openid.ClientSecretBasic),
  'openid-client with form credentials': openidClient(openid.ClientSecretPost),
  'simple-oauth2 with HTTP Basic': simpleOauth2('header'),
  'simple-oauth2 with form credentials': simpleOauth2('body'),
};

for (const [name, library] of Object.entries(LIBRARIES)) {
  describe(name, () => {
    it('gets a token for all scopes of the client', async () => {
      await using endpoint = await startEndpoint();
      const granted = await library(endpoint, { id: endpoint.client.clientId, secret: endpoint.secret });
      assert.equal(granted.type, 'bearer');
      assert.equal(granted.expiresIn, LIFETIME_MS / 1_000);
      assert.equal(granted.scope, 'webhooks:read webhooks:write');
      const principal = await endpoint.tokens.verify(String(granted.token));
      assert.equal(principal?.clientId, endpoint.client.clientId);
    });

    it('gets a token for the requested scope', async () => {
      await using endpoint = await startEndpoint();
      const credentials = { id: endpoint.client.clientId, secret: endpoint.secret };
      const granted = await library(endpoint, credentials, 'webhooks:read');
      assert.equal(granted.scope, 'webhooks:read');
    });

    it('gets a token with an id and secret that need form-encoding', async () => {
      await using endpoint = await startEndpoint();
      const credentials = { id: "a:b c+d%25=&~!'()*", secret: 'p:q r+s%41=&~!"\\' };
      const hash = createHash('sha256').update(credentials.secret).digest('hex');
      await endpoint.database.transaction((tx) =>
        tx.run('update api_clients set client_id = ?, secret_hash = ?', credentials.id, hash),
      );
      const granted = await library(endpoint, credentials);
      assert.equal((await endpoint.tokens.verify(String(granted.token)))?.clientId, credentials.id);
    });

    it('understands the rejection of a wrong secret and of a scope', async () => {
      await using endpoint = await startEndpoint();
      const credentials = { id: endpoint.client.clientId, secret: endpoint.secret };
      assert.equal(await refusal(library(endpoint, { ...credentials, secret: 'wrong' })), 'invalid_client');
      assert.equal(await refusal(library(endpoint, credentials, 'content:write')), 'invalid_scope');
    });
  });
}

/** The OAuth error code that a library found in the response. */
async function refusal(asked: Promise<Granted>): Promise<unknown> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof openid.ResponseBodyError) return error.error;
    return (error as { data: { payload: { error: string } } }).data.payload.error;
  }
  return assert.fail('a token was granted');
}
