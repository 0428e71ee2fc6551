import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LONG_RETRIES, settledDeliveries } from '../delivery/webhook-helpers.ts';
import { type Api, startTestService, type TestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { webhookInput } from './webhook-expectations.ts';

// Runs on SQLite in `npm test`: it is about lines of the log. The tests of decisions, lines and dead letters remove messages on both.

const MODES = ['NONE', 'SUMMARY', 'FULL', 'FULLONERROR'] as const;
type Mode = (typeof MODES)[number];
const ACCOUNTS = ['a', 'b', 'c', 'd', 'e'];
/** A webhook of each mode with five waiting messages, the first of them after a failed attempt. */
async function waitingWebhooks(api: Api, targetUrl: string): Promise<{ id: number; mode: Mode }[]> {
  const webhooks: { id: number; mode: Mode }[] = [];
  for (const mode of MODES) {
    const { id } = await api.create('/webhooks', webhookInput({ target_url: targetUrl, logging_mode: mode }));
    webhooks.push({ id, mode });
  }
  for (const name of ACCOUNTS) await api.create('/accounts', { name });
  for (const { id } of webhooks) {
    await until(async () => {
      const { body } = await api.get(`/webhooks/${id}/line`);
      return body.state === 'RETRYING' && body.depth === ACCOUNTS.length;
    }, `the first message of webhook ${id} failed once`);
  }
  return webhooks;
}

function linesOf(service: TestService, webhookId: number) {
  return service.logLines.filter(
    (line) => line.class === 'PostbackDelivery' && line.webhook_id === webhookId && !('attempt' in line),
  );
}

const accountOf = (message: { resource: { account: { name: string } } }) => message.resource.account.name;

const DISCARDS = {
  deleted: {
    reason: 'WEBHOOK_DELETED',
    says: /^ACCOUNT_CREATED for webhook \d+ discarded: the webhook was deleted$/,
    change: (api: Api, id: number) => api.delete(`/webhooks/${id}`),
  },
  inactive: {
    reason: 'WEBHOOK_INACTIVE',
    says: /^ACCOUNT_CREATED for webhook \d+ discarded: the webhook is inactive$/,
    change: (api: Api, id: number, record: object) =>
      api.put(`/webhooks/${id}`, { ...record, enabled: false }),
  },
  purged: {
    reason: 'PURGED',
    says: /^ACCOUNT_CREATED for webhook \d+ discarded: purged manually$/,
    change: (api: Api, id: number) => api.post(`/webhooks/${id}/line/purge`),
  },
  'of events that are ignored': {
    reason: 'BEFORE_IGNORE_DT',
    says: /^ACCOUNT_CREATED for webhook \d+ discarded: the event occurred before ignore_before_dt$/,
    change: (api: Api, id: number, record: object) =>
      api.put(`/webhooks/${id}`, { ...record, ignore_before_dt: '2099-01-01T00:00:00.000Z' }),
  },
} as const;

describe('the log of messages that are never sent', () => {
  for (const [name, { reason, says, change }] of Object.entries(DISCARDS)) {
    it(`has a line for each message of a webhook that is ${name}, in the webhook's mode`, async () => {
      await using target = await startTarget({ respondWith: answer(500) });
      await using service = await startTestService({ settings: LONG_RETRIES });
      const { api } = service;
      const webhooks = await waitingWebhooks(api, target.url);
      for (const { id } of webhooks) {
        const { body: record } = await api.get(`/webhooks/${id}`);
        assert.ok((await change(api, id, record)).status < 300);
      }
      for (const { id } of webhooks) await settledDeliveries(api, id, ACCOUNTS.length);
      await service.stop();

      for (const { id, mode } of webhooks) {
        const lines = linesOf(service, id);
        assert.equal(
          lines.length,
          mode === 'NONE' ? 0 : ACCOUNTS.length,
          `${mode}: ${JSON.stringify(lines)}`,
        );
        assert.equal(new Set(lines.map((line) => line.message_id)).size, lines.length);
        for (const line of lines) {
          assert.deepEqual([line.outcome, line.level, line.reason], ['discarded', 'info', reason]);
          assert.match(line.msg, says);
        }
        assert.deepEqual(
          lines.map((line) => (line.message === undefined ? null : accountOf(line.message))),
          mode === 'FULL' ? ACCOUNTS : lines.map(() => null),
          mode,
        );
      }
    });
  }

  it('has a line for a message that is moved to the dead-letter queue manually, in the webhook’s mode', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await startTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const webhooks = await waitingWebhooks(api, target.url);
    for (const { id } of webhooks) {
      const key = { 'idempotency-key': `skip-${id}` };
      for (const status of [200, 200])
        assert.equal((await api.post(`/webhooks/${id}/line/skip`, undefined, key)).status, status);
    }
    await service.stop();

    for (const { id, mode } of webhooks) {
      const lines = linesOf(service, id);
      assert.equal(lines.length, mode === 'NONE' ? 0 : 1, `${mode}: ${JSON.stringify(lines)}`);
      const [line] = lines;
      if (line === undefined) continue;
      assert.deepEqual([line.outcome, line.dead_lettered, line.reason], ['failure', true, 'SKIPPED']);
      assert.match(
        line.msg,
        /^ACCOUNT_CREATED for webhook \d+ moved to the dead-letter queue: skipped manually$/,
      );
      assert.equal(
        line.message === undefined ? null : accountOf(line.message),
        mode === 'SUMMARY' ? null : 'a',
      );
    }
  });
});
