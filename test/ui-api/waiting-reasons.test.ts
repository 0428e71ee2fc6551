import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccounts, createWebhook, LONG_RETRIES, updateWebhook } from '../delivery/webhook-helpers.ts';
import { startTestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';

const NOBODY = 'http://127.0.0.1:9/';

describe('why the messages of webhooks wait', () => {
  it('names the failing head of a line with its delivery, and since when a webhook is paused or inactive', async () => {
    await using target = await startTarget({ respondWith: answer(503, { body: 'down for maintenance' }) });
    await using service = await startTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const blocked = await createWebhook(api, target.url, { name: 'Blocked' });
    const paused = await createWebhook(api, target.url, { name: 'Paused', paused: true });
    const inactive = await createWebhook(api, target.url, { name: 'Inactive', enabled: false });
    await createAccounts(api, 'first', 'second');
    await until(
      async () => (await api.get(`/webhooks/${blocked}/line`)).body.state === 'RETRYING',
      'it fails',
    );
    const { body: line } = await api.get(`/webhooks/${blocked}/line`);
    const { body } = await api.get(
      `/ui/api/waiting-reasons?webhook_ids=${blocked},${paused},${inactive},4711`,
    );
    const byId = new Map(body.data.map((each: { webhook_id: number }) => [each.webhook_id, each]));
    assert.deepEqual([...byId.keys()].sort(), [blocked, paused, inactive].sort());
    const of = (id: number) => byId.get(id) as Record<string, unknown>;
    const { blocker, since_dt } = of(blocked) as { blocker: Record<string, unknown>; since_dt: string };
    assert.equal(of(blocked).reason, 'BLOCKED');
    assert.equal(blocker.message_id, line.head.message_id);
    assert.equal(blocker.attempts, 1);
    assert.equal(blocker.explanation, 'down for maintenance');
    assert.match(String(blocker.last_error_message), /503 Service Unavailable/);
    const { body: delivery } = await api.get(`/webhooks/${blocked}/deliveries/${blocker.delivery_id}`);
    assert.equal(delivery.message_id, line.head.message_id);
    for (const date of [since_dt, blocker.next_attempt_dt]) assert.ok(Date.parse(String(date)) > 0);
    const { body: webhook } = await api.get(`/webhooks/${paused}`);
    assert.deepEqual(of(paused), {
      webhook_id: paused,
      reason: 'PAUSED',
      since_dt: webhook.paused_since_dt,
      blocker: null,
    });
    assert.equal(of(inactive).reason, 'INACTIVE');
    await api.delete(`/webhooks/${paused}`);
    const { body: rest } = await api.get(`/ui/api/waiting-reasons?webhook_ids=${paused},${inactive}`);
    assert.deepEqual(rest.data, [of(inactive)], 'a deleted webhook has no messages');
  });

  it('is nothing for messages that are about to be sent, and that delivery is off where no instance delivers', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const id = await createWebhook(api, NOBODY);
    const read = async () => (await api.get(`/ui/api/waiting-reasons?webhook_ids=${id}`)).body.data;
    assert.deepEqual(await read(), [{ webhook_id: id, reason: 'TURNED_OFF', since_dt: null, blocker: null }]);
    await updateWebhook(api, id, NOBODY, { paused: true });
    assert.equal((await read())[0].reason, 'PAUSED');
    await using delivering = await startTestService();
    const idle = await createWebhook(delivering.api, NOBODY);
    assert.deepEqual((await delivering.api.get(`/ui/api/waiting-reasons?webhook_ids=${idle}`)).body.data, []);
  });

  it('rejects anything but up to fifty ids, and names the parameter', async () => {
    await using service = await startTestService();
    const many = Array.from({ length: 51 }, (_, n) => n + 1).join();
    for (const ids of ['', 'one', '1,', '1,,2', '-1', '1.5', '1e3', many, '9'.repeat(900)]) {
      const { status, body } = await service.api.get(`/ui/api/waiting-reasons?webhook_ids=${ids}`);
      assert.equal(status, 400, ids);
      assert.deepEqual(
        body.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/query/webhook_ids'],
        ids,
      );
    }
  });
});
