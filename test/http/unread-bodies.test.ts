import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { MIB } from '../../src/bytes.ts';
import { aroundTests } from '../support/around-tests.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { connectTo } from '../support/raw-http.ts';
import { startTestService, type TestService } from '../support/service.ts';

// Runs on SQLite alone: the requests are refused before anything is stored.

/** Larger than any body that the service accepts, and than the system's buffers. */
const BODY = Buffer.alloc(8 * MIB, ' ');

describe('a client that still sends its body when its request is refused', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  /** Sends the body of a POST after the first part of the response. Returns that part, and whether the server received all. */
  async function sendToTheEnd(url: string, fields: string[], closing?: 'close') {
    const { host, pathname } = new URL(url);
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const socket = connectTo(url);
    const closed = once(socket, 'close', { signal });
    const head = [`POST ${pathname} HTTP/1.1`, `Host: ${host}`, `Content-Length: ${BODY.length}`, ...fields];
    if (closing !== undefined) head.push(`Connection: ${closing}`);
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const [response] = await once(socket, 'data', { signal });
    socket.write(BODY);
    const [isCutOff] = await closed;
    return { response: String(response), isCutOff };
  }

  const authorization = () => `Authorization: Bearer ${service.api.token}`;

  test('receives the response, although the connection is closed behind it', async () => {
    const json = 'Content-Type: application/json';
    const form = 'Content-Type: application/x-www-form-urlencoded';
    const { url } = service;
    for (const [status, sent] of [
      [413, await sendToTheEnd(`${url}/accounts`, [authorization(), json])],
      [415, await sendToTheEnd(`${url}/accounts`, [authorization(), 'Content-Type: text/plain'])],
      [400, await sendToTheEnd(`${url}/public/v1/auth`, [form])],
      [401, await sendToTheEnd(`${url}/courses`, [json], 'close')],
      [404, await sendToTheEnd(`${url}/nowhere`, [json], 'close')],
      [404, await sendToTheEnd(`${service.service.contentUrl}/nowhere`, [json], 'close')],
    ] as const) {
      assert.match(sent.response, new RegExp(`^HTTP/1\\.1 ${status} [^]*^connection: close\r$`, 'im'));
      assert.equal(sent.isCutOff, false, `the client cannot send the rest after ${status}`);
    }
  });

  test('can send its next request on the connection if that is kept', async () => {
    const { host } = new URL(service.url);
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const socket = connectTo(service.url);
    try {
      socket.write(`POST /accounts HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${BODY.length}\r\n\r\n`);
      assert.match(String((await once(socket, 'data', { signal }))[0]), /^HTTP\/1\.1 401 /);
      socket.write(BODY);
      const closed = once(socket, 'close', { signal });
      const next = ['GET /accounts HTTP/1.1', `Host: ${host}`, authorization(), 'Connection: close'];
      socket.write(`${next.join('\r\n')}\r\n\r\n`);
      assert.match(String((await once(socket, 'data', { signal }))[0]), /^HTTP\/1\.1 200 /);
      assert.deepEqual(await closed, [false]);
    } finally {
      socket.destroy();
    }
  });
});
