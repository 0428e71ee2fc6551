import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importCourse, scormPackage, uploadForm } from '../content/packages.ts';
import {
  accountNames,
  accountsOf,
  createAccounts,
  createWebhook,
  listDeliveries,
  settledDeliveries,
  updateWebhook,
} from '../delivery/webhook-helpers.ts';
import { ManualClock } from '../support/clock.ts';
import { openDatabaseOf } from '../support/database.ts';
import { eachPage } from '../support/each-page.ts';
import { beginTransaction, countWaiting } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { type Api, startTestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { assertInvalid, assertProblem } from './webhook-expectations.ts';

const ON_POSTGRES_ONLY = { skip: !ON_POSTGRES && 'transactions do not overlap on SQLite' };
const LONG_AGO = '2001-01-01T00:00:00Z';

/** Replays until nothing is left, and returns how many messages were queued, or would be. */
async function replay(api: Api, id: number, query = `from_dt=${LONG_AGO}`): Promise<number> {
  let replayed = 0;
  for await (const step of eachPage((path) => api.post(path), `/webhooks/${id}/replay?${query}`))
    replayed += step.replayed;
  return replayed;
}

describe('replaying events to a webhook', () => {
  test('sends the events missed while it was inactive, in order, behind waiting messages, and only once', async () => {
    await using target = await startTarget();
    await using service = await startTestService();
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'before');
    await settledDeliveries(api, id, 1);
    await updateWebhook(api, id, target.url, { enabled: false });
    await createAccounts(api, 'missed 1', 'missed 2', 'missed 3');
    assertProblem(await api.post(`/webhooks/${id}/replay?from_dt=${LONG_AGO}`), 409, 'conflict');
    assert.equal(await replay(api, id, `from_dt=${LONG_AGO}&dry_run=true`), 3);
    await updateWebhook(api, id, target.url, { paused: true });
    await createAccounts(api, 'after');
    assert.equal(await replay(api, id, `from_dt=${LONG_AGO}&dry_run=true`), 3, 'a dry run changes nothing');
    assert.equal(await replay(api, id), 3);
    assert.equal(await replay(api, id), 0, 'each event once');
    await updateWebhook(api, id, target.url);
    await target.waitFor(5);
    assert.deepEqual(accountsOf(target.requests), ['before', 'after', 'missed 1', 'missed 2', 'missed 3']);
    const deliveries = await settledDeliveries(api, id, 5);
    const { data: events } = (await api.get('/events')).body;
    for (const [n, request] of target.requests.entries()) {
      const event = events.find(
        ({ account }: { account: { name: string } }) => account.name === accountsOf([request])[0],
      );
      assert.equal((request.json as { timestamp: string }).timestamp, event.event_dt, `request ${n}`);
      const [webhook] = (await api.get(`/events/${event.id}/webhooks`)).body.data;
      assert.equal(webhook.via, n < 2 ? 'MATCH' : 'REPLAY');
      assert.equal(webhook.message.message_id, request.headers['webhook-id']);
      assert.equal(webhook.message.status, 'DELIVERED');
    }
    assert.equal(new Set(deliveries.map(({ message_id }) => message_id)).size, 5);
  });

  test('repeats events on request, in order and with the same id, but not those that still wait', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await startTestService();
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 1 });
    await createAccounts(api, 'one', 'two');
    await settledDeliveries(api, id, 2);
    await updateWebhook(api, id, target.url, { enabled: false });
    await createAccounts(api, 'missed');
    await updateWebhook(api, id, target.url, { paused: true });
    await createAccounts(api, 'waiting');
    target.respondWith(answer(200));
    const again = `from_dt=${LONG_AGO}&again=true`;
    assert.equal(await replay(api, id, `${again}&dry_run=true`), 3);
    assert.equal(await replay(api, id, again), 3);
    assert.equal(await replay(api, id, again), 0, 'all wait');
    await updateWebhook(api, id, target.url);
    await target.waitFor(6);
    const sent = target.requests.slice(2);
    assert.deepEqual(accountsOf(sent), ['waiting', 'one', 'two', 'missed']);
    assert.deepEqual(
      sent.slice(1, 3).map(({ headers }) => headers['webhook-id']),
      target.requests.slice(0, 2).map(({ headers }) => headers['webhook-id']),
    );
    const [one] = await settledDeliveries(api, id, 4);
    assert.deepEqual([one!.status, one!.attempts], ['DELIVERED', 2]);
  });

  test('sends a webhook that was created later the events that it would have matched, within the period', async () => {
    await using target = await startTarget();
    await using service = await startTestService();
    const { api } = service;
    const accounts = [];
    for (const name of ['A', 'B']) accounts.push(await api.create('/accounts', { name }));
    for (const { id, name } of accounts) await api.put(`/accounts/${id}`, { name, enabled: false });
    for (const { id } of accounts) assert.equal((await api.delete(`/accounts/${id}`)).status, 204);
    const { data: events } = (await api.get('/events')).body;
    const focus = [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: accounts[1].id }];
    const id = await createWebhook(api, target.url, { focus });
    const [, deletedA, deactivatedB] = events;
    const period = `from_dt=${deactivatedB.event_dt}&to_dt=${deletedA.event_dt}`;
    assert.equal(await replay(api, id, period), 1);
    assert.equal(await replay(api, id), 1, 'the deletion, too');
    await target.waitFor(2);
    assert.deepEqual(
      target.requests.map(({ json }) => (json as { subtopic: string }).subtopic),
      ['ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED'],
    );
    const ignoring = await createWebhook(api, target.url, { ignore_before_dt: '2999-01-01T00:00:00Z' });
    assert.equal(await replay(api, ignoring), 0, 'what it would discard is not sent');
  });

  test('sends a webhook with a focus on content only the events of that content', async () => {
    await using target = await startTarget();
    await using service = await startTestService();
    const [wanted, other] = [await importCourse(service), await importCourse(service)];
    const focus = [{ webhook_focus_type: 'COURSE', webhook_focus_id: wanted.id }];
    for (const { id } of [other, wanted])
      await service.api.post(`/courses/${id}/versions`, uploadForm(await scormPackage()));
    const id = await createWebhook(service.api, target.url, { topic: 'COURSE', focus });
    assert.equal(await replay(service.api, id), 1);
    const [sent] = await target.waitFor(1);
    const { resource } = sent!.json as { resource: { content: { course: { id: number } } } };
    assert.equal(resource.content.course.id, wanted.id);
  });

  test('leaves the outcome of each event right while replayed and other messages wait in one line', async () => {
    await using target = await startTarget();
    await using service = await startTestService();
    const { api } = service;
    await createAccounts(api, 'missed 1', 'missed 2');
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'expired');
    await settledDeliveries(api, id, 1);
    await using database = await openDatabaseOf(service.settings.data_dir);
    await database.transaction((tx) => tx.run('delete from deliveries'));
    await updateWebhook(api, id, target.url, { paused: true });
    const statuses = async () => {
      const { data: events } = (await api.get('/events')).body;
      const found: Record<string, string> = {};
      for (const event of events.toReversed()) {
        const { data } = (await api.get(`/events/${event.id}/webhooks?got_message=true`)).body;
        for (const { message } of data) found[event.account.name] = message.status;
      }
      return found;
    };

    await createAccounts(api, 'waiting');
    assert.equal(await replay(api, id), 2);
    const all = {
      'missed 1': 'WAITING',
      'missed 2': 'WAITING',
      expired: 'EXPIRED',
      waiting: 'WAITING',
    };
    assert.deepEqual(await statuses(), all, 'replayed messages wait behind one of a later event');

    const { data: line } = (await api.get(`/webhooks/${id}/line/messages`)).body;
    await api.post(`/webhooks/${id}/line/messages/${line[0].position}/skip`);
    await createAccounts(api, 'new');
    assert.deepEqual(
      await statuses(),
      { ...all, waiting: 'DEAD_LETTERED', new: 'WAITING' },
      'a replayed message of an earlier event is the head',
    );

    await updateWebhook(api, id, target.url);
    await settledDeliveries(api, id, 4);
    assert.equal((await statuses())['missed 2'], 'DELIVERED');
    await database.transaction((tx) => tx.run('delete from deliveries'));
    assert.deepEqual(new Set(Object.values(await statuses())), new Set(['EXPIRED']));
  });

  test(
    'records each webhook if several are sent the same events at the same time',
    ON_POSTGRES_ONLY,
    async () => {
      await using target = await startTarget();
      await using service = await startTestService();
      const { api } = service;
      await createAccounts(api, 'a', 'b');
      const ids = [await createWebhook(api, target.url), await createWebhook(api, target.url)];
      await using database = await openDatabaseOf(service.settings.data_dir);
      const others = await beginTransaction(database);
      await others.tx.all('select id from events order by id for update');
      const replays = Promise.all(ids.map((id) => replay(api, id)));
      try {
        await until(async () => (await countWaiting(database)) === 2, 'both have read the events');
      } finally {
        await others.commit();
      }
      assert.deepEqual(await replays, [2, 2]);
      for (const id of ids) assert.equal(await replay(api, id), 0, 'each event once');
    },
  );

  test('of many events works step by step, without those that occur between the steps', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const names = accountNames(520);
    for (let from = 0; from < names.length; from += 20)
      await Promise.all(names.slice(from, from + 20).map((name) => api.create('/accounts', { name })));
    const id = await createWebhook(api, 'http://127.0.0.1:9/');
    const inactive = await createWebhook(api, 'http://127.0.0.1:9/', { name: 'Inactive', enabled: false });
    const counting = `/webhooks/${inactive}/replay?from_dt=${LONG_AGO}&dry_run=true`;
    const counted = await api.post(counting);
    const first = await api.post(`/webhooks/${id}/replay?from_dt=${LONG_AGO}`);
    assert.equal(first.body.replayed, 500);
    assert.notEqual(first.body.next_cursor, null);
    const next = await api.post(
      `/webhooks/${id}/replay?from_dt=${LONG_AGO}&cursor=${first.body.next_cursor}`,
    );
    assert.deepEqual(next.body, { replayed: 20, next_cursor: null });
    assert.equal((await api.get(`/webhooks/${id}/line`)).body.depth, 520);
    assert.deepEqual(await listDeliveries(api, id), []);
    await createAccounts(api, 'later');
    const last = await api.post(`${counting}&cursor=${counted.body.next_cursor}`);
    assert.deepEqual(last.body, { replayed: 20, next_cursor: null });
  });

  test('includes events from before the clock was set back', async () => {
    const clock = new ManualClock();
    await using service = await startTestService({ now: clock.now });
    const { api } = service;
    await createWebhook(api, 'http://127.0.0.1:9/', { paused: true });
    await createAccounts(api, 'by the fast clock');
    clock.pass(-30 * 60_000);
    await createAccounts(api, 'by the slow clock');
    const late = await createWebhook(api, 'http://127.0.0.1:9/', { name: 'Late', paused: true });
    assert.equal(await replay(api, late), 2);
  });

  test('names the errors of a request, and replays only once for the same idempotency key', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    await createAccounts(api, 'one');
    const id = await createWebhook(api, 'http://127.0.0.1:9/');
    assertInvalid(await api.post(`/webhooks/${id}/replay`), ['/query/from_dt']);
    assertInvalid(await api.post(`/webhooks/${id}/replay?from_dt=x&to_dt=y&again=z`), [
      '/query/from_dt',
      '/query/to_dt',
      '/query/again',
    ]);
    assertProblem(await api.post(`/webhooks/999/replay?from_dt=${LONG_AGO}`), 404, 'not-found');
    for (let count = 0; count < 2; count++) {
      const { body } = await api.post(`/webhooks/${id}/replay?from_dt=${LONG_AGO}`, undefined, {
        'idempotency-key': 'one',
      });
      assert.equal(body.replayed, 1);
    }
    assert.equal((await api.get(`/webhooks/${id}/line`)).body.depth, 1);
  });
});
