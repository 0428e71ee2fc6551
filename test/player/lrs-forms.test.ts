import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { basic } from '../support/basic.ts';
import { connectTo, textUntilClosed } from '../support/raw-http.ts';
import { createClient, startTestService } from '../support/service.ts';
import { ANN, activity, lrsClient } from './lrs-helpers.ts';

// Runs on SQLite in `npm test`: forms are read before anything is stored. The tests of statements and documents cover both databases.

/** A form of which the service has received only the head. */
interface BegunForm {
  /** Sends the body, and returns the response. */
  end(): Promise<string>;
  /** The response at the end of the connection. */
  response(): Promise<string>;
}

async function startStore() {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startTestService({ settings: { trusted_proxies: ['127.0.0.1'] } }));
  const scopes = ['statements:read'];
  const { clientId, clientSecret } = await createClient(service.settings.data_dir, { scopes });
  const { host } = new URL(service.url);
  const body = new URLSearchParams({
    Authorization: basic(clientId, clientSecret),
    'X-Experience-API-Version': '1.0.3',
  }).toString();

  const sockets: Socket[] = [];
  stack.defer(() => {
    for (const socket of sockets) socket.destroy();
  });

  async function begin(address: string): Promise<BegunForm> {
    const socket = connectTo(service.url);
    sockets.push(socket);
    const received = textUntilClosed(socket);
    const head = [
      'POST /xapi/statements?method=GET HTTP/1.1',
      `Host: ${host}`,
      'Connection: close',
      `X-Forwarded-For: ${address}`,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const [interim] = await once(socket, 'data');
    assert.match(String(interim), /^HTTP\/1\.1 100 /);
    const response = async () =>
      (await received)
        .split(/(?<=\r\n\r\n)/)
        .slice(1)
        .join('');
    const end = () => {
      socket.write(body);
      return response();
    };
    return { end, response };
  }

  const kept = stack.move();
  return { begin, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

describe('xAPI requests in forms with the credential inside', () => {
  test('are handled even if strangers take all places with forms that do not arrive', async () => {
    await using store = await startStore();
    const stalled: BegunForm[] = [];
    for (let n = 0; n < 32; n++) stalled.push(await store.begin(`198.51.100.${n % 4}`));
    const form = await store.begin('203.0.113.1');
    assert.match(await form.end(), /^HTTP\/1\.1 200 /);
    assert.match(await stalled[0]!.response(), /^HTTP\/1\.1 408 /, 'the oldest gave up its place');
    assert.match(await stalled[1]!.end(), /^HTTP\/1\.1 200 /, 'the others kept theirs');
  });

  test('may come from one address eight at a time', async () => {
    await using store = await startStore();
    for (let n = 0; n < 8; n++) await store.begin('198.51.100.1');
    const refusal = await (await store.begin('198.51.100.1')).end();
    assert.match(refusal, /^HTTP\/1\.1 429 /);
    assert.match(refusal, /^retry-after: 1\r$/im);
    assert.match(await (await store.begin('198.51.100.2')).end(), /^HTTP\/1\.1 200 /);
  });

  test('are refused without a valid credential before anything else in them is decoded', async () => {
    await using service = await startTestService();
    const members = Array.from({ length: 200 }, (_, n) => `a${n}=%41`).join('&');
    const send = async (body: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const url = `${service.url}/xapi/statements?method=GET`;
      return (await fetch(url, { method: 'POST', headers, body })).status;
    };
    assert.equal(await send(members), 401);
    assert.equal(await send(`${members}&Authorization=Basic%20YTpi`), 401);
    const { authorization } = await lrsClient(service);
    const known = `authorization=${encodeURIComponent(authorization)}`;
    assert.equal(await send(`${members}&${known}`), 400, 'they are too many');
    assert.equal(await send(`X-Experience-API-Version=1.0.3&${known}&limit=1`), 200);
  });

  test('have header fields of at most 16 KiB', async () => {
    await using service = await startTestService();
    const { authorization } = await lrsClient(service);
    const send = async (name: string, length: number) => {
      const body = new URLSearchParams({
        ...{ Authorization: authorization, 'X-Experience-API-Version': '1.0.3', limit: '1' },
        [name]: ','.repeat(length),
      });
      const response = await fetch(`${service.url}/xapi/statements?method=GET`, { method: 'POST', body });
      return { status: response.status, text: await response.text() };
    };
    for (const name of ['If-Match', 'If-None-Match', 'Accept-Language']) {
      assert.equal((await send(name, 16_384)).status, 200);
      const { status, text } = await send(name, 16_385);
      assert.deepEqual(
        [status, JSON.parse(text).errors],
        [400, [{ pointer: `/query/${name}`, detail: 'must have at most 16384 characters' }]],
      );
    }
    assert.equal((await send('Authorization', 16_385)).status, 400);
  });

  test('are read as Latin-1 if they are not UTF-8, percent-encoded or not', async () => {
    await using service = await startTestService();
    const lrs = await lrsClient(service);
    const query = { activityId: activity('latin').id, agent: JSON.stringify(ANN) };
    const known = { Authorization: lrs.authorization, 'X-Experience-API-Version': '1.0.3', ...query };
    for (const [at, encoded] of ['%E9', '\xe8', '%C3%AA', '\xc3\xab'].entries()) {
      const members = `${new URLSearchParams(known)}&stateId=${encoded}&content=%22${encoded}%22`;
      const body = Buffer.from(members, 'latin1');
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const url = `${lrs.endpoint}/activities/state?method=PUT`;
      assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 204);
      const letter = 'éèêë'[at]!;
      const found = await lrs.call('GET', 'activities/state', { query: { ...query, stateId: letter } });
      assert.equal(found.json, letter);
    }
  });
});
