import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TOKEN_PATH } from '../../src/identity/tokens/token-endpoint.ts';
import { connectTo } from '../support/raw-http.ts';
import { until } from '../support/until.ts';
import { basic, startEndpoint } from './identity-helpers.ts';
import { ask, assertGranted, assertRefused, FORM, GRANT, post, rawPost } from './token-requests.ts';

// Runs on SQLite in `npm test`: requests are refused before a client is looked up. The tests of the token endpoint look clients up on both.

const MAX_TOKEN_BODY_BYTES = 16_384;

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

  it('a body whose sender disconnects, which the log does not call a failure of the service', async () => {
    await using endpoint = await startEndpoint();
    const { host } = new URL(endpoint.url);
    const socket = connectTo(endpoint.url);
    const head = [
      `POST ${TOKEN_PATH} HTTP/1.1`,
      `Host: ${host}`,
      `Content-Type: ${FORM}`,
      'Content-Length: 100',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\ngrant_type=`);
    await until(
      () => endpoint.logged.some((line) => line.includes('incoming request')),
      'the request arrives',
    );
    socket.destroy();
    const ended = /access token refused|a token request failed/;
    const line = await until(() => endpoint.logged.find((each) => ended.test(each)), 'the request ends');
    assert.match(line, /access token refused.*invalid_request|invalid_request.*access token refused/);
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
    // The client does not send the rest of the body before it has the response: the service must not wait for it.
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
