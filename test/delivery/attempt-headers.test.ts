import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { borrowTestService } from '../support/lent-service.ts';

import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { createAccounts, createWebhook, settledDeliveries } from './webhook-helpers.ts';

// Runs on SQLite alone: the stored headers are chosen before the attempt is stored.

const SECRET = 'correct-horse-battery';
const HEADERS = {
  'content-type': 'text/plain',
  'x-request-id': 'r-1',
  'set-cookie': 'session=abc',
  'x-echo': `you sent ${SECRET}`,
};

interface Header {
  name: string;
  value: string;
}

const headerOf = (headers: readonly Header[] | null, name: string) =>
  headers?.find((header) => header.name.toLowerCase() === name)?.value;

/** The last attempt of one delivery, to a target that responds with this status and headers. */
async function attempt(status: number, input: Record<string, unknown> = {}) {
  await using target = await startTarget({ respondWith: answer(status, { headers: HEADERS }) });
  await using service = await borrowTestService();
  const { api } = service;
  const id = await createWebhook(api, target.url, {
    max_attempts: 1,
    authentication: { type: 'BASIC', key: 'crm', secret: SECRET },
    ...input,
  });
  await createAccounts(api, 'a');
  const [delivery] = await settledDeliveries(api, id, 1);
  return delivery!.attempt_history.at(-1)!;
}

describe('the headers of an attempt', () => {
  it('are in the history of a failed attempt, without credentials', async () => {
    const { request_headers: sent, response_headers: received } = await attempt(500);
    assert.equal(headerOf(sent, 'content-type'), 'application/json');
    assert.equal(headerOf(sent, 'authorization'), '[censored]');
    assert.match(headerOf(sent, 'webhook-id') ?? '', /^[\w-]{36}$/);
    assert.deepEqual(
      ['content-type', 'x-request-id', 'set-cookie', 'x-echo'].map((name) => headerOf(received, name)),
      ['text/plain', 'r-1', '[censored]', 'you sent [censored]'],
    );
    assert.doesNotMatch(JSON.stringify([sent, received]), new RegExp(SECRET));
  });

  for (const [mode, status, kept] of [
    ['FULLONERROR', 204, false],
    ['FULL', 204, true],
    ['FULL', 500, true],
    ['SUMMARY', 500, false],
    ['NONE', 500, false],
  ] as const)
    it(`are ${kept ? 'kept' : 'not kept'} in the logging mode ${mode} at the status ${status}`, async () => {
      const { request_headers: sent, response_headers: received } = await attempt(status, {
        logging_mode: mode,
      });
      assert.deepEqual([sent !== null, received !== null], [kept, kept]);
    });

  it('of a target that sends no response are those of the request alone', async () => {
    await using service = await borrowTestService();
    const { api } = service;
    const closed = await startTarget();
    await closed[Symbol.asyncDispose]();
    const id = await createWebhook(api, closed.url, { max_attempts: 1 });
    await createAccounts(api, 'a');
    const [delivery] = await settledDeliveries(api, id, 1);
    const last = delivery!.attempt_history.at(-1)!;
    assert.equal(headerOf(last.request_headers, 'content-type'), 'application/json');
    assert.equal(last.response_headers, null);
  });

  it('are kept with their attempt when another one follows', async () => {
    let count = 0;
    await using target = await startTarget({
      respondWith: (exchange) => {
        count += 1;
        answer(500, { headers: { 'x-count': String(count) } })(exchange);
      },
    });
    await using service = await borrowTestService({
      settings: { retry_initial_delay: 0.05, retry_max_delay: 0.05 },
    });
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 3 });
    await createAccounts(api, 'a');
    const [delivery] = await settledDeliveries(api, id, 1);
    assert.deepEqual(
      delivery!.attempt_history.map((each) => headerOf(each.response_headers, 'x-count')),
      ['1', '2', '3'],
    );
  });
});
