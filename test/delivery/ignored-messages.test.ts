import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { openDatabaseOf } from '../support/database.ts';
import { borrowTestService } from '../support/lent-service.ts';
import { startTestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import {
  accountsOf,
  createAccounts,
  createWebhook,
  inFlight,
  LONG_RETRIES,
  lineOf,
  settledDeliveries,
  untilFailed,
  updateWebhook,
} from './webhook-helpers.ts';

const LATER = '2999-01-01T00:00:00Z';

describe('ignore_before_dt', () => {
  it('discards waiting messages about earlier events at once, and delivers the others', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using observer = await startTarget();
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createWebhook(api, observer.url);
    for (const name of ['a', 'b', 'c', 'd']) {
      const created = Date.now();
      await createAccounts(api, name);
      await until(() => Date.now() > created + 5, 'the next event is later');
    }
    await untilFailed(api, id, 1);
    const [, , c] = await observer.waitFor(4);
    const { timestamp } = c!.json as { timestamp: string };
    target.respondWith(answer(200));
    await updateWebhook(api, id, target.url, { ignore_before_dt: timestamp });
    const deliveries = await settledDeliveries(api, id, 4);
    assert.deepEqual(
      deliveries.map((each) => [each.message.resource.account.name, each.status, each.status_reason]),
      [
        ['a', 'DISCARDED', 'BEFORE_IGNORE_DT'],
        ['b', 'DISCARDED', 'BEFORE_IGNORE_DT'],
        ['c', 'DELIVERED', null],
        ['d', 'DELIVERED', null],
      ],
    );
    assert.deepEqual(accountsOf(target.requests), ['a', 'c', 'd']);
    const [a, b] = deliveries;
    assert.deepEqual([a?.attempts, b?.attempts], [1, 0]);
    assert.match(a?.error ?? '', /500 Internal Server Error/, 'its attempt is still in the history');
  });

  it('discards messages at once if it is set during a request that fails', async () => {
    await using test = await inFlight();
    await updateWebhook(test.api, test.id, test.target.url, { ignore_before_dt: LATER });
    test.fail();
    const deliveries = await settledDeliveries(test.api, test.id, 2);
    assert.deepEqual(
      deliveries.map((each) => [each.status, each.status_reason, each.attempts]),
      [
        ['DISCARDED', 'BEFORE_IGNORE_DT', 1],
        ['DISCARDED', 'BEFORE_IGNORE_DT', 0],
      ],
    );
    assert.equal(test.target.requests.length, 1);
  });

  it('does not change when the next attempt is due if it ignores fewer events', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url, { ignore_before_dt: '2020-01-02T00:00:00Z' });
    await createAccounts(api, 'a');
    await untilFailed(api, id, 1);
    const { head } = await lineOf(api, id);
    for (const ignore_before_dt of ['2020-01-01T00:00:00Z', null])
      await updateWebhook(api, id, target.url, { ignore_before_dt });
    assert.equal((await lineOf(api, id)).head.next_attempt_dt, head.next_attempt_dt);
    assert.equal(target.requests.length, 1);
  });

  it('does not change when the next attempt is due, nor its count, if it moves later but does not ignore the head', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 2 });
    await createAccounts(api, 'a');
    await untilFailed(api, id, 1);
    const { head } = await lineOf(api, id);
    for (const ignore_before_dt of ['2020-01-01T00:00:00Z', '2020-01-02T00:00:00Z'])
      await updateWebhook(api, id, target.url, { max_attempts: 2, ignore_before_dt });
    const after = (await lineOf(api, id)).head;
    assert.deepEqual([after.attempts, after.next_attempt_dt], [1, head.next_attempt_dt]);
    assert.equal(target.requests.length, 1);
  });

  it('does not change when the next attempt is due if it is set during a request but does not ignore the head', async () => {
    await using test = await inFlight();
    await updateWebhook(test.api, test.id, test.target.url, { ignore_before_dt: '2020-01-01T00:00:00Z' });
    test.fail();
    await untilFailed(test.api, test.id, 1);
    const { head } = await lineOf(test.api, test.id);
    assert.ok(Date.parse(head.next_attempt_dt) > Date.now() + 1_000_000, head.next_attempt_dt);
    assert.equal(test.target.requests.length, 1);
  });

  it('does not change the head of a paused webhook, like a new target', async () => {
    using folder = temporaryFolder();
    const dataDir = folder.path;
    await using target = await startTarget({ respondWith: answer(500) });
    let id: number;
    {
      await using service = await startTestService({ dataDir, settings: LONG_RETRIES });
      id = await createWebhook(service.api, target.url);
      await createAccounts(service.api, 'a');
      await untilFailed(service.api, id, 1);
    }
    const dueAt = await headDueAt(dataDir, id);
    // It delivers nothing, so that the head stays as the update leaves it.
    await using service = await startTestService({ dataDir, settings: { enable_queue_polling: false } });
    for (const url of [target.url, `${target.url}/other`])
      await updateWebhook(service.api, id, url, { paused: true, ignore_before_dt: LATER });
    assert.equal(await headDueAt(dataDir, id), dueAt);
  });

  it('does not change a head whose webhook is paused during a request that fails', async () => {
    await using test = await inFlight();
    const { api, id, target } = test;
    await updateWebhook(api, id, target.url, { paused: true, ignore_before_dt: LATER });
    test.fail();
    await until(async () => {
      const { head } = await lineOf(api, id);
      return head.attempts === 1 && !head.in_flight;
    }, 'the request failed');
    await updateWebhook(api, id, target.url, { paused: true, ignore_before_dt: null });
    await updateWebhook(api, id, target.url);
    target.respondWith(answer(200));
    await target.waitFor(2);
    assert.deepEqual(accountsOf(target.requests).slice(0, 2), ['a', 'a']);
  });
});

/** The time at which the head of a webhook's line is due. */
async function headDueAt(dataDir: string, id: number): Promise<number | undefined> {
  await using database = await openDatabaseOf(dataDir);
  const queue = new DatabaseQueue({ database, maxReceives: 1_000, now: Date.now });
  const { head } = await queue.lines.line(id);
  return head?.availableAt;
}
