import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { basic } from '../support/basic.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { connectTo } from '../support/raw-http.ts';
import { registerTo } from '../support/registered-course.ts';
import { createClient, requestToken, startTestService, until } from '../support/service.ts';
import { LrsClient, lrsClient, statement } from './lrs-helpers.ts';

// Runs on SQLite alone: turns are kept in the memory of the process.

const MAX_AT_ONCE = 4;
/** A body that is read before its request has a turn. */
const SMALL_BODY_BYTES = 2_000;
/** Requests of a caller that are handled at once or wait. */
const MAX_REQUESTS = 104;
/** No further response is made while 32 MiB are unsent; those of the requests in progress are added. */
const UNSENT = 5;
const MAX_RESPONSES = 8;
/** The maximum size of a body, in bytes. */
const BODY_BYTES = 16_777_216;
/** Lists and messages that may have megabytes, or are made from that much data. */
const LARGE_READS = [
  ...['/webhooks', '/bundles', '/equivalents', '/events', '/audit-log', '/ui/api/dead-letters'],
  ...['/webhooks/1/deliveries', '/webhooks/1/deliveries/1', '/webhooks/1/line/messages'],
  ...['/webhooks/1/line/messages/1', '/events/1'],
  ...['/ui/api/accounts', '/ui/api/accounts/1/contents', '/ui/api/registrations', '/ui/api/webhooks'],
  ...['/ui/api/courses', '/ui/api/equivalents', '/ui/api/bundles', '/ui/api/addable-accounts'],
  ...['/ui/api/addable-content', '/ui/api/search/assets'],
];
/** How long a request waits that has a place, but no turn. */
const PATIENCE_MS = 500;
/** The statements of a page, of almost the maximum size: more than the buffers of a connection hold. */
const STATEMENTS = 31;
const STATEMENT_LENGTH = 240_000;

