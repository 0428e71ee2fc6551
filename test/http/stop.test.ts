import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startTestService } from '../support/service.ts';

// Runs on SQLite alone: the response does not depend on the database.

test('a client that does not read its response delays shutdown for at most shutdown_timeout', async () => {
  const service = await startTestService({ settings: { shutdown_timeout: 0.2 } });
  const { hostname, port } = new URL(service.url);
  const client = connect(Number(port), hostname);
  client.on('error', () => undefined);
  await once(client, 'connect');
  client.pause();
  // The answer is larger than what the sockets' buffers take.
  const request = 'GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n';
  client.write(request.repeat(8));
  await once(client, 'readable');

  const begun = performance.now();
  await service.stop();
  client.destroy();
  assert.ok(performance.now() - begun < 10_000);
});
