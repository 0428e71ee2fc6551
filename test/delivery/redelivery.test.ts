import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import type { Database } from '../../src/database/database.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { RedeliveryService } from '../../src/webhooks/history/redelivery-service.ts';
import { openDatabaseOf } from '../support/database.ts';
import { eachPage } from '../support/each-page.ts';
import { borrowTestService } from '../support/lent-service.ts';
import { beginTransaction, countWaiting } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { type Api, startTestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer, hang, when } from '../support/target-behaviours.ts';
import {
  accountNames,
  accountsOf,
  createAccounts,
  createWebhook,
  type DeliveryRecord,
  deliveriesOf,
  LONG_RETRIES,
  settledDeliveries,
  skipOnceFree,
  statisticsOf,
  untilLineEmpty,
  untilRetrying,
  updateWebhook,
} from './webhook-helpers.ts';

function attemptedInOrder(delivery: DeliveryRecord | undefined): void {
  const moments = delivery!.attempt_history.map((attempt) => attempt.attempted_dt);
  assert.deepEqual(moments, moments.toSorted());
}

/** Makes a webhook with this many dead letters, and stops the service. Returns the webhook's id. */
async function leaveDeadLetters(dataDir: string, count: number): Promise<number> {
  await using target = await startTarget({ respondWith: answer(500) });
  await using service = await startTestService({ dataDir });
  const id = await createWebhook(service.api, target.url, { max_attempts: 1 });
  await createAccounts(service.api, ...accountNames(count));
  await settledDeliveries(service.api, id, count);
  return id;
}

function queueOn(database: Database): DatabaseQueue {
  return new DatabaseQueue({ database, maxReceives: 1_000, now: Date.now });
}

/** The redelivery service of an instance. */
function redeliveryOn(database: Database): RedeliveryService {
  const webhooks = { assertWritable: () => {} };
  return new RedeliveryService({ database, lines: queueOn(database), webhooks, now: Date.now });
}

/**
 * Redelivers all messages of a webhook, this many at a time, and waits for their outcomes after each call. Returns how
 * many each call redelivered.
 */
async function redeliverStepwise(api: Api, id: number, limit: number): Promise<number[]> {
  const steps: number[] = [];
  const redelivery = `/webhooks/${id}/deliveries/redeliver?limit=${limit}`;
  for await (const body of eachPage((step) => api.post(step), redelivery)) {
    assert.equal(body.remaining === 0, body.next_cursor === null, JSON.stringify(body));
    steps.push(body.redelivered);
    await untilLineEmpty(api, id);
  }
  return steps;
}

