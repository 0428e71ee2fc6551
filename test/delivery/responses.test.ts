import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import {
  answer,
  type Behaviour,
  close,
  hang,
  informational,
  redirect,
  reset,
} from '../support/target-behaviours.ts';
import { createAccounts, createWebhook, settledDeliveries, statisticsOf } from './webhook-helpers.ts';

// Runs on SQLite alone: the outcome of a response is decided before it is recorded.

describe('a response', () => {
  let service: TestService;
  let impatient: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    impatient = parts.use(
      await startTestService({ settings: { delivery_timeout: 1.5, shutdown_timeout: 0.01 } }),
    );
  });

  /** Sends one message to a URL. The webhook is deleted, so that it matches no event of another test. */
  async function sendTo(url: string, { api }: TestService, changes: Record<string, unknown> = {}) {
    const id = await createWebhook(api, url, changes);
    await createAccounts(api, 'Northwind');
    const [delivery] = await settledDeliveries(api, id, 1);
    const statistics = await statisticsOf(api, id);
    assert.equal((await api.delete(`/webhooks/${id}`)).status, 204);
    return { delivery: delivery!, statistics };
  }

  for (const status of [200, 201, 202, 204, 206, 299]) {
    it(`of ${status} is a success`, async () => {
      await using target = await startTarget({ respondWith: answer(status) });
      const { delivery, statistics } = await sendTo(target.url, service);
      assert.equal(delivery.status, 'DELIVERED');
      assert.equal(delivery.response_status, status);
      assert.equal(statistics.success_count, 1);
    });
  }

  it('after informational ones is the one that counts', async () => {
    await using target = await startTarget({ respondWith: informational([102, 103]) });
    const { delivery } = await sendTo(target.url, service);
    assert.deepEqual([delivery.status, delivery.response_status], ['DELIVERED', 200]);
  });

  const FAILURES: [string, Behaviour, status: number | null, reason: RegExp][] = [
    ['of 300', answer(300), 300, /300 Multiple Choices$/],
    ['that redirects', redirect('/elsewhere', 307), 307, /307 Temporary Redirect/],
    ['of 400', answer(400), 400, /400 Bad Request$/],
    ['of 403', answer(403), 403, /403 Forbidden$/],
    ['of 410', answer(410), 410, /410 Gone$/],
    ['of 500', answer(500), 500, /500 Internal Server Error$/],
    ['of 599', answer(599), 599, /599/],
    ['that is a reset', reset(), null, /connection (was )?reset/],
    ['that is a closed connection', close(), null, /closed/],
    ['that does not come', hang(), null, /timed out after 1\.5 s/],
  ];
  for (const [name, behaviour, status, reason] of FAILURES) {
    it(`${name} is a failure, and last_error_message says why`, async () => {
      await using target = await startTarget({ respondWith: behaviour });
      const { delivery, statistics } = await sendTo(target.url, status === null ? impatient : service, {
        max_attempts: 1,
      });
      assert.equal(delivery.status, 'DEAD_LETTERED');
      assert.equal(delivery.response_status, status);
      assert.equal(target.requests.length, 1);
      const message = statistics.last_error_message ?? '';
      assert.ok(message.startsWith(`Request to postback URL '${target.url}' failed for reason: `), message);
      assert.match(message, reason);
      assert.equal(delivery.error, message);
    });
  }

  it('that never arrives because the connection is refused is a failure', async () => {
    await using target = await startTarget();
    await target.refuse();
    const { statistics } = await sendTo(target.url, service, { max_attempts: 1 });
    assert.equal(
      statistics.last_error_message,
      `Request to postback URL '${target.url}' failed for reason: connection refused`,
    );
  });
});
