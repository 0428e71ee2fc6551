import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { connectTo } from '../support/raw-http.ts';
import { startTestService } from '../support/service.ts';

const TOKEN = 'monitoring-token-of-the-tests';

// Runs on SQLite alone: the responses do not depend on the database.

describe('a service with a monitoring token', () => {
  it('shows metrics and single checks only with the token, and its readiness to everyone', async () => {
    await using service = await startTestService({ settings: { monitoring_token: TOKEN } });
    const read = (path: string, authorization?: string) =>
      fetch(`${service.url}${path}`, authorization === undefined ? {} : { headers: { authorization } });
    for (const wrong of [undefined, 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`]) {
      const metrics = await read('/metrics', wrong);
      assert.deepEqual([metrics.status, metrics.headers.get('www-authenticate')], [401, 'Bearer']);
      const ready = await read('/health/ready', wrong);
      assert.deepEqual([ready.status, await ready.json()], [200, { status: 'ok' }]);
    }
    const metrics = await read('/metrics', `Bearer ${TOKEN}`);
    assert.equal(metrics.status, 200);
    assert.match(await metrics.text(), /^coursewire_queue_depth 0$/m);
    const ready = (await (await read('/health/ready', `bearer ${TOKEN}`)).json()) as { checks: object };
    assert.ok('database' in ready.checks);
  });
});

describe('a service whose public address is https', () => {
  it('sends Strict-Transport-Security for its host', async () => {
    await using service = await startTestService({ settings: { base_url: 'https://learn.example.com' } });
    for (const path of ['/health/live', '/accounts', '/nothing', '/ui/'])
      assert.equal(
        (await fetch(`${service.url}${path}`)).headers.get('strict-transport-security'),
        'max-age=31536000',
        path,
      );
  });

  it('sends it for the content origin, which has its own address', async () => {
    const settings = { base_url: 'http://localhost:1', content_base_url: 'https://content.example.com' };
    await using service = await startTestService({ settings });
    const port = service.logLines.find(({ contentPort }) => contentPort !== undefined)?.contentPort;
    const of = async (url: string) => (await fetch(url)).headers.get('strict-transport-security');
    assert.equal(await of(`http://127.0.0.1:${port}/x/player/`), 'max-age=31536000');
    assert.equal(await of(`${service.url}/health/live`), null);
  });

  it('sends it only with https', async () => {
    await using service = await startTestService();
    assert.equal((await fetch(`${service.url}/health/live`)).headers.get('strict-transport-security'), null);
  });
});

describe('connections of clients', () => {
  for (const origin of ['the service', 'the content origin']) {
    it(`to ${origin} are closed beyond max_connections, and open ones continue to work`, async () => {
      await using service = await startTestService({ settings: { max_connections: 10 } });
      const url = origin === 'the service' ? service.url : service.service.contentUrl;
      const sockets = Array.from({ length: 30 }, () => connectTo(url));
      const open = new Set(sockets);
      for (const socket of sockets) socket.once('close', () => open.delete(socket));
      await Promise.all(sockets.map(answeredOrClosed));
      assert.ok(open.size > 0 && open.size <= 10, `${open.size} are open`);
      for (const socket of sockets) socket.destroy();
    });
  }
});

/** Resolves when the socket has received a response, or has closed. */
function answeredOrClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('data', () => resolve()).once('close', () => resolve());
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
  });
}
