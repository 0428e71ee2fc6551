import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { borrowTestService, type LentService } from '../support/lent-service.ts';
import { until } from '../support/service.ts';
import { type ReceivedPostback, startTarget, type Target } from '../support/target.ts';
import { answer, type Behaviour, close, failTimes, inTurn } from '../support/target-behaviours.ts';
import {
  accountsOf,
  createAccounts,
  createWebhook,
  deliveriesOf,
  settledDeliveries,
  untilLineEmpty,
  updateWebhook,
} from './webhook-helpers.ts';

// Runs on SQLite in `npm test`: the schedule is decided in the process. The contract of the queue postpones messages on both.

/** The share by which the delay before an attempt may be shorter than its step of the schedule. */
const JITTER = 0.2;
/** Timers and clocks may differ by this much, in milliseconds. */
const CLOCK_SLACK_MS = 5;

function gaps(requests: readonly ReceivedPostback[]): number[] {
  return requests.slice(1).map((request, index) => request.receivedAt - requests[index]!.receivedAt);
}

/** A target with this behaviour, a service, and a webhook that gets one message. */
async function failing(
  behaviour: Behaviour,
  webhook: Record<string, unknown> = {},
  settings: Parameters<typeof borrowTestService>[0] = {},
): Promise<{ target: Target; service: LentService; id: number } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const target = stack.use(await startTarget({ respondWith: behaviour }));
  const service = stack.use(await borrowTestService(settings));
  const id = await createWebhook(service.api, target.url, webhook);
  await createAccounts(service.api, 'Northwind');
  const opened = stack.move();
  return { target, service, id, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Waits until the head of the line has failed this many times and waits for its next attempt. */
async function untilRetrying({ api }: LentService, webhookId: number, attempts = 1): Promise<void> {
  await until(async () => {
    const { body: line } = await api.get(`/webhooks/${webhookId}/line`);
    return line.state === 'RETRYING' && line.head.attempts === attempts;
  }, `attempt ${attempts} failed`);
}

describe('a message that cannot be delivered', () => {
  it('is retried, doubling the delay up to its limit, until it is delivered', async () => {
    await using test = await failing(
      failTimes(5),
      {},
      { settings: { retry_initial_delay: 0.05, retry_max_delay: 0.2 } },
    );
    await test.target.waitFor(6);
    await untilLineEmpty(test.service.api, test.id);
    assert.equal(test.target.requests.length, 6);
    for (const [index, gap] of gaps(test.target.requests).entries()) {
      const step = Math.min(50 * 2 ** index, 200);
      assert.ok(gap >= step * (1 - JITTER) - CLOCK_SLACK_MS, `delay ${index + 1} is ${gap} ms`);
    }
    const [first] = test.target.requests;
    for (const request of test.target.requests) {
      assert.equal(request.headers['webhook-id'], first?.headers['webhook-id']);
      assert.equal(request.text, first?.text);
    }
  });

  it('blocks the messages behind it, in their order, and no others', async () => {
    await using other = await startTarget();
    // The other webhook must not wait for the attempt that succeeds.
    const succeed: Behaviour = (exchange) => void other.waitFor(3).then(() => answer(200)(exchange));
    await using target = await startTarget({ respondWith: failTimes(3, answer(500), succeed) });
    await using service = await borrowTestService({
      settings: { retry_initial_delay: 0.1, retry_max_delay: 0.1, delivery_timeout: 600 },
    });
    const { api } = service;
    await createWebhook(api, target.url);
    await createWebhook(api, other.url);
    await createAccounts(api, 'a', 'b', 'c');
    await other.waitFor(3);
    await target.waitFor(6);
    assert.deepEqual(accountsOf(target.requests), ['a', 'a', 'a', 'a', 'b', 'c']);
    assert.deepEqual(accountsOf(other.requests), ['a', 'b', 'c']);
  });

  const LIMITS: [maxAttempts: number, maxReceives: number, attempts: number][] = [
    [3, 1_000, 3],
    [10, 3, 3],
    [1, 1_000, 1],
    [4, 4, 4],
  ];
  for (const [maxAttempts, maxReceives, attempts] of LIMITS) {
    it(`goes to the dead-letter queue after ${attempts} attempts with max_attempts ${maxAttempts} and ${maxReceives} receives`, async () => {
      await using test = await failing(
        answer(503),
        { max_attempts: maxAttempts },
        { settings: { message_queue_max_receives: maxReceives } },
      );
      const [delivery] = await settledDeliveries(test.service.api, test.id, 1);
      assert.equal(test.target.requests.length, attempts);
      assert.equal(delivery?.status, 'DEAD_LETTERED');
      assert.equal(delivery?.status_reason, 'ATTEMPTS_EXHAUSTED');
      assert.equal(delivery?.attempts, attempts);
      await untilLineEmpty(test.service.api, test.id);
      assert.equal(JSON.stringify(delivery?.message), test.target.requests[0]?.text);

      test.target.respondWith(answer(200));
      await createAccounts(test.service.api, 'next');
      await test.target.waitFor(attempts + 1);
      assert.equal(accountsOf(test.target.requests).at(-1), 'next');
    });
  }

  it('has in the line the number of attempts after which it goes to the dead-letter queue', async () => {
    for (const [maxAttempts, maxReceives, attempts] of [
      [10, 3, 3],
      [4, 1_000, 4],
    ] as const) {
      await using test = await failing(
        answer(503),
        { max_attempts: maxAttempts },
        {
          settings: {
            message_queue_max_receives: maxReceives,
            retry_initial_delay: 600,
            retry_max_delay: 600,
          },
        },
      );
      const { api } = test.service;
      await untilRetrying(test.service, test.id);
      assert.equal((await api.get(`/webhooks/${test.id}/line`)).body.head.max_attempts, attempts);
      assert.equal((await api.get(`/webhooks/${test.id}`)).body.max_attempts, maxAttempts);
    }
  });

  it('waits for as long as Retry-After says, up to the limit', async () => {
    await using test = await failing(
      inTurn(
        answer(429, { headers: { 'retry-after': '1' } }),
        answer(503, { headers: { 'retry-after': '3600' } }),
        answer(200),
      ),
      {},
      { settings: { retry_initial_delay: 0.01, retry_max_delay: 1.2 } },
    );
    await test.target.waitFor(3);
    const [first, second] = gaps(test.target.requests);
    assert.ok(first! >= 1_000 - CLOCK_SLACK_MS, `asked for a second, waited ${first} ms`);
    assert.ok(second! >= 1_200 - CLOCK_SLACK_MS, `asked for an hour, waited ${second} ms`);
  });
});

describe('a message that waits for its next attempt', () => {
  const patient = { settings: { retry_initial_delay: 3_600, retry_max_delay: 3_600 } };

  it('is sent at once if the target was changed', async () => {
    await using test = await failing(answer(500), {}, patient);
    await using corrected = await startTarget();
    await untilRetrying(test.service, test.id);
    await updateWebhook(test.service.api, test.id, corrected.url);
    const [request] = await corrected.waitFor(1);
    assert.equal(request?.headers['webhook-id'], test.target.requests[0]?.headers['webhook-id']);
    await untilLineEmpty(test.service.api, test.id);
  });

  it('is sent at once if credentials were changed, set for the first time or set again', async () => {
    const basic = (secret: string) => ({ authentication: { type: 'BASIC', key: 'crm', secret } });
    await using test = await failing(answer(401), {}, patient);
    await untilRetrying(test.service, test.id);
    let attempts = 1;
    for (const change of [basic('first'), basic('second'), {}]) {
      await updateWebhook(test.service.api, test.id, test.target.url, change);
      attempts += 1;
      await test.target.waitFor(attempts);
      await untilRetrying(test.service, test.id, attempts);
    }
    assert.deepEqual(
      test.target.requests.map(({ headers }) => headers.authorization),
      [undefined, ...['crm:first', 'crm:second'].map((pair) => `Basic ${btoa(pair)}`), undefined],
    );
  });

  it('keeps waiting if anything else is changed', async () => {
    await using test = await failing(answer(500), {}, patient);
    const { api } = test.service;
    await untilRetrying(test.service, test.id);
    const before = await api.get(`/webhooks/${test.id}/line`);
    await updateWebhook(api, test.id, test.target.url, { name: 'Renamed', max_attempts: 7 });
    const after = await api.get(`/webhooks/${test.id}/line`);
    assert.equal(after.body.head.next_attempt_dt, before.body.head.next_attempt_dt);
  });
});

describe('the history of a message', () => {
  it('has every attempt with its time, duration and outcome', async () => {
    const begun = Date.now();
    await using test = await failing(
      inTurn(
        close(),
        answer(500, { body: 'second trouble' }),
        answer(404, { statusText: 'Nobody Here', body: 'third trouble' }),
        answer(202, { body: 'thanks' }),
      ),
    );
    const [delivery] = await settledDeliveries(test.service.api, test.id, 1);
    const url = `Request to postback URL '${test.target.url}' failed for reason:`;
    assert.deepEqual(
      delivery?.attempt_history.map((each) => [
        each.attempt,
        each.response_status,
        each.response_body,
        each.error,
      ]),
      [
        [1, null, null, `${url} connection closed before the response was complete`],
        [2, 500, 'second trouble', `${url} 500 Internal Server Error`],
        [3, 404, 'third trouble', `${url} 404 Nobody Here`],
        [4, 202, 'thanks', null],
      ],
    );
    assert.deepEqual(
      [delivery?.status, delivery?.attempts, delivery?.response_status, delivery?.error],
      ['DELIVERED', 4, 202, null],
    );
    for (const [index, attempt] of delivery!.attempt_history.entries()) {
      const attemptedAt = Date.parse(attempt.attempted_dt);
      const { receivedAt } = test.target.requests[index]!;
      assert.ok(attemptedAt >= begun && attemptedAt <= receivedAt + CLOCK_SLACK_MS);
      assert.ok(attemptedAt + attempt.duration_ms >= receivedAt - CLOCK_SLACK_MS);
    }
  });

  it('shows that it is being retried, and when the next attempt is due', async () => {
    await using test = await failing(
      answer(500),
      {},
      { settings: { retry_initial_delay: 60, retry_max_delay: 60 } },
    );
    await test.target.waitFor(1);
    const { api } = test.service;
    const delivery = await until(
      async () => (await deliveriesOf(api, test.id))[0],
      'the failure is in the history',
    );
    assert.deepEqual([delivery.status, delivery.attempts], ['RETRYING', 1]);
    const { body: line } = await api.get(`/webhooks/${test.id}/line`);
    assert.equal(line.state, 'RETRYING');
    assert.equal(line.head.attempts, 1);
    assert.equal(line.head.last_error_message, delivery.error);
    const wait = Date.parse(line.head.next_attempt_dt) - Date.parse(delivery.updated_dt);
    assert.ok(wait >= 48_000 && wait <= 60_001, `${wait} ms`);
  });

  it('stores as much of a response as fits', async () => {
    const long = 'Zoë '.repeat(10_000);
    await using test = await failing(answer(200, { body: long }));
    const [delivery] = await settledDeliveries(test.service.api, test.id, 1);
    assert.equal(delivery?.attempt_history[0]?.response_body, long.slice(0, 8_192));
  });

  it('can contain responses that are not text', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    await using test = await failing(answer(200, { body: bytes }));
    const [delivery] = await settledDeliveries(test.service.api, test.id, 1);
    assert.equal(delivery?.status, 'DELIVERED');
    assert.equal(delivery?.attempt_history[0]?.response_body?.length, 256);
  });
});
