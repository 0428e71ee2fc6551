import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { basic } from '../support/basic.ts';
import type { LogLine } from '../support/logs.ts';
import { startTestService } from '../support/service.ts';

// Runs on SQLite alone: no row is written.

/** More than an address has lines for. */
const GUESSES = 150;
const LINES = 100;

/** What a stranger may repeat without end, and the line about it. */
const STRANGERS = [
  {
    what: 'requests for access tokens',
    path: '/public/v1/auth',
    request: { method: 'POST', body: new URLSearchParams({ grant_type: 'client_credentials' }) },
    line: 'access token refused',
  },
  {
    what: 'requests with Basic credentials',
    path: '/xapi/statements',
    request: { headers: { authorization: basic('guess', 'guess') } },
    line: 'Basic credentials refused',
  },
] as const;

describe('a stranger', () => {
  for (const { what, path, request, line } of STRANGERS) {
    it(`does not fill the log with ${what}`, async () => {
      await using service = await startTestService({ settings: { trusted_proxies: ['127.0.0.1'] } });
      const ask = async (address: string) => {
        const headers = { ...('headers' in request ? request.headers : {}), 'x-forwarded-for': address };
        const response = await fetch(service.url + path, { ...request, headers });
        await response.arrayBuffer();
        assert.ok(response.status === 400 || response.status === 401, String(response.status));
      };
      for (let n = 0; n < GUESSES; n++) await ask('192.0.2.1');
      await ask('192.0.2.2');
      const lines = service.logLines.filter(({ msg }) => msg === line);
      const ofAddress = (wanted: string) => lines.filter(({ address }: LogLine) => address === wanted).length;
      assert.ok(ofAddress('192.0.2.1') >= LINES, `${ofAddress('192.0.2.1')} lines`);
      // A line is due every ten seconds, and a slow machine may need longer.
      assert.ok(ofAddress('192.0.2.1') < GUESSES, `${ofAddress('192.0.2.1')} lines`);
      assert.equal(ofAddress('192.0.2.2'), 1, 'others are logged as before');
    });
  }
});
