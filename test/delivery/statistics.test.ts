import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RunningClock } from '../support/clock.ts';
import { borrowTestService } from '../support/lent-service.ts';
import { type Api, startTestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer, failTimes } from '../support/target-behaviours.ts';
import {
  createAccounts,
  createWebhook,
  retryHead,
  settledDeliveries,
  statisticsOf,
  untilLineEmpty,
  updateWebhook,
} from './webhook-helpers.ts';

const LONG_RETRIES = { retry_initial_delay: 60, retry_max_delay: 60 };

async function isInError(api: Api, id: number): Promise<boolean> {
  const { body } = await api.get(`/webhooks/${id}`);
  return body.in_error;
}

function untilErrors(api: Api, id: number, count: number): Promise<true> {
  return until(
    async () => (await statisticsOf(api, id)).error_count === count,
    `${count} errors are counted`,
  );
}

describe('the statistics of a webhook', () => {
  it('count every attempt, including failed ones that are retried', async () => {
    await using target = await startTarget({ respondWith: failTimes(3) });
    await using service = await borrowTestService();
    const { api } = service;
    const id = await createWebhook(api, target.url);
    const before = await statisticsOf(api, id);
    assert.deepEqual(
      [before.success_count, before.error_count, before.last_success_dt, before.last_error_dt],
      [0, 0, null, null],
    );
    await createAccounts(api, 'a', 'b');
    await settledDeliveries(api, id, 2);
    const after = await statisticsOf(api, id);
    assert.deepEqual([after.success_count, after.error_count], [2, 3]);
    assert.equal(after.statistics_valid_from_dt, before.statistics_valid_from_dt);
    assert.ok(after.last_success_dt! > after.last_error_dt!);
    assert.match(after.last_error_message ?? '', /500 Internal Server Error$/);
  });

  it('count the last attempt of a message that is dead-lettered', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService();
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 3 });
    await createAccounts(api, 'a', 'b');
    await settledDeliveries(api, id, 2);
    const { success_count, error_count } = await statisticsOf(api, id);
    assert.deepEqual([success_count, error_count], [0, 6]);
  });

  it('agree with the history in every case', async () => {
    await using target = await startTarget({
      respondWith: ({ response }) => {
        response.statusCode = Math.random() < 0.4 ? 500 : 200;
        response.end();
      },
    });
    await using service = await borrowTestService({
      settings: { retry_initial_delay: 0.001, retry_max_delay: 0.002 },
    });
    const { api } = service;
    const ids = await Promise.all(
      [1, 2, 3].map((max) => createWebhook(api, target.url, { max_attempts: max })),
    );
    await Promise.all(
      Array.from({ length: 40 }, (_, number) => api.create('/accounts', { name: `n${number}` })),
    );
    for (const id of ids) {
      const deliveries = await settledDeliveries(api, id, 40);
      const delivered = deliveries.filter((delivery) => delivery.status === 'DELIVERED').length;
      const attempts = deliveries.reduce((sum, delivery) => sum + delivery.attempts, 0);
      const { success_count, error_count } = await statisticsOf(api, id);
      assert.deepEqual([success_count, error_count], [delivered, attempts - delivered]);
    }
  });

  it('are counted for each webhook separately', async () => {
    await using target = await startTarget();
    await using bad = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService();
    const { api } = service;
    const good = await createWebhook(api, target.url);
    const failed = await createWebhook(api, bad.url, { max_attempts: 1 });
    await createAccounts(api, 'a');
    await settledDeliveries(api, good, 1);
    await settledDeliveries(api, failed, 1);
    assert.equal((await statisticsOf(api, good)).error_count, 0);
    assert.equal((await statisticsOf(api, failed)).success_count, 0);
  });
});

