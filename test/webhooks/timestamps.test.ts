import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccounts, createWebhook } from '../delivery/webhook-helpers.ts';
import { RunningClock } from '../support/clock.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startTestService, temporaryFolder, until } from '../support/service.ts';
import { type ReceivedPostback, startTarget } from '../support/target.ts';

const HALF_AN_HOUR_MS = 1_800_000;

function timestampsOf(requests: readonly ReceivedPostback[]): string[] {
  return requests.map(({ json }) => (json as { timestamp: string }).timestamp);
}

function assertNeverBack(requests: readonly ReceivedPostback[]): void {
  const timestamps = timestampsOf(requests);
  const back = timestamps.findIndex((each, index) => index > 0 && each < timestamps[index - 1]!);
  assert.equal(back, -1, `message ${back} of ${timestamps[back]} follows one of ${timestamps[back - 1]}`);
}

test('timestamps never go back within a webhook, however many requests run in parallel', async () => {
  await using all = await startTarget();
  await using deletions = await startTarget();
  await using service = await startTestService();
  const { api } = service;
  // Events of one kind match one webhook and those of the other kind match both, so that transactions wait for some of
  // their lines.
  await createWebhook(api, deletions.url, { subtopics: ['ACCOUNT_DELETED'] });
  await createWebhook(api, all.url);
  const clients = 24;
  const rounds = 6;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let round = 0; round < rounds; round++) {
        const { id } = await api.create('/accounts', { name: `account ${client}.${round}` });
        assert.equal((await api.delete(`/accounts/${id}`)).status, 204);
      }
    }),
  );
  await all.waitFor(2 * clients * rounds, { deadlineMs: 60_000 });
  await deletions.waitFor(clients * rounds, { deadlineMs: 60_000 });
  assertNeverBack(all.requests);
  assertNeverBack(deletions.requests);
});

test('timestamps never go back within a webhook if the clocks of instances differ', {
  skip: ON_POSTGRES ? false : 'instances share a server',
}, async () => {
  await using target = await startTarget();
  await using folder = temporaryFolder();
  const webhooks_auth_secret = 's'.repeat(64);
  await using fast = await startTestService({
    now: () => Date.now() + HALF_AN_HOUR_MS,
    settings: { webhooks_auth_secret },
  });
  const { database_url } = fast.settings;
  await using slow = await startTestService({
    dataDir: folder.path,
    settings: { webhooks_auth_secret, database_url },
  });
  await createWebhook(fast.api, target.url);
  for (let round = 0; round < 10; round++) {
    await createAccounts(fast.api, `fast ${round}`);
    await createAccounts(slow.api, `slow ${round}`);
  }
  await target.waitFor(20, { deadlineMs: 60_000 });
  assertNeverBack(target.requests);
});

test('timestamps never go back within a webhook when the clock is set back, also across a restart', async () => {
  await using target = await startTarget();
  await using other = await startTarget();
  await using folder = temporaryFolder();
  const clock = new RunningClock();
  const start = () => startTestService({ dataDir: folder.path, now: clock.now });
  await using first = await start();
  const id = await createWebhook(first.api, target.url);
  await createAccounts(first.api, 'a');
  await target.waitFor(1);
  await first.stop();
  clock.aheadMs -= HALF_AN_HOUR_MS;

  await using second = await start();
  // It has no earlier messages, but an event has one timestamp for all webhooks.
  await createWebhook(second.api, other.url);
  const [sent] = (await second.api.get(`/webhooks/${id}/deliveries`)).body.data;
  assert.equal((await second.api.post(`/webhooks/${id}/deliveries/${sent.id}/redeliver`)).status, 202);
  await createAccounts(second.api, 'b');
  await target.waitFor(3);
  await other.waitFor(1);
  // A message whose outcome is not committed yet is sent again when its lease ends, such as by setting the clock.
  const isEmpty = async () => (await second.api.get(`/webhooks/${id}/line`)).body.state === 'EMPTY';
  await until(isEmpty, 'the outcomes are committed');
  const [a, again, b] = timestampsOf(target.requests);
  assert.deepEqual([again, b], [a, a]);
  assert.deepEqual(timestampsOf(other.requests), [b]);

  clock.aheadMs += HALF_AN_HOUR_MS + 1_000;
  await createAccounts(second.api, 'c');
  await target.waitFor(4);
  assert.ok(timestampsOf(target.requests)[3]! > a!, 'the clock is followed again once it has caught up');
});

test('ignore_before_dt is compared with the timestamp that a message shows, also when the clock was set back', async () => {
  await using target = await startTarget();
  const clock = new RunningClock();
  await using service = await startTestService({ now: clock.now });
  const { api } = service;
  const id = await createWebhook(api, target.url);
  await createAccounts(api, 'a');
  await target.waitFor(1);
  const [shown] = timestampsOf(target.requests);
  clock.aheadMs -= HALF_AN_HOUR_MS;
  const webhook = (await api.get(`/webhooks/${id}`)).body;
  assert.equal((await api.put(`/webhooks/${id}`, { ...webhook, ignore_before_dt: shown })).status, 200);
  await createAccounts(api, 'b');
  await target.waitFor(2);
  assert.deepEqual(timestampsOf(target.requests), [shown, shown]);
});
