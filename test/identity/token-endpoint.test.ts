import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { DatabaseUnavailableError } from '../../src/database/database.ts';
import { basicAuthentication } from '../../src/identity/clients/basic-authentication.ts';
import { ClientService } from '../../src/identity/clients/client-service.ts';
import { breakTable } from '../support/database.ts';
import { recordedLogs } from '../support/logs.ts';
import { startTestService } from '../support/service.ts';
import { basic, START, startEndpoint, type TestEndpoint } from './identity-helpers.ts';
import { ask, assertGranted, assertRefused, FORM, GRANT, post } from './token-requests.ts';

class UnreachableClients extends ClientService {
  override async authenticate(): Promise<never> {
    throw new DatabaseUnavailableError('the database does not answer');
  }
}

class UnchangeableClients extends ClientService {
  override async noteUse(): Promise<never> {
    throw new DatabaseUnavailableError('the database accepts no changes');
  }
}

/** The texts of the lines of the token endpoint, but not of its server. */
function linesOf({ logged }: TestEndpoint): string[] {
  const lines: { class?: string; msg: string }[] = logged.map((line) => JSON.parse(line));
  return lines.filter((line) => line.class === 'TokenEndpoint').map(({ msg }) => msg);
}

describe('the token endpoint issues', () => {
  it('a token to Basic credentials', async () => {
    await using endpoint = await startEndpoint();
    await assertGranted(endpoint, await ask(endpoint, GRANT));
  });

  it('a token to form credentials', async () => {
    await using endpoint = await startEndpoint();
    const form = { ...GRANT, client_id: endpoint.client.clientId, client_secret: endpoint.secret };
    await assertGranted(endpoint, await post(endpoint.url, { body: new URLSearchParams(form).toString() }));
  });

  it('a token whatever the case of the scheme and media type, and with a charset', async () => {
    await using endpoint = await startEndpoint();
    const credentials = basic(endpoint.client.clientId, endpoint.secret).slice('Basic '.length);
    for (const scheme of ['Basic', 'basic', 'BASIC']) {
      for (const type of [FORM, FORM.toUpperCase(), `${FORM};charset=UTF-8`, `${FORM} ; charset="utf-8"`]) {
        const answer = await post(endpoint.url, {
          headers: { Authorization: `${scheme} ${credentials}`, 'Content-Type': type },
          body: 'grant_type=client_credentials',
        });
        await assertGranted(endpoint, answer);
      }
    }
  });

  it('a token whose expires_in is an integer, rounded down, if the lifetime has a fraction', async () => {
    await using service = await startTestService({ settings: { access_token_lifetime: 1.5 } });
    const { status, body } = await post(`${service.url}/public/v1/auth`, {
      headers: { Authorization: basic(service.clientId, service.clientSecret) },
      body: 'grant_type=client_credentials',
    });
    assert.equal(status, 200);
    assert.equal(body.expires_in, 1);
  });

  it('the requested scopes, each once and in the requested order', async () => {
    await using endpoint = await startEndpoint();
    await assertGranted(
      endpoint,
      await ask(endpoint, { ...GRANT, scope: 'webhooks:write' }),
      'webhooks:write',
    );
    await assertGranted(
      endpoint,
      await ask(endpoint, { ...GRANT, scope: 'webhooks:write webhooks:read webhooks:write' }),
    );
  });

  it('all scopes of the client if none is requested, or the parameter is empty', async () => {
    await using endpoint = await startEndpoint();
    await assertGranted(endpoint, await ask(endpoint, GRANT));
    await assertGranted(endpoint, await ask(endpoint, { ...GRANT, scope: '' }));
  });

  it('an empty scope to a client without scopes', async () => {
    await using endpoint = await startEndpoint();
    const { client, clientSecret } = await endpoint.clients.create(
      { name: 'n', email: 'a@b', scopes: [] },
      COMMAND_LINE,
    );
    const answer = await ask(endpoint, GRANT, basic(client.clientId, clientSecret));
    assert.equal(answer.status, 200);
    assert.equal(answer.body.scope, '');
  });

  it('a token despite unknown parameters, and known ones without a value', async () => {
    await using endpoint = await startEndpoint();
    const form =
      'resource=a&resource=b&constructor=c&&grant_type=client_credentials&client_id=&client_secret';
    const answer = await post(`${endpoint.url}?trace=1`, {
      headers: {
        Authorization: basic(endpoint.client.clientId, endpoint.secret),
        Accept: 'application/json',
      },
      body: form,
    });
    await assertGranted(endpoint, answer);
  });

  it('a token for needlessly escaped parameters', async () => {
    await using endpoint = await startEndpoint();
    const answer = await post(endpoint.url, {
      headers: { Authorization: basic(endpoint.client.clientId, endpoint.secret) },
      body: 'grant%5Ftype=client%5fcredentials&scope=webhooks%3Aread+webhooks%3awrite',
    });
    await assertGranted(endpoint, answer);
  });

  it('a token, and records when the client was last used', async () => {
    await using endpoint = await startEndpoint();
    await ask(endpoint, GRANT);
    assert.equal((await endpoint.clients.get(endpoint.client.clientId))?.lastUsedAt, START);
  });

  it('a token even if the last use cannot be recorded', async () => {
    await using endpoint = await startEndpoint();
    await using _broken = await breakTable(endpoint.database, 'api_clients', 'update');
    await assertGranted(endpoint, await ask(endpoint, GRANT));
    const [line] = endpoint.logged.filter((each) => each.includes('could not be recorded'));
    assert.equal(typeof JSON.parse(line ?? '{}').error?.message, 'string');
  });

  it('a token if the database accepts no changes, and leaves the log to the watch of the database', async () => {
    await using endpoint = await startEndpoint({ Clients: UnchangeableClients });
    await assertGranted(endpoint, await ask(endpoint, GRANT));
    assert.deepEqual(linesOf(endpoint), ['access token granted']);
  });
});

