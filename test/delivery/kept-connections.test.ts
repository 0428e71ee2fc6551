import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { TargetConnection } from '../../src/delivery/target-connections.ts';
import { startTestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { after, answer, type Behaviour, close, inTurn, reset } from '../support/target-behaviours.ts';
import {
  createAccounts,
  createWebhook,
  deliveriesOf,
  settledDeliveries,
  statisticsOf,
} from './webhook-helpers.ts';

// Runs on SQLite alone: connections to targets do not depend on the database.

/** Longer than a close that crosses a request takes: 200 ms and twice the round trip. */
const TOO_LATE_MS = 700;

/** Lets every later close count as one that may have crossed a request, however long the machine was paused. */
function targetsAreFar({ mock }: TestContext): void {
  mock.method(TargetConnection.prototype, 'respondedWithin', function (this: TargetConnection) {
    this.roundTripMs = 60_000;
  });
}

const ENDINGS: Readonly<Record<string, Behaviour>> = { close: close(), reset: reset() };

for (const [name, ending] of Object.entries(ENDINGS)) {
  describe(`a kept connection that the target ends (${name})`, () => {
    it('well after it received the request is a failed attempt, and the request is not sent again', async () => {
      await using target = await startTarget({
        respondWith: inTurn(answer(200), after(TOO_LATE_MS, ending), answer(200)),
      });
      await using service = await startTestService();
      const { api } = service;
      const id = await createWebhook(api, target.url, { max_attempts: 1 });
      await createAccounts(api, 'first');
      await settledDeliveries(api, id, 1);
      await createAccounts(api, 'second');
      const [, second] = await settledDeliveries(api, id, 2);

      assert.deepEqual(
        target.requests.map(({ connection, requestOnConnection }) => [connection, requestOnConnection]),
        [
          [1, 1],
          [1, 2],
        ],
      );
      assert.deepEqual([second?.status, second?.attempts], ['DEAD_LETTERED', 1]);
      assert.match(second?.error ?? '', /connection (reset|closed before the response was complete)$/);
      assert.deepEqual(
        second?.attempt_history.map(({ attempt, resent }) => [attempt, resent]),
        [[1, false]],
      );
      assert.equal((await statisticsOf(api, id)).error_count, 1);
      assert.equal((await api.get(`/webhooks/${id}`)).body.in_error, true);
    });

    it('just as the request is sent causes one more send that does not count, and the history says so', async (t) => {
      targetsAreFar(t);
      await using target = await startTarget({ respondWith: inTurn(answer(200), ending, answer(200)) });
      await using service = await startTestService();
      const { api } = service;
      const id = await createWebhook(api, target.url, { max_attempts: 1, logging_mode: 'SUMMARY' });
      await createAccounts(api, 'first');
      await settledDeliveries(api, id, 1);
      await createAccounts(api, 'second');
      const [first, second] = await settledDeliveries(api, id, 2);

      const [, crossed, again] = target.requests;
      assert.equal(target.requests.length, 3);
      assert.deepEqual([crossed?.connection, again?.connection], [1, 2]);
      assert.equal(crossed?.headers['webhook-id'], again?.headers['webhook-id']);
      assert.deepEqual([second?.status, second?.attempts], ['DELIVERED', 1]);
      assert.deepEqual(
        [first, second].flatMap((each) => each!.attempt_history.map(({ resent }) => resent)),
        [false, true],
      );
      assert.equal((await statisticsOf(api, id)).error_count, 0);
      const logged = service.logLines.filter((line) => line.class === 'PostbackDelivery');
      assert.deepEqual(
        logged.map((line) => line.resent),
        [undefined, true],
      );
    });

    it('just as the same message is sent a second time is a failed attempt', async (t) => {
      targetsAreFar(t);
      // It responds, so that a connection is kept. Afterwards it ends each kept connection when a request arrives.
      await using target = await startTarget({
        respondWith: inTurn(answer(200), ending, answer(500), ending, answer(500), answer(200)),
      });
      await using service = await startTestService({ settings: { retry_initial_delay: 0.01 } });
      const { api } = service;
      const id = await createWebhook(api, target.url);
      await createAccounts(api, 'first');
      await settledDeliveries(api, id, 1);
      await createAccounts(api, 'second');
      const [, second] = await settledDeliveries(api, id, 2);

      assert.deepEqual(
        second?.attempt_history.map(({ response_status, resent }) => [response_status, resent]),
        [
          [500, true],
          [null, false],
          [500, false],
          [200, false],
        ],
      );
      assert.equal(target.requests.length, 6);
      assert.equal((await statisticsOf(api, id)).error_count, 3);
    });
  });
}

describe('the history of a message that was sent once more', () => {
  it('still says so after a redelivery of the message', async (t) => {
    targetsAreFar(t);
    await using target = await startTarget({
      respondWith: inTurn(answer(200), close(), answer(500), answer(200)),
    });
    await using service = await startTestService();
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 1 });
    await createAccounts(api, 'first');
    await settledDeliveries(api, id, 1);
    await createAccounts(api, 'second');
    const [, dead] = await settledDeliveries(api, id, 2);
    assert.equal(dead?.status, 'DEAD_LETTERED');
    await api.post(`/webhooks/${id}/deliveries/${dead?.id}/redeliver`);
    const again = await until(async () => {
      const [, second] = await deliveriesOf(api, id);
      return second?.status === 'DELIVERED' && second;
    }, 'the message is delivered');
    assert.deepEqual(
      again.attempt_history.map(({ attempt, resent }) => [attempt, resent]),
      [
        [1, true],
        [2, false],
      ],
    );
  });
});
