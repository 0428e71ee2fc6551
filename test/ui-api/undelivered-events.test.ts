import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createAccounts,
  createWebhook,
  LONG_RETRIES,
  lineOf,
  settledDeliveries,
  skipOnceFree,
  untilLineEmpty,
  untilRetrying,
  updateWebhook,
} from '../delivery/webhook-helpers.ts';
import { runSql } from '../support/database.ts';
import { type Api, startTestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { assertInvalid } from '../webhooks/webhook-expectations.ts';

const NOBODY = 'http://127.0.0.1:9/';
/** So many messages of an account with a long name have a common part that is stored once. */
const SHARING = 50;
const LONG_AGO = '2001-01-01T00:00:00Z';

/** What the list says about the creation of each account: `dead`, `waits`, both, or neither. */
async function outcomes(api: Api): Promise<Record<string, string>> {
  const { status, body } = await api.get('/ui/api/events?subtopic=ACCOUNT_CREATED');
  assert.equal(status, 200, JSON.stringify(body));
  return Object.fromEntries(
    body.data
      .reverse()
      .map((event: Record<string, unknown> & { account: { name: string } }) => [
        event.account.name,
        [event.has_dead_letters && 'dead', event.has_waiting_messages && 'waits'].filter(Boolean).join(' '),
      ]),
  );
}

describe('the list of events in the admin UI', () => {
  test('says which events have dead letters or waiting messages, also after redeliveries and replays', async () => {
    await using target = await startTarget();
    await using service = await startTestService({ settings: LONG_RETRIES });
    const { api } = service;
    await createAccounts(api, 'unmatched');
    const reliable = await createWebhook(api, target.url, { name: 'Reliable' });
    await createAccounts(api, 'delivered');
    await settledDeliveries(api, reliable, 1);
    target.respondWith(answer(500));
    const broken = await createWebhook(api, target.url, { name: 'Broken', max_attempts: 1 });
    await updateWebhook(api, reliable, target.url, { enabled: false });
    await createAccounts(api, 'dead');
    await settledDeliveries(api, broken, 1);
    await updateWebhook(api, broken, target.url, { enabled: false });
    const asleep = await createWebhook(api, NOBODY, { name: 'Asleep', paused: true });
    await createAccounts(api, 'waiting');
    const none = { unmatched: '', delivered: '' };
    assert.deepEqual(await outcomes(api), { ...none, dead: 'dead', waiting: 'waits' });

    assert.equal((await api.post(`/webhooks/${asleep}/replay?from_dt=${LONG_AGO}`)).status, 202);
    assert.deepEqual(await outcomes(api), {
      unmatched: 'waits',
      delivered: 'waits',
      dead: 'dead waits',
      waiting: 'waits',
    });
    await skipOnceFree(api, asleep);
    // For a moment, the worker leases the head, which is then not purged.
    await until(async () => {
      assert.equal((await api.post(`/webhooks/${asleep}/line/purge`)).status, 200);
      return (await lineOf(api, asleep)).depth === 0;
    }, 'the line is purged');
    assert.deepEqual(await outcomes(api), { ...none, dead: 'dead', waiting: 'dead' });

    await updateWebhook(api, broken, NOBODY, { max_attempts: 1, paused: true });
    assert.equal((await api.post(`/webhooks/${broken}/deliveries/redeliver`)).status, 202);
    assert.equal((await api.post(`/webhooks/${asleep}/deliveries/remove`)).status, 200);
    assert.deepEqual(await outcomes(api), { ...none, dead: 'waits', waiting: '' });
  });

  test('distinguishes a message that was moved out of a blocked line from those that wait in it', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await startTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'head', 'moved', 'behind');
    await untilRetrying(api, id);
    const { body } = await api.get(`/webhooks/${id}/line/messages`);
    const { status } = await api.post(`/webhooks/${id}/line/messages/${body.data[1].position}/skip`);
    assert.equal(status, 200);
    assert.deepEqual(await outcomes(api), { head: 'waits', moved: 'dead', behind: 'waits' });
  });

  test('says the same of an event whose messages share a common part that is stored once', async () => {
    await using target = await startTarget();
    await using service = await startTestService();
    const { api } = service;
    const ids: number[] = [];
    const paused = { name: 'Paused', paused: true };
    for (let n = 0; n < SHARING; n++) ids.push(await createWebhook(api, target.url, paused));
    const long = 'n'.repeat(200);
    await createAccounts(api, long);
    const [shared] = await runSql<{ count: number }>(
      service.settings.data_dir,
      'select count(*) as count from queue_messages where shared_body_id is not null',
    );
    assert.equal(Number(shared!.count), ids.length);
    assert.deepEqual(await outcomes(api), { [long]: 'waits' });
    await skipOnceFree(api, ids[0]!);
    assert.deepEqual(await outcomes(api), { [long]: 'dead waits' });
    for (const id of ids) await updateWebhook(api, id, target.url);
    for (const id of ids) await untilLineEmpty(api, id);
    assert.deepEqual(await outcomes(api), { [long]: 'dead' });
  });

  test('is otherwise that of the API, with its filters and pages', async () => {
    await using service = await startTestService();
    const { api } = service;
    await createAccounts(api, 'one', 'two', 'three');
    const query = '?subtopic=ACCOUNT_CREATED&limit=2';
    const { body: listed } = await api.get(`/ui/api/events${query}`);
    const { body: expected } = await api.get(`/events${query}`);
    const outcome = { has_dead_letters: false, has_waiting_messages: false };
    assert.deepEqual(listed, {
      ...expected,
      data: expected.data.map((event: object) => ({ ...event, ...outcome })),
    });
    const { body: rest } = await api.get(`/ui/api/events${query}&cursor=${listed.next_cursor}`);
    assert.deepEqual([rest.data.length, rest.next_cursor], [1, null]);
    assertInvalid(await api.get('/ui/api/events?account_id=x&from_dt=y'), [
      '/query/account_id',
      '/query/from_dt',
    ]);
  });
});
