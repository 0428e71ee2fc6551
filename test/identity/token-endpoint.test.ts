import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { DatabaseUnavailableError } from '../../src/database/database.ts';
import { ClientService } from '../../src/identity/clients/client-service.ts';
import { breakTable } from '../support/database.ts';
import { startTestService } from '../support/service.ts';
import { basic, START, startEndpoint } from './identity-parts.ts';
import { ask, assertGranted, assertRefused, FORM, GRANT, post, rawPost } from './token-asking.ts';

const MAX_TOKEN_BODY_BYTES = 16_384;

class UnreachableClients extends ClientService {
  override async authenticate(): Promise<never> {
    throw new DatabaseUnavailableError('the database does not answer');
  }
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
    await breakTable(endpoint.database, 'api_clients', 'update');
    await assertGranted(endpoint, await ask(endpoint, GRANT));
    assert.ok(endpoint.logged.some((line) => line.includes('could not be recorded')));
  });
});

describe('the token endpoint rejects with invalid_request', () => {
  it('a body that is missing, empty or of another media type', async () => {
    await using endpoint = await startEndpoint();
    const Authorization = basic(endpoint.client.clientId, endpoint.secret);
    assertRefused(await post(endpoint.url, { headers: { Authorization } }), 'invalid_request');
    assertRefused(await post(endpoint.url, { headers: { Authorization }, body: '' }), 'invalid_request');
    const types = [
      'application/json',
      'text/plain',
      'multipart/form-data; boundary=x',
      `${FORM}x`,
      `x, ${FORM}`,
      'nonsense',
      '',
    ];
    for (const type of types) {
      const answer = await post(endpoint.url, {
        headers: { Authorization, 'Content-Type': type },
        body: 'grant_type=client_credentials',
      });
      assertRefused(answer, 'invalid_request');
    }
  });

  it('a body without a media type', async () => {
    await using endpoint = await startEndpoint();
    const body = 'grant_type=client_credentials';
    const head = await rawPost(endpoint, [`Content-Length: ${body.length}`], body);
    assert.match(head, /^HTTP\/1\.1 400 [\s\S]*"error":"invalid_request"/);
  });

  it('a body that is not well-formed', async () => {
    await using endpoint = await startEndpoint();
    const Authorization = basic(endpoint.client.clientId, endpoint.secret);
    const good = 'grant_type=client_credentials';
    for (const body of [`${good}&scope=%`, `${good}&x=%zz`, `${good}&%ff=1`, `${good}&x=%e4`]) {
      assertRefused(await post(endpoint.url, { headers: { Authorization }, body }), 'invalid_request');
    }
    const latin1 = Buffer.from(`${good}&x=\xe4`, 'latin1');
    assertRefused(await post(endpoint.url, { headers: { Authorization }, body: latin1 }), 'invalid_request');
  });

  it('a body with a charset that reads differently from UTF-8, and a compressed body', async () => {
    await using endpoint = await startEndpoint();
    const Authorization = basic(endpoint.client.clientId, endpoint.secret);
    const body = 'grant_type=client_credentials';
    const send = (charset: string, text: string) =>
      post(endpoint.url, {
        headers: { Authorization, 'Content-Type': `${FORM}; Charset=${charset}` },
        body: text,
      });
    for (const charset of ['utf-16', '"ebcdic-cp-de"', 'UTF-8; charset=utf-7', '']) {
      assertRefused(await send(charset, body), 'invalid_request');
    }
    for (const charset of ['iso-8859-1', '"windows-1252"', 'UTF-8; charset=Latin1']) {
      await assertGranted(endpoint, await send(charset, body));
      assertRefused(await send(charset, `${body}&x=%C3%A4`), 'invalid_request');
      assertRefused(await send(charset, `${body}&x=ä`), 'invalid_request');
    }
    for (const charset of ['us-ascii', 'Utf-8', '"utf-8" ; x=y']) {
      await assertGranted(endpoint, await send(charset, body));
    }
    for (const encoding of ['gzip', 'br', 'identity, gzip']) {
      const headers = { Authorization, 'Content-Encoding': encoding };
      assertRefused(await post(endpoint.url, { headers, body }), 'invalid_request');
      assertRefused(await post(endpoint.url, { headers, body: gzipSync(body) }), 'invalid_request');
    }
    const headers = { Authorization, 'Content-Encoding': 'identity' };
    await assertGranted(endpoint, await post(endpoint.url, { headers, body }));
  });

  it('a missing or empty grant_type', async () => {
    await using endpoint = await startEndpoint();
    assertRefused(await ask(endpoint, { scope: 'webhooks:read' }), 'invalid_request');
    assertRefused(await ask(endpoint, { grant_type: '' }), 'invalid_request');
  });

  it('a repeated parameter, however it is written', async () => {
    await using endpoint = await startEndpoint();
    const Authorization = basic(endpoint.client.clientId, endpoint.secret);
    const good = 'grant_type=client_credentials';
    const bodies = [
      `${good}&${good}`,
      `${good}&scope=webhooks:read&scope=webhooks:read`,
      `${good}&scope=&scope=webhooks:read`,
      `${good}&scope=webhooks:read&sc%6fpe=webhooks:read`,
    ];
    for (const body of bodies) {
      assertRefused(await post(endpoint.url, { headers: { Authorization }, body }), 'invalid_request');
    }
    const id = `client_id=${endpoint.client.clientId}`;
    const secret = `client_secret=${endpoint.secret}`;
    for (const body of [`${good}&${id}&${id}&${secret}`, `${good}&${id}&${secret}&${secret}`]) {
      assertRefused(await post(endpoint.url, { body }), 'invalid_request');
    }
  });

  it('two authentication methods, even if both are correct', async () => {
    await using endpoint = await startEndpoint();
    const id = { client_id: endpoint.client.clientId };
    const secret = { client_secret: endpoint.secret };
    for (const form of [id, secret, { ...id, ...secret }]) {
      assertRefused(await ask(endpoint, { ...GRANT, ...form }), 'invalid_request');
      assertRefused(await ask(endpoint, { ...GRANT, ...form }, 'Bearer abc'), 'invalid_request');
    }
  });

  it('two Authorization headers', async () => {
    await using endpoint = await startEndpoint();
    const header = `Authorization: ${basic(endpoint.client.clientId, endpoint.secret)}`;
    const body = 'grant_type=client_credentials';
    const common = [`Content-Type: ${FORM}`, `Content-Length: ${body.length}`];
    assert.match(await rawPost(endpoint, [...common, header], body), /^HTTP\/1\.1 200 /);
    const answer = await rawPost(endpoint, [...common, header, header], body);
    assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*"error":"invalid_request"/);
  });

  it('only one of the form credentials', async () => {
    await using endpoint = await startEndpoint();
    for (const form of [{ client_id: endpoint.client.clientId }, { client_secret: endpoint.secret }]) {
      const body = new URLSearchParams({ ...GRANT, ...form }).toString();
      assertRefused(await post(endpoint.url, { body }), 'invalid_request');
    }
  });

  it('malformed Basic credentials', async () => {
    await using endpoint = await startEndpoint();
    const encode = (text: string) => Buffer.from(text, 'latin1').toString('base64');
    const { clientId } = endpoint.client;
    const malformed = [
      '',
      'Basic',
      'Basic !!!!',
      `Basic ${encode('no colon')}`,
      `Basic ${encode(`${clientId}:%`)}`,
      `Basic ${encode(`${clientId}:%ff`)}`,
      `Basic ${encode('\xff:secret')}`,
      `Basic ${encode(`${clientId}:x`).replace(/=*$/, '')}=====`,
      `Basic ${encode('ab:c')}, realm="x"`,
      `Basic ${encode('a:b').slice(0, -1)}`,
      `Basic ${encode('a:b')} ${encode('a:b')}`,
    ];
    for (const header of malformed) assertRefused(await ask(endpoint, GRANT, header), 'invalid_request');
  });

  it('parameters in the query string', async () => {
    await using endpoint = await startEndpoint();
    const { clientId } = endpoint.client;
    const query = new URLSearchParams({ ...GRANT, client_id: clientId, client_secret: endpoint.secret });
    assertRefused(await post(`${endpoint.url}?${query}`, { body: '' }), 'invalid_request');
    for (const name of query.keys()) {
      const body = query.toString();
      assertRefused(await post(`${endpoint.url}?${name}=x`, { body }), 'invalid_request');
    }
  });

  it('a body over the limit, with any form of length, and the client reads the response', async () => {
    await using endpoint = await startEndpoint();
    const body = `x=${'y'.repeat(MAX_TOKEN_BODY_BYTES)}`;
    // The client goes on only once it has its answer: the rest of the body is not waited for.
    const ofKnownLength = await rawPost(
      endpoint,
      [`Content-Type: ${FORM}`, `Content-Length: ${body.length}`],
      '',
    );
    assert.match(
      ofKnownLength,
      /^HTTP\/1\.1 400 [\s\S]*cache-control: no-store[\s\S]*"error":"invalid_request"/,
    );
    const chunk = `${body.length.toString(16)}\r\n${body}`;
    const ofUnknownLength = await rawPost(
      endpoint,
      [`Content-Type: ${FORM}`, 'Transfer-Encoding: chunked'],
      chunk,
    );
    assert.match(
      ofUnknownLength,
      /^HTTP\/1\.1 400 [\s\S]*cache-control: no-store[\s\S]*"error":"invalid_request"/,
    );
    for (const length of [MAX_TOKEN_BODY_BYTES + 1, 100_000, 1_000_000, 5_000_000]) {
      const answer = await ask(endpoint, { ...GRANT, x: 'y'.repeat(length) });
      assertRefused(answer, 'invalid_request');
      assert.match(String(answer.body.error_description), /16384 bytes/);
    }

    const largest = `grant_type=client_credentials&x=`.padEnd(MAX_TOKEN_BODY_BYTES, 'y');
    const Authorization = basic(endpoint.client.clientId, endpoint.secret);
    await assertGranted(endpoint, await post(endpoint.url, { headers: { Authorization }, body: largest }));
  });

  it('every method but POST, with 405 and Allow', async () => {
    await using endpoint = await startEndpoint();
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) {
      const response = await fetch(endpoint.url, { method });
      assert.equal(response.status, 405, method);
      assert.equal(response.headers.get('allow'), 'POST');
      assert.equal(response.headers.get('cache-control'), 'no-store');
      const text = await response.text();
      if (method !== 'HEAD') assert.equal(JSON.parse(text).error, 'invalid_request');
    }
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
  });

  it('server_error: 500 if it fails itself, with the cause only in the log', async () => {
    await using endpoint = await startEndpoint();
    await endpoint.database.transaction((tx) => tx.run('alter table api_clients rename to hidden'));
    const answer = await ask(endpoint, GRANT);
    assertRefused(answer, 'server_error', 500);
    assert.ok(!JSON.stringify(answer.body).includes('api_clients'));
    assert.ok(
      endpoint.logged.some((line) =>
        /no such table: api_clients|\\?"api_clients\\?" does not exist/.test(line),
      ),
    );
  });
});
