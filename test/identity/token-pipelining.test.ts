import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchangeBytes } from '../support/raw-http.ts';
import { createClient, startTestService } from '../support/service.ts';
import { basic } from './identity-helpers.ts';
import { FORM, GRANT } from './token-requests.ts';

// Runs on SQLite in `npm test`: it is about one connection. The tests of the token endpoint look clients up on both.

test('the token endpoint rejects the 17th request that waits on a connection with 429, and ends the connection', async () => {
  await using service = await startTestService();
  // Its first token in a minute waits for a write, and later responses wait for the first one.
  const { clientId, clientSecret } = await createClient(service.settings.data_dir);
  const { host } = new URL(service.url);
  const body = new URLSearchParams(GRANT).toString();
  const head = [
    'POST /public/v1/auth HTTP/1.1',
    `Host: ${host}`,
    `Authorization: ${basic(clientId, clientSecret)}`,
    `Content-Type: ${FORM}`,
    `Content-Length: ${body.length}`,
  ];
  const requests = `${head.join('\r\n')}\r\n\r\n${body}`.repeat(20);
  const answers = (await exchangeBytes(service.url, requests)).split(/(?=HTTP\/1\.1 )/);

  const statuses = answers.map((answer) => answer.slice('HTTP/1.1 '.length).slice(0, 3));
  assert.deepEqual(statuses, [...Array.from({ length: 16 }, () => '200'), '429']);
  const last = answers.at(-1) ?? '';
  assert.match(last, /^connection: close\r$/im);
  assert.match(last, /^retry-after: 1\r$/im);
  assert.match(last, /^cache-control: no-store\r$/im);
  assert.match(last, /"error":"temporarily_unavailable"/);
  assert.deepEqual(
    service.logLines.filter(({ level }) => level === 'error'),
    [],
  );
});
