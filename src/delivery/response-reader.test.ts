import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { listenOnFreePort } from '../../test/support/free-port.ts';
import { ResponseReader } from './response-reader.ts';

const MAX_CONTINUES = 16;

const CONTINUE = 'HTTP/1.1 100 Continue\r\nX-Step: 1\r\n\r\n';
const RESPONSE = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

/**
 * The text that is read through a filter when these pieces arrive one after another, and the number of informational
 * responses that it removed.
 */
async function readThrough(...pieces: string[]): Promise<{ read: string; skipped: number }> {
  const server = createServer((socket) => void write(socket, pieces));
  const socket = connect({ host: '127.0.0.1', port: await listenOnFreePort(server) });
  const filter = new ResponseReader(socket);
  filter.beforeResponse();
  let read = '';
  let arrived = 0;
  socket.on('readable', () => {
    for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read())
      read += chunk.toString('latin1');
    // Each piece is requested after the previous one has been read, so that they are not merged.
    if (socket.bytesRead > arrived) socket.write('.');
    arrived = socket.bytesRead;
  });
  await once(socket, 'end');
  socket.destroy();
  server.close();
  await once(server, 'close');
  return { read, skipped: filter.skipped };
}

async function write(socket: Socket, pieces: string[]): Promise<void> {
  for (const piece of pieces) {
    socket.write(piece, 'latin1');
    await once(socket, 'data');
  }
  socket.end();
}

describe('100 Continue before a response', () => {
  it('is removed', async () => {
    assert.deepEqual(await readThrough(CONTINUE + RESPONSE), { read: RESPONSE, skipped: 1 });
    assert.deepEqual(await readThrough(CONTINUE, CONTINUE, RESPONSE), { read: RESPONSE, skipped: 2 });
  });

  it('is removed wherever it is split', async () => {
    for (const at of [1, 8, 11, 12, 20, CONTINUE.length - 1])
      assert.deepEqual(
        await readThrough(
          CONTINUE.slice(0, at),
          CONTINUE.slice(at) + RESPONSE.slice(0, 3),
          RESPONSE.slice(3),
        ),
        { read: RESPONSE, skipped: 1 },
        `cut at ${at}`,
      );
  });

  it('is removed only before the response', async () => {
    assert.deepEqual(await readThrough(RESPONSE + CONTINUE, CONTINUE), {
      read: RESPONSE + CONTINUE + CONTINUE,
      skipped: 0,
    });
  });

  it('is all that is removed', async () => {
    for (const bytes of [
      'x',
      'HTTP/1.1 103 Early Hints\r\n\r\n',
      'HTTP/1.1 10',
      'garbage that is longer than a line',
      'HTTP/1.1 204 No Content\r\n\r\n',
    ])
      assert.deepEqual(await readThrough(bytes, RESPONSE), { read: bytes + RESPONSE, skipped: 0 }, bytes);
  });

  it('is removed at most a limited number of times', async () => {
    const { read, skipped } = await readThrough(CONTINUE.repeat(MAX_CONTINUES + 1) + RESPONSE);
    assert.equal(skipped, MAX_CONTINUES);
    assert.equal(read, CONTINUE + RESPONSE);
  });

  it('is not awaited forever', async () => {
    const endless = `HTTP/1.1 100 Continue\r\n${'X-Filler: x\r\n'.repeat(400)}`;
    assert.equal((await readThrough(endless, RESPONSE)).read, endless + RESPONSE);
  });
});
