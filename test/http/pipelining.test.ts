import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import { MIB } from '../../src/bytes.ts';
import { CallerTurns } from '../../src/http/caller-turns.ts';
import { limitPipelining } from '../../src/http/pipelining.ts';
import { sendProblem } from '../../src/http/problem-responses.ts';
import type { ProblemError } from '../../src/problems/problem.ts';
import { connectTo } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

// Runs on SQLite alone: the requests do not involve the database.

/** More than the buffers of a connection hold. */
const LARGE_BYTES = 32 * MIB;

/** A server that notes which requests begin, and how many connections it has. @param addRoutes adds further ones */
async function startServer(addRoutes: (app: FastifyInstance) => void = () => {}) {
  const app = fastify();
  limitPipelining(app);
  const begun: string[] = [];
  app.addHook('preHandler', async ({ url }) => void begun.push(url));
  app.get('/small/:n', async () => 'small');
  app.get('/large/:n', async () => Buffer.alloc(LARGE_BYTES));
  app.post('/bodies/:n', async ({ body }) => body);
  addRoutes(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const dispose = async () => {
    app.server.closeAllConnections();
    await app.close();
  };
  return { app, url, begun, [Symbol.asyncDispose]: dispose };
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: service\r\n\r\n`;
}

function post(n: number): string {
  return `POST /bodies/${n} HTTP/1.1\r\nHost: service\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nbody-${n}`;
}

describe('requests of a connection that arrive together', () => {
  it('begin one after another, once the client has read the response before', async () => {
    await using server = await startServer();
    const socket = connectTo(server.url).pause();
    socket.write(get('/large/1') + get('/small/2') + get('/large/3') + get('/small/4'));
    await until(() => server.begun.length > 0, 'the first begins');
    assert.equal((await fetch(`${server.url}/small/other`)).status, 200);
    assert.deepEqual(server.begun, ['/large/1', '/small/other']);

    socket.resume();
    await until(() => server.begun.length === 5, 'all begin');
    assert.deepEqual(server.begun.slice(2), ['/small/2', '/large/3', '/small/4']);
    socket.destroy();
  });

  it('do not begin after the end of their connection', async () => {
    await using server = await startServer();
    const socket = connectTo(server.url).pause();
    socket.write(get('/large/1') + get('/small/2'));
    await until(() => server.begun.length > 0, 'the first begins');
    socket.destroy();
    await until(async () => (await connectionsOf(server)) === 0, 'the connection ends');
    assert.equal((await fetch(`${server.url}/small/other`)).status, 200);
    assert.deepEqual(server.begun, ['/large/1', '/small/other']);
  });

  it('begin after the end of their connection if they bring data, such as the last save of a page', async () => {
    await using server = await startServer();
    const socket = connectTo(server.url).pause();
    socket.write(get('/large/1') + post(2) + get('/small/3'));
    await until(() => server.begun.length > 0, 'the first begins');
    socket.destroy();
    await until(() => server.begun.length === 2, 'the data is stored');
    assert.deepEqual(server.begun, ['/large/1', '/bodies/2']);
  });

  it('do not wait for one another although later ones request their turns before the first', async () => {
    const later = Promise.withResolvers<void>();
    let arrived = 0;
    await using server = await startServer((app) => {
      const turns = new CallerTurns(app);
      app.get<{ Params: { n: string } }>('/turns/:n', {
        onRequest: async (request) => {
          if (request.params.n === '1') await later.promise;
          else if (++arrived === 4) later.resolve();
          await turns.take(request, 'a client', 'large-read');
        },
        handler: async () => 'small',
      });
    });
    const socket = connectTo(server.url).setEncoding('utf8');
    let received = '';
    socket.on('data', (text) => {
      received += text;
    });
    socket.write([1, 2, 3, 4, 5].map((n) => get(`/turns/${n}`)).join(''));
    await until(() => received.match(/HTTP\/1\.1 200/g)?.length === 5, 'all are answered');
    assert.deepEqual(server.begun, ['/turns/1', '/turns/2', '/turns/3', '/turns/4', '/turns/5']);
    socket.destroy();
  });

  it('are handled up to sixteen: the next one gets 429, and those behind it get no response', async () => {
    const released = Promise.withResolvers<void>();
    await using server = await startServer((app) => {
      app.setErrorHandler((error, _request, reply) => sendProblem(reply, error as ProblemError));
      app.get('/held/:n', async () => {
        await released.promise;
        return 'held';
      });
    });
    const socket = connectTo(server.url).setEncoding('utf8');
    const ended = once(socket, 'close');
    let received = '';
    socket.on('data', (text) => {
      received += text;
    });
    socket.write(Array.from({ length: 18 }, (_, n) => get(`/held/${n}`)).join(''));
    await until(() => server.begun.length > 0, 'the first begins');
    released.resolve();
    await ended;
    const statuses = received.match(/(?<=HTTP\/1\.1 )\d+/g);
    assert.deepEqual(statuses, [...Array.from({ length: 16 }, () => '200'), '429']);
  });

  it('keep their bodies', async () => {
    await using server = await startServer();
    const socket = connectTo(server.url).setEncoding('utf8');
    let received = '';
    socket.on('data', (text) => {
      received += text;
    });
    socket.write(post(1) + post(2) + post(3));
    await until(() => received.includes('body-3'), 'the last is answered');
    assert.deepEqual(received.match(/body-\d/g), ['body-1', 'body-2', 'body-3']);
    socket.destroy();
  });
});

async function connectionsOf({ app }: Awaited<ReturnType<typeof startServer>>): Promise<number> {
  return await new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
