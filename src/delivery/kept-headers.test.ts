import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CENSORED } from '../observability/censor.ts';
import { basicAuthorization } from './basic-credentials.ts';
import { keptHeaders, type ResponseHeaders, type SentAndReceived } from './kept-headers.ts';

const CREDENTIALS = { key: 'crm', secret: 'correct horse' };
const TARGET_URL = 'https://target.example/hook?code=hunter22';

function keep(responseHeaders: ResponseHeaders | null, others: Partial<SentAndReceived> = {}) {
  return keptHeaders({
    requestHeaders: [],
    responseHeaders,
    credentials: CREDENTIALS,
    targetUrl: TARGET_URL,
    ...others,
  });
}

describe('the headers that the history keeps', () => {
  it('are those that were sent and received, in order, repeated ones too', () => {
    const kept = keep(
      { 'content-type': 'text/plain', 'x-request-id': '42', via: ['a', 'b'] },
      { requestHeaders: ['Content-Type', 'application/json', 'webhook-id', 'm-1'] },
    );
    assert.deepEqual(kept, {
      request: [
        { name: 'Content-Type', value: 'application/json' },
        { name: 'webhook-id', value: 'm-1' },
      ],
      response: [
        { name: 'content-type', value: 'text/plain' },
        { name: 'x-request-id', value: '42' },
        { name: 'via', value: 'a' },
        { name: 'via', value: 'b' },
      ],
    });
    assert.equal(keep(null).response, null);
  });

  it('show no credential that was sent', () => {
    const { request } = keep(null, {
      requestHeaders: ['Authorization', basicAuthorization(CREDENTIALS), 'webhook-signature', 'v1,c2lnbmVk'],
    });
    assert.deepEqual(
      request.map(({ value }) => value),
      [CENSORED, CENSORED],
    );
  });

  for (const name of [
    'set-cookie',
    'x-api-key',
    'X-Auth-Token',
    'x-csrf-token',
    'proxy-authorization',
    'x-amz-security-token',
    'x-session-id',
    'x-client-secret',
    'x-hub-signature-256',
  ])
    it(`show that ${name} was there, but not its value`, () => {
      assert.deepEqual(keep({ [name]: 'looks harmless' }).response, [{ name, value: CENSORED }]);
    });

  for (const [value, shown] of [
    ['you sent Basic Y3JtOmNvcnJlY3QgaG9yc2U=', `you sent Basic ${CENSORED}`],
    ['you sent correct horse', `you sent ${CENSORED}`],
    ['Bearer abcdef.123456', CENSORED],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', CENSORED],
    ['https://me:pw@target.example/x', `https://${CENSORED}@target.example/x`],
    ['/login?next=%2F&state=abc', `/login?${CENSORED}`],
    ['code=hunter22', CENSORED],
    ['whsec_MfKQ9r8GKYqrTwjU', CENSORED],
  ] as const)
    it(`show "${value}" as "${shown}"`, () => {
      assert.deepEqual(keep({ 'x-echo': value }).response, [{ name: 'x-echo', value: shown }]);
    });

  it('include useful values: content types, realms, lifetimes, ids of requests', () => {
    const harmless = {
      'content-type': 'application/json; charset=utf-8',
      'www-authenticate': 'Basic realm="CRM"',
      'cache-control': 'no-store, max-age=0',
      'retry-after': '120',
      'cf-ray': '8c1-FRA',
    };
    assert.deepEqual(
      Object.fromEntries(keep(harmless).response!.map(({ name, value }) => [name, value])),
      harmless,
    );
  });

  it('are limited: a long value is truncated, and of very many only the first are kept', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x-${n}`, 'v'.repeat(1_000)]));
    const { response } = keep(many);
    assert.ok(response!.length < 10);
    assert.equal(response![0]!.value, `${'v'.repeat(499)}…`);
    assert.ok(JSON.stringify(response).length < 6_000);
    const short = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x-${n}`, 'v']));
    assert.equal(keep(short).response!.length, 50);
  });

  it('show no part of a credential that is cut in two', () => {
    // Only the beginning is examined. Of the last credential, that has too little to be recognized.
    const value = `Bearer ${'a'.repeat(1_981)} Bearer ${'s'.repeat(200)}`;
    assert.deepEqual(keep({ 'x-echo': value }).response, [{ name: 'x-echo', value: CENSORED }]);
  });

  it('have no control characters', () => {
    assert.deepEqual(keep({ 'x-a': 'one\u0000two\r\nthree' }).response, [
      { name: 'x-a', value: 'one two three' },
    ]);
  });
});
