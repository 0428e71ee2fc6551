import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fastify, type InjectOptions } from 'fastify';
import { serviceOrigin } from './origin.ts';

/** The origin at which a request with these header fields sees a service that trusts `proxy`. */
async function originSeen(
  baseUrl: string | null,
  headers: NonNullable<InjectOptions['headers']>,
  proxy: string | false = false,
): Promise<string> {
  await using app = fastify({ trustProxy: proxy });
  const origin = serviceOrigin(baseUrl);
  app.get('/', async (request) => origin(request));
  return (await app.inject({ url: '/', headers })).body;
}

describe('the origin of the service', () => {
  test('is that of base_url if that is set, whatever the request contains', async () => {
    const seen = await originSeen('https://wire.example.com:8443/a/b', { host: 'evil.example' });
    assert.equal(seen, 'https://wire.example.com:8443');
    assert.equal(await originSeen('https://wire.example.com:443', {}), 'https://wire.example.com');
  });

  test('is the request’s Host otherwise', async () => {
    assert.equal(await originSeen(null, { host: '127.0.0.1:8080' }), 'http://127.0.0.1:8080');
    assert.equal(await originSeen(null, { host: 'localhost' }), 'http://localhost');
  });

  test('is the one from a trusted proxy, and from nobody else', async () => {
    const headers = {
      host: '10.0.0.1:8080',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'wire.example.com',
      'x-forwarded-for': '192.0.2.1',
    };
    assert.equal(await originSeen(null, headers, '127.0.0.1'), 'https://wire.example.com');
    assert.equal(await originSeen(null, headers), 'http://10.0.0.1:8080');
    assert.equal(await originSeen(null, headers, '10.9.9.9'), 'http://10.0.0.1:8080');
  });
});
