import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { SILENT_LOGS } from '../../test/support/logs.ts';
import { ProblemError } from '../problems/problem.ts';
import type { Routes } from './routes.ts';
import { createServer } from './server.ts';

const DEADLINE_MS = 300;
const PIECES = 9;

describe('a request whose body arrives in small parts now and then', () => {
  let server: Routes;
  let port: number;

  before(async () => {
    server = createServer({
      log: SILENT_LOGS.for('HttpServer'),
      maxBodyBytes: 1_000,
      trustedProxies: [],
      basePath: '',
      requestDeadlineMs: DEADLINE_MS,
    });
    const refuse = async () => {
      throw new ProblemError('unauthorized', 'Nobody is let in here');
    };
    const isUpload = { isUpload: true };
    server.post('/things', async () => ({}));
    server.post('/uploads', { config: isUpload }, async () => ({}));
    server.post('/refused', { config: isUpload, onRequest: refuse }, async () => ({}));
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    port = Number(new URL(url).port);
  });
  after(() => server.close());

  test('is ended at the deadline', async () => {
    assert.match(await drip('/things'), /^HTTP\/1\.1 408 /);
  });

  test('is ended at the deadline, too, when it was refused before, or there is nothing at the path', async () => {
    assert.match(await drip('/refused'), /^HTTP\/1\.1 401 /);
    assert.match(await drip('/nothing'), /^HTTP\/1\.1 404 /);
  });

  test('may continue if it is an upload', async () => {
    assert.match(await drip('/uploads'), /^HTTP\/1\.1 200 /);
  });

  /** Sends a body in pieces that take thrice as long as the deadline allows; returns what came until the server closed. */
  async function drip(path: string): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    const closed = Promise.withResolvers<string>();
    let received = '';
    socket.on('error', () => {});
    socket.once('close', () => closed.resolve(received));
    socket.setEncoding('utf8').on('data', (text) => {
      received += text;
      if (received.startsWith('HTTP/1.1 200')) socket.end();
    });
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`);
    socket.write(`Content-Length: ${PIECES + 1}\r\n\r\n1`);
    let left = PIECES;
    const timer = setInterval(
      () => {
        if (!socket.destroyed && left-- > 0) socket.write(' ');
      },
      (3 * DEADLINE_MS) / PIECES,
    );
    const giveUp = setTimeout(() => closed.reject(new Error('still open')), 20 * DEADLINE_MS);
    try {
      return await closed.promise;
    } finally {
      clearInterval(timer);
      clearTimeout(giveUp);
      socket.destroy();
    }
  }
});
