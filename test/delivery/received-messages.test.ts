import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { basic } from '../support/basic.ts';
import { openDatabaseOf } from '../support/database.ts';
import { borrowTestService, type LentService } from '../support/lent-service.ts';
import type { Api } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer, when } from '../support/target-behaviours.ts';
import {
  accountsOf,
  createAccounts,
  createWebhook,
  deliveriesOf,
  inFlight,
  LONG_RETRIES,
  lineOf,
  listDeliveries,
  retryHead,
  settledDeliveries,
  untilFailed,
  untilLineEmpty,
  updateWebhook,
} from './webhook-helpers.ts';

const BACKLOG = 3_000;
/**
 * Messages that are settled in one commit have the same time. Settled one by one, the backlog would have hundreds of
 * times.
 */
const MOST_COMMITS = 100;

describe('decisions when a message is received', () => {
  it('include the target: correcting the URL corrects the whole backlog', async () => {
    await using wrong = await startTarget({ respondWith: answer(404) });
    await using right = await startTarget();
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, wrong.url);
    await createAccounts(api, 'a', 'b', 'c');
    await untilFailed(api, id, 1);
    await updateWebhook(api, id, right.url);
    await right.waitFor(3);
    await untilLineEmpty(api, id);
    assert.deepEqual(accountsOf(right.requests), ['a', 'b', 'c']);
    assert.deepEqual(accountsOf(wrong.requests), ['a']);
    assert.equal(right.requests[0]?.headers['webhook-id'], wrong.requests[0]?.headers['webhook-id']);
    assert.equal(right.requests[0]?.text, wrong.requests[0]?.text, 'the message is as it was');
  });

  it('include the credentials', async () => {
    const expected = basic('user', 'new');
    await using target = await startTarget({
      respondWith: when(({ headers }) => headers.authorization === expected, answer(200), answer(401)),
    });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const authentication = (secret: string) => ({ authentication: { type: 'BASIC', key: 'user', secret } });
    const id = await createWebhook(api, target.url, authentication('old'));
    await createAccounts(api, 'a', 'b');
    await untilFailed(api, id, 1);
    await updateWebhook(api, id, target.url, authentication('new'));
    const [first, second] = await settledDeliveries(api, id, 2);
    assert.deepEqual([first?.status, first?.attempts], ['DELIVERED', 2]);
    assert.deepEqual([second?.status, second?.attempts], ['DELIVERED', 1]);
  });

  for (const { change, from, to, attempts } of [
    { change: 'lowered', from: 10, to: 2, attempts: 2 },
    { change: 'raised', from: 2, to: 3, attempts: 3 },
  ]) {
    it(`include the attempts: max_attempts ${change} applies to waiting messages`, async () => {
      await using target = await startTarget({ respondWith: answer(500) });
      await using service = await borrowTestService({ settings: LONG_RETRIES });
      const { api } = service;
      const id = await createWebhook(api, target.url, { max_attempts: from });
      await createAccounts(api, 'a');
      await untilFailed(api, id, 1);
      await updateWebhook(api, id, target.url, { max_attempts: to });
      for (let made = 2; made <= attempts; made += 1) {
        await retryHead(api, id);
        if (made < attempts) await untilFailed(api, id, made);
      }
      const [delivery] = await settledDeliveries(api, id, 1);
      assert.deepEqual([delivery?.status, delivery?.attempts], ['DEAD_LETTERED', attempts]);
      assert.equal(delivery?.status_reason, 'ATTEMPTS_EXHAUSTED');
      assert.equal(target.requests.length, attempts);
    });
  }

  for (const { what, reason, change } of [
    {
      what: 'deletion',
      reason: 'WEBHOOK_DELETED',
      change: (api: Api, id: number) => api.delete(`/webhooks/${id}`),
    },
    {
      what: 'deactivation',
      reason: 'WEBHOOK_INACTIVE',
      change: (api: Api, id: number, url: string) => updateWebhook(api, id, url, { enabled: false }),
    },
  ])
    it(`do not affect requests in flight: after a ${what}, the next attempt is due at once, and discards`, async () => {
      await using test = await inFlight();
      await change(test.api, test.id, test.target.url);
      test.fail();
      const deliveries = await settledDeliveries(test.api, test.id, 2);
      assert.deepEqual(
        deliveries.map((each) => [each.status, each.status_reason, each.attempts]),
        [
          ['DISCARDED', reason, 1],
          ['DISCARDED', reason, 0],
        ],
      );
      assert.equal(test.target.requests.length, 1);
    });

  it('include a URL that was corrected during a request: if that fails, the new target is tried at once', async () => {
    await using right = await startTarget();
    await using test = await inFlight();
    await updateWebhook(test.api, test.id, right.url);
    test.fail();
    await right.waitFor(2);
    await untilLineEmpty(test.api, test.id);
    assert.deepEqual(accountsOf(right.requests), ['a', 'b']);
    assert.equal(test.target.requests.length, 1);
  });

  it('include credentials that were corrected during a request: if that fails, they are tried at once', async () => {
    await using test = await inFlight();
    const { target } = test;
    await updateWebhook(test.api, test.id, target.url, {
      authentication: { type: 'BASIC', key: 'user', secret: 'new secret' },
    });
    target.respondWith(answer(200));
    test.fail();
    await target.waitFor(3);
    assert.deepEqual(accountsOf(target.requests), ['a', 'a', 'b']);
    assert.deepEqual(
      target.requests.map(({ headers }) => headers.authorization !== undefined),
      [false, true, true],
    );
  });

  it('include a signing secret that was replaced during a request: if that fails, it is used at once', async () => {
    await using test = await inFlight({ signed: true });
    const { target } = test;
    assert.equal((await test.api.post(`/webhooks/${test.id}/signing-secret`)).status, 200);
    target.respondWith(answer(200));
    test.fail();
    await target.waitFor(3);
    assert.deepEqual(
      target.requests.map(({ headers }) => String(headers['webhook-signature']).split(' ').length),
      [1, 2, 2],
      'the former secret also signs',
    );
  });

  it('do not include a new name: after a request that fails, the next attempt is due as before', async () => {
    await using test = await inFlight();
    await updateWebhook(test.api, test.id, test.target.url, { name: 'Renamed' });
    test.fail();
    await untilFailed(test.api, test.id, 1);
    const { head } = await lineOf(test.api, test.id);
    assert.ok(Date.parse(head.next_attempt_dt) > Date.now() + 1_000_000, head.next_attempt_dt);
    assert.equal(test.target.requests.length, 1);
  });

  it('include whether the webhook is active: waiting messages are discarded, later ones delivered', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a', 'b');
    await untilFailed(api, id, 1);
    await updateWebhook(api, id, target.url, { enabled: false });
    await createAccounts(api, 'triggers nothing');
    await settledDeliveries(api, id, 2);
    target.respondWith(answer(200));
    await updateWebhook(api, id, target.url);
    await createAccounts(api, 'c');
    await settledDeliveries(api, id, 3);
    assert.deepEqual(accountsOf(target.requests), ['a', 'c']);
  });

  it('include whether the webhook exists: after its deletion nothing is sent, and its history says so', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a', 'b');
    await untilFailed(api, id, 1);
    assert.equal((await api.delete(`/webhooks/${id}`)).status, 204);
    const made = target.requests.length;
    const deliveries = await settledDeliveries(api, id, 2);
    assert.deepEqual(
      deliveries.map((each) => [each.message.resource.account.name, each.status, each.status_reason]),
      [
        ['a', 'DISCARDED', 'WEBHOOK_DELETED'],
        ['b', 'DISCARDED', 'WEBHOOK_DELETED'],
      ],
    );
    assert.equal(target.requests.length, made);
    assert.equal((await api.get(`/webhooks/${id}`)).status, 404);
    assert.equal((await api.get(`/webhooks/${id}/line`)).status, 404);
    assert.equal((await api.post(`/webhooks/${id}/deliveries/redeliver`)).status, 404);
    assert.equal((await api.post(`/webhooks/${id}/deliveries/${deliveries[0]?.id}/redeliver`)).status, 404);
  });

  for (const { what, reason, change } of [
    {
      what: 'deleted',
      reason: 'WEBHOOK_DELETED',
      change: (api: Api, id: number) => api.delete(`/webhooks/${id}`),
    },
    {
      what: 'disabled',
      reason: 'WEBHOOK_INACTIVE',
      change: (api: Api, id: number, url: string) => updateWebhook(api, id, url, { enabled: false }),
    },
  ]) {
    it(`discard waiting messages as soon as the webhook is ${what}, whenever the next attempt was due`, async () => {
      await using target = await startTarget({ respondWith: answer(500) });
      await using service = await borrowTestService({ settings: LONG_RETRIES });
      const { api } = service;
      const id = await createWebhook(api, target.url);
      await createAccounts(api, 'a', 'b');
      await untilFailed(api, id, 1);
      await change(api, id, target.url);
      const deliveries = await settledDeliveries(api, id, 2);
      assert.deepEqual(
        deliveries.map((each) => [each.status, each.status_reason]),
        [
          ['DISCARDED', reason],
          ['DISCARDED', reason],
        ],
      );
      assert.equal(target.requests.length, 1);
    });
  }
});