test('large responses that a caller does not read wait for each other, and nobody else waits', async () => {
  await using service = await startTestService();
  const { accountId, registrationId } = await registerTo(service, scorm12Course());
  const { clientId, clientSecret } = await createClient(service.settings.data_dir, {
    scopes: ['statements:read', 'statements:write', 'content:read', 'webhooks:read', 'audit:read'],
  });
  const lrs = new LrsClient(`${service.url}/xapi`, basic(clientId, clientSecret));
  for (let n = 0; n < STATEMENTS; n++)
    await lrs.store(statement({ result: { response: 'x'.repeat(STATEMENT_LENGTH) } }));
  const token = await requestToken(service.url, clientId, clientSecret);
  const { host } = new URL(service.url);
  let answered = 0;
  const sockets: Socket[] = [];
  const begin = () => {
    const socket = connectTo(service.url);
    // Only the beginning of the response is read.
    socket.once('data', (data) => {
      if (String(data).startsWith('HTTP/1.1 200')) answered += 1;
      socket.pause();
    });
    socket.write(
      `GET /xapi/statements HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${lrs.authorization}\r\nX-Experience-API-Version: 1.0.3\r\n\r\n`,
    );
    sockets.push(socket);
  };
  try {
    for (let n = 0; n < MAX_REQUESTS; n++) begin();
    await until(() => answered >= UNSENT, 'as many are answered as may be unsent');
    for (let n = 0; n < MAX_RESPONSES; n++) begin();
    /** The status of a response; null if none arrives in time. */
    const read = async (path: string, patienceMs = DEADLINE_MS) => {
      const headers = { authorization: `Bearer ${token}`, 'x-experience-api-version': '1.0.3' };
      const signal = AbortSignal.timeout(patienceMs);
      const response = await fetch(service.url + path, { headers, signal }).catch(() => null);
      return response?.status ?? null;
    };
    await until(async () => {
      const isRefused = (await read('/xapi/statements?limit=1', PATIENCE_MS)) === 429;
      // Another request takes its place.
      if (!isRefused) begin();
      return isRefused;
    }, 'one more is refused');
    for (const part of ['statements', 'runtime'])
      assert.equal(await read(`/registrations/${registrationId}/${part}`), 429, part);
    for (const large of LARGE_READS) assert.equal(await read(large), 429, large);
    assert.ok(answered <= MAX_RESPONSES, `${answered} are answered`);
    for (const single of [`/accounts/${accountId}`, `/registrations/${registrationId}`])
      assert.equal(await read(single), 200, 'single records are not concerned');
    assert.equal(
      await lrs.store(statement()).then(
        () => 'stored',
        (error: unknown) => String(error),
      ),
      'stored',
      'writes are not concerned',
    );
    const other = await lrsClient(service);
    assert.equal((await other.call('GET', 'statements', { query: { limit: '1' } })).status, 200);
    for (const socket of sockets) socket.destroy();
    await until(
      async () => (await read('/xapi/statements?limit=1', PATIENCE_MS)) === 200,
      'the turns are free again',
    );
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('a read in a form waits for its turn before the form arrives', async () => {
  await using service = await startTestService();
  const { clientId, clientSecret } = await createClient(service.settings.data_dir, {
    scopes: ['statements:read', 'statements:write'],
  });
  const lrs = new LrsClient(`${service.url}/xapi`, basic(clientId, clientSecret));
  const { host } = new URL(service.url);
  const sockets: Socket[] = [];
  let refused = 0;
  const begin = (method: string) => {
    const socket = connectTo(service.url);
    socket.on('data', (data) => {
      if (String(data).startsWith('HTTP/1.1 429')) refused += 1;
    });
    const head = [
      `POST /xapi/statements?method=${method} HTTP/1.1`,
      ...[`Host: ${host}`, `Authorization: ${lrs.authorization}`],
      ...['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${BODY_BYTES}`],
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    sockets.push(socket);
  };
  try {
    for (let n = 0; n < MAX_REQUESTS; n++) begin('PUT');
    for (let n = 0; n < MAX_REQUESTS; n++) begin('get');
    const read = async () => (await lrs.call('GET', 'statements', { query: { limit: '1' } })).status;
    await until(async () => {
      if (refused > 0) return true;
      // It takes the last place, or finds none left.
      begin('GET');
      return false;
    }, 'one more is refused');
    assert.equal(await read(), 429);
    for (const socket of sockets) socket.destroy();
    await until(
      async () => (await read()) === 200,
      'the turns are free again, those of forms that never arrived, too',
    );
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('writes of a client wait for their turn before their bodies arrive, and nobody else waits', async () => {
  await using service = await startTestService();
  const { clientId, clientSecret } = await createClient(service.settings.data_dir, {
    scopes: ['statements:read', 'statements:write'],
  });
  const lrs = new LrsClient(`${service.url}/xapi`, basic(clientId, clientSecret));
  const other = await lrsClient(service);
  const sockets: Socket[] = [];
  let refused = 0;
  const begin = () => {
    const socket = beginStatements(service.url, lrs);
    socket.on('data', (data) => {
      if (String(data).startsWith('HTTP/1.1 429')) refused += 1;
    });
    sockets.push(socket);
  };
  try {
    for (let n = 0; n < MAX_REQUESTS; n++) begin();
    await until(async () => {
      if (refused > 0) return true;
      begin();
      return false;
    }, 'one more is refused');
    const write = async () => (await lrs.call('POST', 'statements', { body: statement() })).status;
    assert.equal(await write(), 429);
    assert.equal((await lrs.call('GET', 'statements')).status, 200, 'reads do not wait for writes');
    await other.store(statement());
    for (const socket of sockets) socket.destroy();
    await until(async () => (await write()) === 200, 'the turns are free again');
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('a client that may only read is refused before the body of a write arrives', async () => {
  await using service = await startTestService();
  const reader = await lrsClient(service, ['statements:read']);
  const socket = beginStatements(service.url, reader);
  const [response] = await once(socket, 'data', { signal: AbortSignal.timeout(DEADLINE_MS) });
  socket.destroy();
  assert.match(String(response), /^HTTP\/1\.1 403 /);
});

test('writes of a client whose small bodies have not arrived keep no turn from others', async () => {
  await using service = await startTestService();
  const lrs = await lrsClient(service);
  const sockets: Socket[] = [];
  try {
    for (let n = 0; n < MAX_AT_ONCE; n++) {
      const socket = beginStatements(service.url, lrs, SMALL_BODY_BYTES);
      sockets.push(socket);
      await until(() => socket.bytesWritten > 0 && !socket.connecting, 'the head is sent');
    }
    await lrs.store(statement());
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

/** Sends the head of a request that stores statements, and nothing of its body. */
function beginStatements(url: string, { authorization }: LrsClient, bytes = BODY_BYTES): Socket {
  const socket = connectTo(url);
  const head = [
    'POST /xapi/statements HTTP/1.1',
    ...[`Host: ${new URL(url).host}`, `Authorization: ${authorization}`],
    ...['X-Experience-API-Version: 1.0.3', 'Content-Type: application/json', `Content-Length: ${bytes}`],
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}