describe('the token endpoint rejects with another code', () => {
  it('unsupported_grant_type: any grant but client_credentials', async () => {
    await using endpoint = await startEndpoint();
    for (const grant_type of [
      'password',
      'authorization_code',
      'Client_Credentials',
      'client_credentials ',
    ]) {
      assertRefused(await ask(endpoint, { grant_type }), 'unsupported_grant_type');
    }
  });

  it('invalid_client: no authentication, or another scheme', async () => {
    await using endpoint = await startEndpoint();
    assertRefused(await post(endpoint.url, { body: 'grant_type=client_credentials' }), 'invalid_client');
    for (const header of ['Bearer abc', 'Digest username="a"', 'Basics YTpi']) {
      assertRefused(await ask(endpoint, GRANT, header), 'invalid_client');
    }
  });

  it('invalid_client: a wrong secret, an unknown, disabled or deleted client, all in the same words', async () => {
    await using endpoint = await startEndpoint();
    const { clientId } = endpoint.client;
    const answers = [
      await ask(endpoint, GRANT, basic(clientId, 'wrong')),
      await ask(endpoint, GRANT, basic(clientId, '')),
      await ask(endpoint, GRANT, basic('cw_unknown', endpoint.secret)),
      await ask(endpoint, GRANT, basic('\0', endpoint.secret)),
      await ask(endpoint, GRANT, `Basic ${Buffer.from(':').toString('base64')}`),
    ];
    await endpoint.clients.setEnabled(clientId, false, COMMAND_LINE);
    answers.push(await ask(endpoint, GRANT));
    await endpoint.clients.delete(clientId, COMMAND_LINE);
    answers.push(await ask(endpoint, GRANT));
    for (const answer of answers) {
      assertRefused(answer, 'invalid_client');
      assert.deepEqual(answer.body, answers[0]?.body);
    }
  });

  it('invalid_scope: a scope that the client does not hold, that does not exist, or is malformed', async () => {
    await using endpoint = await startEndpoint();
    const scopes = [
      'content:read',
      'webhooks:read content:read',
      'nothing',
      ' ',
      'webhooks:read ',
      'a"b',
      'ä',
    ];
    for (const scope of scopes) {
      assertRefused(await ask(endpoint, { ...GRANT, scope }), 'invalid_scope');
    }
  });

  it('temporarily_unavailable: 503 with Retry-After while the database does not answer', async () => {
    await using endpoint = await startEndpoint({ Clients: UnreachableClients });
    const answer = await ask(endpoint, GRANT);
    assertRefused(answer, 'temporarily_unavailable', 503);
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.deepEqual(linesOf(endpoint), [], 'the watch of the database logs the outage, once');
  });

  it('server_error: 500 if it fails itself, with the cause only in the log', async () => {
    await using endpoint = await startEndpoint();
    await endpoint.database.transaction((tx) => tx.run('alter table api_clients rename to hidden'));
    const answer = await ask(endpoint, GRANT);
    assertRefused(answer, 'server_error', 500);
    assert.ok(!JSON.stringify(answer.body).includes('api_clients'));
    assert.deepEqual(linesOf(endpoint), ['a token request failed']);
    assert.ok(endpoint.logged.some((line) => typeof JSON.parse(line).error?.message === 'string'));
    assert.ok(
      endpoint.logged.some((line) =>
        /no such table: api_clients|\\?"api_clients\\?" does not exist/.test(line),
      ),
    );
  });
});

describe('Basic credentials for other requests', () => {
  it('are accepted if the database accepts no changes, without a line in the log for each request', async () => {
    await using endpoint = await startEndpoint();
    const { database, clock, client, secret } = endpoint;
    const clients = new UnchangeableClients({ database, now: clock.now });
    const { logs, lines } = recordedLogs();
    const authenticate = basicAuthentication({ clients, log: logs.for('ApiClients') });
    const recognized = await authenticate(basic(client.clientId, secret), '192.0.2.1');
    assert.equal(recognized.clientId, client.clientId);
    assert.deepEqual(lines, []);
  });
});
