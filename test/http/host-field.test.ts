import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exchangeBytes } from '../support/raw-http.ts';
import { startTestService } from '../support/service.ts';

// Runs on SQLite alone: the requests are rejected before any query.

/** The status of the response to a GET request with these `Host` fields. */
async function statusOf(origin: string, path: string, hosts: readonly string[]): Promise<number> {
  const fields = hosts.map((host) => `Host: ${host}\r\n`).join('');
  const response = await exchangeBytes(origin, `GET ${path} HTTP/1.1\r\n${fields}Connection: close\r\n\r\n`);
  return Number(response.slice('HTTP/1.1 '.length).slice(0, 3));
}

describe('a request with two Host fields or an invalid one', () => {
  it('is rejected with 400 by every part of the service', async () => {
    await using service = await startTestService();
    const places = [
      [service.url, '/.well-known/oauth-authorization-server'],
      [service.url, '/public/v1/auth'],
      [service.url, '/accounts'],
      [service.url, '/xapi/about'],
      [service.url, '/ui/'],
      [service.url, '/health/ready'],
      [service.service.contentUrl!, '/xapi/about'],
      [service.service.contentUrl!, '/no-token/content/index.html'],
      [service.service.contentUrl!, '/health/ready'],
    ] as const;
    for (const [origin, path] of places) {
      const { host } = new URL(origin);
      assert.notEqual(await statusOf(origin, path, [host]), 400, path);
      for (const hosts of [[host, host], [host, 'other.example'], ['me@a'], ['a b'], ['"a"']])
        assert.equal(await statusOf(origin, path, hosts), 400, `${path} with ${hosts.join(' and ')}`);
    }
  });
});
