import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { startTestService } from '../support/service.ts';

// Runs on SQLite alone: the requests are answered before anything is stored.

/** Sends a request with an unknown expectation. */
async function expecting(url: string, method: string, body = '') {
  const sent = request(url, {
    method,
    headers: {
      Expect: 'a-miracle',
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': body.length,
    },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode: status, headers } = response;
  return { status, headers, text: await text(response) };
}

describe('a request that expects something unknown', () => {
  test('is answered as if it expected nothing, on both ports', async () => {
    await using service = await startTestService();
    const refused = await expecting(`${service.url}/public/v1/auth`, 'POST', 'grant_type=password');
    assert.equal(refused.status, 400);
    assert.equal(refused.headers['cache-control'], 'no-store');
    assert.equal(JSON.parse(refused.text).error, 'unsupported_grant_type');

    const missing = await expecting(`${service.url}/nothing`, 'GET');
    assert.equal(missing.status, 404);
    assert.equal(missing.headers['content-type'], 'application/problem+json');

    const live = await expecting(`${service.service.contentUrl}/health/live`, 'GET');
    assert.equal(live.status, 200);
  });
});