describe('a webhook', () => {
  it('is in error from a failure until the next success', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    assert.equal(await isInError(api, id), false);
    await createAccounts(api, 'a');
    await untilErrors(api, id, 1);
    assert.equal(await isInError(api, id), true);

    target.respondWith(answer(200));
    await retryHead(api, id);
    await untilLineEmpty(api, id);
    assert.equal(await isInError(api, id), false);
    assert.equal((await statisticsOf(api, id)).error_count, 1);
  });

  it('is no longer in error once it is edited, until it fails again', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a');
    await untilErrors(api, id, 1);
    await updateWebhook(api, id, target.url, { name: 'Edited' });
    assert.equal(await isInError(api, id), false);
    assert.equal((await statisticsOf(api, id)).error_count, 1);

    await retryHead(api, id);
    await untilErrors(api, id, 2);
    assert.equal(await isInError(api, id), true);
  });

  it('keeps its error state when its statistics are reset', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await api.post(`/webhooks/${id}/statistics/reset`);
    assert.equal(await isInError(api, id), false);
    await createAccounts(api, 'a');
    await untilErrors(api, id, 1);

    const begun = Date.now();
    const { status, body } = await api.post(`/webhooks/${id}/statistics/reset`);
    assert.equal(status, 200);
    assert.deepEqual(
      { ...body, statistics_valid_from_dt: '' },
      {
        statistics_valid_from_dt: '',
        success_count: 0,
        last_success_dt: null,
        error_count: 0,
        last_error_dt: null,
        last_error_message: null,
      },
    );
    assert.ok(Date.parse(body.statistics_valid_from_dt) >= begun);
    assert.equal(await isInError(api, id), true);

    await retryHead(api, id);
    await untilErrors(api, id, 1);
  });

  for (const [what, status] of [
    ['success', 200],
    ['failure', 500],
  ] as const) {
    it(`never show a last ${what} earlier than their start, even if a delivery ends during a reset`, async () => {
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
      const { promise: mayAnswer, resolve: answerNow } = Promise.withResolvers<void>();
      await using target = await startTarget({
        respondWith: ({ response }) => {
          arrive();
          response.statusCode = status;
          void mayAnswer.then(() => response.end());
        },
      });
      const clock = new RunningClock();
      await using service = await startTestService({
        now: clock.now,
        settings: LONG_RETRIES,
      });
      const { api } = service;
      const id = await createWebhook(api, target.url);
      await createAccounts(api, 'a');
      await arrived;
      // The attempt ends by a clock that has not come as far as the one by which the period began.
      clock.aheadMs = 60_000;
      assert.equal((await api.post(`/webhooks/${id}/statistics/reset`)).status, 200);
      clock.aheadMs = 0;
      answerNow();
      const after = await until(async () => {
        const statistics = await statisticsOf(api, id);
        return statistics.success_count + statistics.error_count === 1 && statistics;
      }, 'the attempt is counted');
      const last = status === 200 ? after.last_success_dt : after.last_error_dt;
      assert.equal(last, after.statistics_valid_from_dt);
    });
  }

  it('stay consistent while requests reset them during deliveries', async () => {
    await using target = await startTarget({
      respondWith: ({ response }) => {
        response.statusCode = Math.random() < 0.5 ? 500 : 200;
        response.end();
      },
    });
    await using service = await borrowTestService({
      settings: { retry_initial_delay: 0.001, retry_max_delay: 0.002 },
    });
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 1_000 });
    const deliver = async () => {
      for (let n = 0; n < 60; n++) await createAccounts(api, `n${n}`);
    };
    let isOver = false;
    const look = async () => {
      while (!isOver) {
        const reset = await api.post(`/webhooks/${id}/statistics/reset`);
        assert.equal(reset.body.success_count + reset.body.error_count, 0);
        const after = await statisticsOf(api, id);
        for (const last of [after.last_success_dt, after.last_error_dt]) {
          assert.ok(last === null || last >= after.statistics_valid_from_dt, JSON.stringify(after));
        }
        assert.equal(after.success_count > 0, after.last_success_dt !== null);
        assert.equal(after.error_count > 0, after.last_error_dt !== null);
      }
    };
    await Promise.all([Promise.all([deliver(), deliver()]).finally(() => (isOver = true)), look(), look()]);
  });
});