describe('redelivering one message', () => {
  it('sends the same message with the same id behind the waiting ones, and its history has all attempts', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService();
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 2 });
    await createAccounts(api, 'first');
    const [dead] = await settledDeliveries(api, id, 1);
    target.respondWith(answer(200));
    const again = await api.post(`/webhooks/${id}/deliveries/${dead!.id}/redeliver`);
    assert.equal(again.status, 202);
    assert.equal(again.body.status, 'QUEUED');
    await target.waitFor(3);
    const [delivery] = await settledDeliveries(api, id, 1);
    assert.deepEqual([delivery?.status, delivery?.status_reason, delivery?.attempts], ['DELIVERED', null, 3]);
    assert.deepEqual(
      delivery?.attempt_history.map((each) => [each.attempt, each.response_status]),
      [
        [1, 500],
        [2, 500],
        [3, 200],
      ],
    );
    attemptedInOrder(delivery);
    const [first, , third] = target.requests;
    assert.equal(third?.headers['webhook-id'], first?.headers['webhook-id']);
    assert.equal(third?.text, first?.text);
    const { success_count, error_count } = await statisticsOf(api, id);
    assert.deepEqual([success_count, error_count], [1, 2]);
  });

  it('gives it the full number of attempts again', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService();
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 2 });
    await createAccounts(api, 'a');
    for (let round = 1; round <= 3; round++) {
      const [dead] = await settledDeliveries(api, id, 1);
      assert.deepEqual([dead?.status, dead?.attempts], ['DEAD_LETTERED', 2 * round]);
      assert.equal(dead?.attempt_history.length, 2 * round);
      await api.post(`/webhooks/${id}/deliveries/${dead!.id}/redeliver`);
      await target.waitFor(2 * round + 1);
    }
  });

  it('works for a delivered message, too', async () => {
    await using target = await startTarget();
    await using service = await borrowTestService();
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a');
    const [delivered] = await settledDeliveries(api, id, 1);
    await api.post(`/webhooks/${id}/deliveries/${delivered!.id}/redeliver`);
    await target.waitFor(2);
    const [again] = await settledDeliveries(api, id, 1);
    assert.equal(again?.attempts, 2);
  });

  it('is rejected while it waits, if its webhook is inactive or deleted, and for another webhook', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const [id, other] = [await createWebhook(api, target.url), await createWebhook(api, target.url)];
    await createAccounts(api, 'a');
    await untilRetrying(api, id);
    const [waiting] = await deliveriesOf(api, id);
    const redeliver = (webhook: number) =>
      api.post(`/webhooks/${webhook}/deliveries/${waiting!.id}/redeliver`);
    assert.equal((await redeliver(id)).status, 409);
    assert.equal((await redeliver(other)).status, 404);

    await api.post(`/webhooks/${id}/line/skip`);
    await updateWebhook(api, id, target.url, { enabled: false });
    const inactive = await redeliver(id);
    assert.equal(inactive.status, 409);
    assert.match(inactive.body.detail, /inactive/);
    await api.delete(`/webhooks/${id}`);
    assert.equal((await redeliver(id)).status, 404);
  });

  it('happens once if it is requested twice at the same time', async () => {
    await using target = await startTarget();
    await using service = await borrowTestService({ settings: { shutdown_timeout: 0.01 } });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a');
    const [delivered] = await settledDeliveries(api, id, 1);
    target.respondWith(hang());
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => api.post(`/webhooks/${id}/deliveries/${delivered!.id}/redeliver`)),
    );
    assert.deepEqual(answers.map((each) => each.status).sort(), [202, 409, 409, 409, 409]);
  });
});

