import assert from 'node:assert/strict';
import { finished } from 'node:stream/promises';
import { after, before, describe, test } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import { drip } from '../../test/support/dripped-body.ts';
import { SILENT_LOGS } from '../../test/support/logs.ts';
import { ProblemError } from '../problems/problem.ts';
import { limitRequestTime } from './request-deadline.ts';
import type { Routes } from './routes.ts';
import { createServer } from './server.ts';

const DEADLINE_MS = 300;
const MAX_BODY_BYTES = 1_000;
/** Takes thrice as long as the deadline allows. */
const SLOW = { bytes: 10, ms: 3 * DEADLINE_MS };

const refuse = async () => {
  throw new ProblemError('unauthorized', 'Nobody is let in here');
};

describe('a request whose body arrives in small parts now and then', () => {
  let server: Routes;
  let port: number;

  before(async () => {
    server = createServer({
      log: SILENT_LOGS.for('HttpServer'),
      maxBodyBytes: MAX_BODY_BYTES,
      trustedProxies: [],
      basePath: '',
      requestDeadlineMs: DEADLINE_MS,
    });
    const isUpload = { isUpload: true };
    server.post('/things', async () => ({}));
    server.post('/uploads', { config: isUpload }, async () => ({}));
    server.post('/refused', { config: isUpload, onRequest: refuse }, async () => ({}));
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    port = Number(new URL(url).port);
  });
  after(() => server.close());

  test('is ended at the deadline', async () => {
    assert.match(await drip(port, { path: '/things', ...SLOW }), /^HTTP\/1\.1 408 /);
  });

  test('is ended at the deadline, too, when it was refused before, or there is nothing at the path', async () => {
    assert.match(await drip(port, { path: '/refused', ...SLOW }), /^HTTP\/1\.1 401 /);
    assert.match(await drip(port, { path: '/nothing', ...SLOW }), /^HTTP\/1\.1 404 /);
  });

  test('may continue if it is an upload', async () => {
    assert.match(await drip(port, { path: '/uploads', ...SLOW }), /^HTTP\/1\.1 200 /);
  });
});

describe('a request to a server that expects slow connections', () => {
  let server: FastifyInstance;
  let port: number;

  before(async () => {
    server = fastify({ bodyLimit: MAX_BODY_BYTES });
    limitRequestTime(server, DEADLINE_MS, { slowestBytesPerMs: 0.01 });
    server.post('/things', async () => ({}));
    server.post('/refused', { onRequest: refuse }, async () => ({}));
    // Fastify ends a connection itself if a body that it reads is too large. It does not read one of GET.
    server.get('/things', async ({ raw }) => {
      await finished(raw.resume(), { error: false });
      return {};
    });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    port = Number(new URL(url).port);
  });
  after(() => server.close());

  test('may take as much longer as its body needs', async () => {
    assert.match(await drip(port, { path: '/things', bytes: 100, ms: SLOW.ms }), /^HTTP\/1\.1 200 /);
  });

  test('is ended after that time', async () => {
    assert.match(await drip(port, { path: '/things', ...SLOW, sent: 9 }), /^HTTP\/1\.1 408 /);
  });

  test('is ended at the deadline if it was refused', async () => {
    const huge = { bytes: 1_000_000, sent: 10, ms: SLOW.ms };
    assert.match(await drip(port, { path: '/refused', ...huge }), /^HTTP\/1\.1 500 /);
  });

  test('is ended at the deadline if its body is larger than the route accepts', async () => {
    const large = { method: 'GET', path: '/things', bytes: MAX_BODY_BYTES + 1, ms: SLOW.ms };
    assert.match(await drip(port, large), /^HTTP\/1\.1 408 /);
  });
});
