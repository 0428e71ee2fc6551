import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Routes } from '../../src/http/routes.ts';
import { createServer } from '../../src/http/server.ts';
import { MINUTE_MS } from '../../src/time/units.ts';
import { webhookListRoutes } from '../../src/ui-api/webhooks/webhook-list-routes.ts';
import { makeDelivery, type TestDelivery } from '../support/delivery.ts';
import { SILENT_LOGS } from '../support/logs.ts';

/** A webhook with one message that is leased manually, and how the list of the admin UI shows it. */
async function open() {
  await using stack = new AsyncDisposableStack();
  const delivery = stack.use(await makeDelivery());
  const { database, queue } = delivery;
  const server = createServer({
    log: SILENT_LOGS.for('HttpServer'),
    maxBodyBytes: 1_024,
    trustedProxies: [],
    basePath: '',
  });
  stack.defer(() => server.close());
  webhookListRoutes(server as unknown as Routes, {
    reader: database.reader,
    readOnly: false,
    delivers: () => true,
    now: Date.now,
  });
  const id = await delivery.addWebhook('http://127.0.0.1:9/');
  await delivery.put(id, 'a');
  const opened = stack.move();
  const get = async (path: string) => (await server.inject(path)).json();
  return {
    /** Whether the webhook's page shows the head as in flight, and when the next attempt is due. */
    line: async () => {
      const { inFlight, availableAt } = (await queue.lines.line(id)).head!;
      return { inFlight, nextAttempt: inFlight ? null : new Date(availableAt).toISOString() };
    },
    nextAttemptInList: async () => (await get(`/ui/api/webhooks/${id}`)).next_attempt_dt as string | null,
    blocked: async () => ({
      listed: (await get('/ui/api/webhooks?state=blocked')).total as number,
      counted: (await queue.lines.totals()).linesBlocked,
    }),
    lease: (visibilityMs: number) => lease(delivery, visibilityMs),
    fail: async (message: Awaited<ReturnType<typeof lease>>) => {
      await database.transaction((tx) =>
        queue.settle(tx, [{ message, action: 'retry', availableAt: Date.now() }]),
      );
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function lease({ database, queue }: TestDelivery, visibilityMs: number) {
  const { received } = await database.transaction((tx) => queue.receive(tx, { capacity: 1, visibilityMs }));
  return received[0]!;
}

describe('a webhook whose head is leased', () => {
  it('is in flight in the list of webhooks and on its page, until the lease expires', async () => {
    await using webhook = await open();
    await webhook.lease(MINUTE_MS);
    assert.equal((await webhook.line()).inFlight, true);
    assert.equal(await webhook.nextAttemptInList(), null);
  });

  it('is due in the list of webhooks and on its page once the lease of a dead instance has expired', async () => {
    await using webhook = await open();
    await webhook.lease(0);
    const { inFlight, nextAttempt } = await webhook.line();
    assert.equal(inFlight, false);
    assert.equal(await webhook.nextAttemptInList(), nextAttempt);
  });

  it('is blocked while its head has failed, whether the head waits or is in flight', async () => {
    await using webhook = await open();
    const none = { listed: 0, counted: 0 };
    const one = { listed: 1, counted: 1 };
    assert.deepEqual(await webhook.blocked(), none, 'not tried yet');
    const message = await webhook.lease(MINUTE_MS);
    assert.deepEqual(await webhook.blocked(), none, 'at its first attempt');
    await webhook.fail(message);
    assert.deepEqual(await webhook.blocked(), one, 'has failed');
    await webhook.lease(MINUTE_MS);
    assert.deepEqual(await webhook.blocked(), one, 'at its second attempt');
  });

  it('is blocked if the instance died during the first attempt', async () => {
    await using webhook = await open();
    await webhook.lease(0);
    assert.deepEqual(await webhook.blocked(), { listed: 1, counted: 1 });
  });
});