describe('redelivering all dead letters', () => {
  it('sends each message once if three instances receive the request at the same time', {
    skip: !ON_POSTGRES && 'one process has SQLite for itself',
  }, async () => {
    using folder = temporaryFolder();
    const id = await leaveDeadLetters(folder.path, 3);
    await using here = await openDatabaseOf(folder.path);
    await using there = await openDatabaseOf(folder.path);
    await using elsewhere = await openDatabaseOf(folder.path);
    const first = await beginTransaction(here);
    const all = [id, { statuses: ['DEAD_LETTERED'] }, { limit: 10, after: null }, COMMAND_LINE] as const;
    const ofHere = await redeliveryOn(here).redeliverMatching(...all, first.tx);
    assert.deepEqual(ofHere, { redelivered: 3, remaining: 0, next: null });
    const waiting = [
      redeliveryOn(there).redeliverMatching(...all),
      redeliveryOn(elsewhere).redeliverMatching(
        id,
        { statuses: ['DEAD_LETTERED'], updatedUntil: Date.now() },
        { limit: 10, after: null },
        COMMAND_LINE,
      ),
    ] as const;
    await until(async () => (await countWaiting(here)) === waiting.length, 'both others wait for the first');
    await first.commit();
    assert.deepEqual(await Promise.all(waiting), [
      { redelivered: 0, remaining: 0, next: null },
      { redelivered: 0, remaining: 0, next: null },
    ]);
    assert.equal((await queueOn(here).line(id)).depth, 3);
  });

  it('sends them in the order of their events behind the waiting messages, up to the requested number', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService();
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 1 });
    const names = accountNames(12);
    await createAccounts(api, ...names);
    await settledDeliveries(api, id, names.length);
    assert.deepEqual(accountsOf(target.requests), names);
    target.requests.length = 0;
    target.respondWith(answer(200));
    const redeliver = (query: string) => api.post(`/webhooks/${id}/deliveries/redeliver${query}`);
    const first = await redeliver('?limit=5');
    assert.equal(first.status, 202);
    const { next_cursor: cursor, ...counts } = first.body;
    assert.deepEqual(counts, { redelivered: 5, remaining: 7 });
    const nothing = { redelivered: 0, remaining: 0, next_cursor: null };
    assert.deepEqual((await redeliver('?status=DISCARDED')).body, nothing);
    assert.deepEqual((await redeliver(`?cursor=${cursor}`)).body, { ...nothing, redelivered: 7 });
    await settledDeliveries(api, id, names.length);
    assert.deepEqual(accountsOf(target.requests), names);
    assert.deepEqual((await redeliver('')).body, nothing);
  });

  it('sends each of them once, even if the first ones fail again', async () => {
    await using target = await startTarget({ respondWith: answer(400) });
    await using service = await borrowTestService();
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 1 });
    await createAccounts(api, 'refused 1', 'refused 2', 'c', 'd', 'e');
    await settledDeliveries(api, id, 5);
    target.requests.length = 0;
    target.respondWith(when(({ text }) => text.includes('refused'), answer(400), answer(200)));
    assert.deepEqual(await redeliverStepwise(api, id, 2), [2, 2, 1]);
    assert.deepEqual(accountsOf(target.requests), ['refused 1', 'refused 2', 'c', 'd', 'e']);
  });

  it('sends each of them once, even if the first ones are discarded again', async () => {
    await using target = await startTarget({ respondWith: answer(400) });
    await using service = await borrowTestService();
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 1, paused: true });
    await createAccounts(api, 'old 1', 'old 2', 'old 3');
    const last = Date.parse((await api.get(`/webhooks/${id}/line/messages`)).body.data.at(-1).event_dt);
    await until(() => Date.now() > last + 1, 'time passes');
    const ignore_before_dt = new Date(last + 1).toISOString();
    await createAccounts(api, 'new 1', 'new 2');
    await updateWebhook(api, id, target.url, { max_attempts: 1, ignore_before_dt });
    await settledDeliveries(api, id, 5);
    target.requests.length = 0;
    target.respondWith(answer(200));
    assert.deepEqual(await redeliverStepwise(api, id, 3), [3, 2]);
    assert.deepEqual(accountsOf(target.requests), ['new 1', 'new 2']);
  });

  it('sends them in the order of their events, even if they were dead-lettered in another one', async () => {
    await using target = await startTarget();
    await using service = await borrowTestService();
    const { api } = service;
    const names = ['a', 'b', 'c'];
    const ways = [
      () => '',
      () => '?status=DEAD_LETTERED&subtopic=ACCOUNT_CREATED',
      (ids: number[]) => `?${ids.map((id) => `delivery_id=${id}`).join('&')}`,
    ];
    for (const queryOf of ways) {
      const id = await createWebhook(api, target.url, { paused: true });
      await createAccounts(api, ...names);
      const { data: waiting } = (await api.get(`/webhooks/${id}/line/messages`)).body;
      for (const { position } of waiting.toReversed())
        await skipOnceFree(api, id, `line/messages/${position}/skip`);
      const query = queryOf((await deliveriesOf(api, id)).map((delivery) => delivery.id));
      const { body } = await api.post(`/webhooks/${id}/deliveries/redeliver${query}`);
      assert.deepEqual([body.redelivered, body.remaining], [3, 0], query);

      target.requests.length = 0;
      await updateWebhook(api, id, target.url);
      await untilLineEmpty(api, id);
      assert.deepEqual(accountsOf(target.requests), names, query);
      await api.delete(`/webhooks/${id}`);
    }
  });

  it('sends discarded ones too, in one order with the dead letters, and leaves delivered ones alone', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a', 'b', 'c');
    await untilRetrying(api, id);
    await updateWebhook(api, id, target.url, { enabled: false });
    await api.post(`/webhooks/${id}/line/retry`);
    const discarded = await settledDeliveries(api, id, 3);
    assert.ok(discarded.every((each) => each.status === 'DISCARDED'));

    target.respondWith(answer(200));
    await updateWebhook(api, id, target.url);
    await createAccounts(api, 'd');
    await settledDeliveries(api, id, 4);
    target.respondWith(answer(500));
    await createAccounts(api, 'e');
    await untilRetrying(api, id);
    await api.post(`/webhooks/${id}/line/skip`);

    target.requests.length = 0;
    target.respondWith(answer(200));
    const { body } = await api.post(`/webhooks/${id}/deliveries/redeliver`);
    assert.deepEqual(body, { redelivered: 4, remaining: 0, next_cursor: null });
    const all = await settledDeliveries(api, id, 5);
    assert.deepEqual(accountsOf(target.requests), ['a', 'b', 'c', 'e']);
    for (const each of all) attemptedInOrder(each);
  });
});
