import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { ifUnread } from './unread-response.ts';

// Runs on SQLite in `npm test`: it uses no database.

const REQUEST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';

async function startWatched(): Promise<{ target: Target; unread: Set<number> }> {
  const target = await startTarget();
  const unread = new Set<number>();
  target.respondWith((exchange) => {
    const number = target.requests.length;
    ifUnread(exchange, () => unread.add(number));
    answer(204)(exchange);
  });
  return { target, unread };
}

async function connectTo({ port }: Target): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function request(socket: Socket): Promise<void> {
  socket.write(REQUEST);
  await once(socket, 'data');
}

describe('the response of a target', () => {
  it('is unread if the sender closed the connection before, and the next request is answered', async () => {
    const { target, unread } = await startWatched();
    await using _ = target;
    const socket = await connectTo(target);
    // The target reads nothing until both are there.
    socket.write(REQUEST);
    socket.destroy();
    const other = await connectTo(target);
    await request(other);
    other.destroy();
    await target.waitUntil(() => target.openConnections === 0);
    assert.deepEqual([...unread], [1]);
  });

  it('is unread if the sender resets the connection with the response in it', async () => {
    const { target, unread } = await startWatched();
    await using _ = target;
    const socket = await connectTo(target);
    await request(socket);
    socket.pause();
    socket.write(REQUEST);
    await target.waitFor(2);
    socket.resetAndDestroy();
    await target.waitUntil(() => target.openConnections === 0);
    assert.deepEqual([...unread], [2]);
  });

  it('is read if another request follows on the connection, or the sender closes it later', async () => {
    const { target, unread } = await startWatched();
    await using _ = target;
    const socket = await connectTo(target);
    for (let n = 0; n < 3; n++) await request(socket);
    socket.end();
    await target.waitUntil(() => target.openConnections === 0);
    assert.deepEqual([...unread], []);
  });
});