/** Puts messages behind a head that failed, as events would, in one commit. */
async function addBacklog(service: LentService, lineId: number): Promise<void> {
  await using database = await openDatabaseOf(service.settings.data_dir);
  const queue = new DatabaseQueue({ database, maxReceives: 1_000, now: Date.now });
  const messages = Array.from({ length: BACKLOG - 1 }, (_, index) => ({
    lineId,
    messageId: randomUUID(),
    label: 'ACCOUNT_CREATED',
    body: JSON.stringify({ resource: { account: { name: `backlog-${index}` } } }),
    occurredAt: Date.now(),
  }));
  await database.transaction((tx) => queue.enqueue(tx, messages));
}

describe('messages of a long backlog', () => {
  for (const { what, change, reason } of [
    {
      what: 'that are too old',
      change: { ignore_before_dt: '2999-01-01T00:00:00Z' },
      reason: 'BEFORE_IGNORE_DT',
    },
    { what: 'of an inactive webhook', change: { enabled: false }, reason: 'WEBHOOK_INACTIVE' },
  ]) {
    it(`${what} are discarded in bulk, and each of them is reported in order`, async () => {
      await using target = await startTarget({ respondWith: answer(500) });
      await using service = await borrowTestService({ settings: LONG_RETRIES });
      const { api } = service;
      const id = await createWebhook(api, target.url, { logging_mode: 'NONE' });
      await createAccounts(api, 'head');
      await untilFailed(api, id, 1);
      await addBacklog(service, id);
      assert.equal((await lineOf(api, id)).depth, BACKLOG);
      await updateWebhook(api, id, target.url, { logging_mode: 'NONE', ...change });
      await untilLineEmpty(api, id);
      const list = await listDeliveries(api, id);
      const times = new Set(list.map((each) => each.updated_dt));
      assert.ok(times.size < MOST_COMMITS, `${times.size} different times`);
      assert.equal(list.length, BACKLOG);
      assert.ok(list.every((each) => each.status === 'DISCARDED' && each.status_reason === reason));
      assert.equal(target.requests.length, 1);
      const last = await api.get(`/webhooks/${id}/deliveries/${list.at(-1)?.id}`);
      assert.equal(last.body.message.resource.account.name, `backlog-${BACKLOG - 2}`);
    });
  }

  it('wait behind a head that fails', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a', 'b');
    await untilFailed(api, id, 1);
    await retryHead(api, id);
    await untilFailed(api, id, 2);
    assert.equal((await lineOf(api, id)).depth, 2);
    assert.equal((await deliveriesOf(api, id)).length, 1, 'what was not tried yet has no history');
  });
});
