import assert from 'node:assert/strict';
import { type EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { listenOnFreePort } from '../../../test/support/free-port.ts';
import { UploadConnection } from './upload-connection.ts';

const TWO_HOURS_MS = 2 * 60 * 60 * 1_000;
const LINGER_MS = 10_000;
const RATE_PERIOD_MS = 30_000;

/** A request that has come to a real server, with its body still open, and the client that sends it. */
async function openRequest(context: TestContext) {
  const server = createServer();
  const port = await listenOnFreePort(server);
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = request({ port, host: '127.0.0.1', method: 'POST' });
  client.on('error', () => {});
  client.write('begun');
  const [received, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  received.on('error', () => {});
  const open = () =>
    new UploadConnection({ raw: received } as FastifyRequest, { raw: response } as FastifyReply);
  return { client, received, response, open };
}

/** Resolves whether it ends well or not. */
const closed = (stream: EventEmitter) => new Promise<void>((resolve) => void stream.once('close', resolve));

describe('the connection of an upload', () => {
  it('is aborted when the client disconnects', async (context) => {
    const { client, open } = await openRequest(context);
    using connection = open();
    assert.equal(connection.signal.aborted, false);
    client.destroy();
    await once(connection.signal, 'abort');
    assert.match(connection.signal.reason.message, /ended before the upload was complete/);
  });

  it('is aborted from the start if the client has already disconnected', async (context) => {
    const { client, received, open } = await openRequest(context);
    client.destroy();
    await closed(received);
    using connection = open();
    assert.equal(connection.signal.aborted, true);
  });

  it('is not aborted when its body or its response ends', async (context) => {
    const { client, received, response, open } = await openRequest(context);
    const connection = open();
    client.end('ended');
    received.resume();
    await closed(received);
    connection[Symbol.dispose]();
    response.end('answered');
    const [answer] = (await once(client, 'response')) as [IncomingMessage];
    await answer.resume().toArray();
    assert.equal(connection.signal.aborted, false);
  });

  it('is closed when an upload takes more than two hours', async (context) => {
    const { client, open } = await openRequest(context);
    context.mock.timers.enable({ apis: ['setTimeout'] });
    using connection = open();
    context.mock.timers.tick(TWO_HOURS_MS - 1);
    assert.equal(connection.signal.aborted, false);
    context.mock.timers.tick(1);
    assert.match(connection.signal.reason.message, /took too long/);
    await closed(client);
  });

  it('is closed if fewer than 4 KiB arrive per second', async (context) => {
    const { client, received, open } = await openRequest(context);
    received.resume();
    context.mock.timers.enable({ apis: ['setInterval'] });
    using connection = open();
    const send = async (bytes: number) => {
      const before = received.socket.bytesRead;
      client.write(Buffer.alloc(bytes));
      while (received.socket.bytesRead < before + bytes) await setImmediate();
    };
    await send(128 * 1024);
    context.mock.timers.tick(RATE_PERIOD_MS);
    assert.equal(connection.signal.aborted, false);
    await send(1_000);
    context.mock.timers.tick(RATE_PERIOD_MS);
    assert.match(connection.signal.reason.message, /too slow/);
    await closed(client);
  });

  it('is not closed while the client waits for the response', async (context) => {
    const { open } = await openRequest(context);
    context.mock.timers.enable({ apis: ['setInterval'] });
    using connection = open();
    connection.awaitResponse();
    context.mock.timers.tick(10 * RATE_PERIOD_MS);
    assert.equal(connection.signal.aborted, false);
  });

  it('lets a client that keeps sending read the response, and closes the connection in the end', async (context) => {
    const { client, received, response, open } = await openRequest(context);
    context.mock.timers.enable({ apis: ['setTimeout'] });
    open()[Symbol.dispose]();
    response.writeHead(413).end('refused');
    const [answer] = (await once(client, 'response')) as [IncomingMessage];
    assert.deepEqual((await answer.toArray()).join(''), 'refused');
    client.write('more');
    context.mock.timers.tick(LINGER_MS - 1);
    assert.equal(received.destroyed, false);
    context.mock.timers.tick(1);
    assert.equal(received.destroyed, true);
    await closed(client);
  });
});
