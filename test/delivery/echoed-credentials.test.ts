import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KIB } from '../../src/bytes.ts';
import { aroundTests } from '../support/around-tests.ts';
import { basic } from '../support/basic.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer, type Behaviour } from '../support/target-behaviours.ts';
import { createAccounts, createWebhook, LONG_RETRIES, statisticsOf } from './webhook-helpers.ts';

// Runs on SQLite alone: a response is censored before it is recorded.

const KEY = 'crm';
const SECRET = 'Zq7-sesame-sesame-sesame-sesame-9x';
/** How much of a body is read. */
const READ_BYTES = 64 * KIB;
/** The longest part of a status text that is shown. */
const SHOWN_STATUS = 199;
/** A shorter part of the secret occurs by chance. */
const PART = 6;

describe('credentials that a target returns', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: LONG_RETRIES }));
  });

  /** All that the service says about a failed test message and a failed delivery. */
  async function saidAbout(respondWith: Behaviour): Promise<string> {
    const { api } = service;
    await using target = await startTarget({ respondWith });
    const authentication = { type: 'BASIC', key: KEY, secret: SECRET };
    const id = await createWebhook(api, target.url, { authentication, logging_mode: 'FULL' });
    const tested = await api.post(`/webhooks/${id}/test`);
    assert.equal(tested.status, 200, JSON.stringify(tested.body));
    await createAccounts(api, 'Northwind');
    await until(async () => (await statisticsOf(api, id)).error_count === 1, 'a failed delivery');
    const deliveries = await api.get(`/webhooks/${id}/deliveries`);
    assert.equal(deliveries.body.data.length, 1, JSON.stringify(deliveries.body));
    const statistics = await statisticsOf(api, id);
    assert.equal((await api.delete(`/webhooks/${id}`)).status, 204);
    return JSON.stringify([tested.body, deliveries.body, statistics, service.logLines]);
  }

  const header = basic(KEY, SECRET).slice('Basic '.length);
  for (const [what, text] of [
    ['a secret', SECRET],
    ['a header field', header],
  ] as const) {
    for (const shown of [PART, Math.floor(text.length / 2), text.length - 1]) {
      it(`are not shown in part if a body ends after ${shown} characters of ${what}`, async () => {
        const body = `${'x'.repeat(READ_BYTES - shown)}${text} and so on`;
        const said = await saidAbout(answer(500, { body }));
        assert.match(said, /x{60000}/);
        assert.ok(!said.includes(text.slice(0, PART)), 'the beginning of the credentials is not shown');
      });

      it(`are not shown in part if a status text is cut after ${shown} characters of ${what}`, async () => {
        const statusText = `${'x'.repeat(SHOWN_STATUS - shown)}${text} and so on`;
        const said = await saidAbout(answer(500, { statusText }));
        assert.match(said, /500 x{100}/);
        assert.ok(!said.includes(text.slice(0, PART)), 'the beginning of the credentials is not shown');
      });
    }
  }
});
