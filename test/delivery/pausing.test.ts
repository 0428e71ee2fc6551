import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Settings } from '../../src/settings/settings-table.ts';
import { createTestQueues, settingsOf, startSqsServer } from '../queue/sqs-server.ts';
import { borrowTestService } from '../support/lent-service.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { type Api, startTestService, temporaryFolder, until } from '../support/service.ts';
import { openSharedInstallation } from '../support/shared-installation.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { assertProblem } from '../webhooks/webhook-expectations.ts';
import {
  accountNames,
  accountsOf,
  createAccounts,
  createWebhook,
  LONG_RETRIES,
  lineOf,
  listDeliveries,
  settledDeliveries,
  skipOnceFree,
  statisticsOf,
  untilLineEmpty,
  updateWebhook,
} from './webhook-helpers.ts';

/** Short, so that a wrong delivery would happen during the test. */
const QUICK = { retry_initial_delay: 0.05, retry_max_delay: 0.05, queue_polling_interval: 0.01 };
const SHARED_DATABASE = { skip: ON_POSTGRES ? false : 'the embedded database has one instance' };

async function recordOf(api: Api, id: number) {
  return (await api.get(`/webhooks/${id}`)).body;
}

/** Waits until this many messages wait and the first of them is on hold, and returns the line. */
async function heldLine(api: Api, id: number, depth: number) {
  return await until(async () => {
    const line = await lineOf(api, id);
    return line.state === 'PAUSED' && line.depth === depth ? line : undefined;
  }, `${depth} messages wait for webhook ${id}`);
}

/** Creates accounts, and waits until a webhook that is not paused has sent them all. */
async function createAndSee(api: Api, seen: Target, ...names: string[]): Promise<void> {
  const before = seen.requests.length;
  await createAccounts(api, ...names);
  await seen.waitFor(before + names.length);
}

/** Starts instances on one database. */
async function startTogether(count: number, settings: Partial<Settings>) {
  const stack = new AsyncDisposableStack();
  const shared = stack.use(await openSharedInstallation());
  const apis: Api[] = [];
  for (let n = 0; n < count; n += 1)
    apis.push(stack.use(await startTestService(shared.instance(settings))).api);
  return { apis, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe('a paused webhook', () => {
  it('queues events and sends nothing, even after a restart, until it is resumed; then sends all in order', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    await using seen = await startTarget();
    const options = { dataDir: folder.path, settings: QUICK };
    let id: number;
    let pausedSince: string;
    {
      await using service = await startTestService(options);
      const { api } = service;
      id = await createWebhook(api, target.url);
      await createWebhook(api, seen.url);
      await createAndSee(api, seen, 'before');
      await target.waitFor(1);
      await untilLineEmpty(api, id);
      await updateWebhook(api, id, target.url, { paused: true });
      const record = await recordOf(api, id);
      assert.deepEqual([record.enabled, record.paused], [true, true]);
      pausedSince = record.paused_since_dt;
      assert.equal(pausedSince, record.updated_dt);
      await createAndSee(api, seen, 'a', 'b', 'c');
      const line = await heldLine(api, id, 3);
      assert.deepEqual([line.head.in_flight, line.head.next_attempt_dt], [false, null]);
    }
    await using service = await startTestService(options);
    const { api } = service;
    await createAndSee(api, seen, 'd', 'e');
    await updateWebhook(api, id, target.url, { paused: true, name: 'Renamed' });
    assert.equal((await recordOf(api, id)).paused_since_dt, pausedSince, 'it stays paused since then');
    await createAndSee(api, seen, 'f');
    assert.deepEqual(accountsOf(target.requests), ['before']);
    assert.equal((await lineOf(api, id)).depth, 6);
    assert.equal((await listDeliveries(api, id)).length, 1, 'nothing became of the others');
    await updateWebhook(api, id, target.url);
    const resumed = await recordOf(api, id);
    assert.deepEqual([resumed.paused, resumed.paused_since_dt], [false, null]);
    const deliveries = await settledDeliveries(api, id, 7);
    assert.deepEqual(accountsOf(target.requests), ['before', 'a', 'b', 'c', 'd', 'e', 'f']);
    assert.deepEqual(
      deliveries.map(({ attempts }) => attempts),
      Array(7).fill(1),
    );
  });

  it('keeps a failing message in place, counts no attempts in the meantime, and retries at once when resumed', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService({ settings: LONG_RETRIES });
    const { api } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 3 });
    await createAccounts(api, 'a', 'b');
    await until(async () => (await lineOf(api, id)).state === 'RETRYING', 'the head failed');
    await updateWebhook(api, id, target.url, { max_attempts: 3, paused: true });
    const line = await lineOf(api, id);
    assert.deepEqual([line.state, line.head.attempts, line.head.next_attempt_dt], ['PAUSED', 1, null]);
    assertProblem(await api.post(`/webhooks/${id}/line/retry`), 409, 'conflict');
    // A change of the target would make the head due.
    await using other = await startTarget({ respondWith: answer(500) });
    await updateWebhook(api, id, other.url, { max_attempts: 3, paused: true });
    target.respondWith(answer(200));
    await updateWebhook(api, id, target.url, { max_attempts: 3 });
    const [first, second] = await settledDeliveries(api, id, 2);
    assert.deepEqual([first?.status, first?.attempts], ['DELIVERED', 2]);
    assert.deepEqual([second?.status, second?.attempts], ['DELIVERED', 1]);
    assert.deepEqual(accountsOf(target.requests), ['a', 'a', 'b']);
    assert.deepEqual(other.requests, []);
    assert.equal((await statisticsOf(api, id)).error_count, 1);
  });

  it('lets its head be moved to the dead letters, and dead letters be redelivered behind the others', async () => {
    await using target = await startTarget();
    await using service = await borrowTestService({ settings: QUICK });
    const { api } = service;
    const id = await createWebhook(api, target.url, { paused: true });
    await createAccounts(api, 'a', 'b');
    await until(async () => !(await lineOf(api, id)).head.in_flight, 'the head is held');
    const skipped = await skipOnceFree(api, id);
    assert.deepEqual([skipped.state, skipped.depth], ['PAUSED', 1]);
    const [dead] = await listDeliveries(api, id);
    assert.equal(dead?.status, 'DEAD_LETTERED');
    assert.equal((await api.post(`/webhooks/${id}/deliveries/${dead?.id}/redeliver`)).status, 202);
    assert.deepEqual(target.requests, []);
    await updateWebhook(api, id, target.url);
    await target.waitFor(2);
    assert.deepEqual(accountsOf(target.requests), ['b', 'a']);
  });

  it('discards waiting messages when it is deactivated, and is still paused when it is activated', async () => {
    await using target = await startTarget();
    await using seen = await startTarget();
    await using service = await borrowTestService({ settings: QUICK });
    const { api } = service;
    const id = await createWebhook(api, target.url, { paused: true });
    await createWebhook(api, seen.url);
    await createAndSee(api, seen, 'a', 'b');
    await updateWebhook(api, id, target.url, { paused: true, enabled: false });
    const deliveries = await settledDeliveries(api, id, 2);
    assert.deepEqual(
      deliveries.map(({ status, status_reason: reason }) => [status, reason]),
      Array(2).fill(['DISCARDED', 'WEBHOOK_INACTIVE']),
    );
    const inactive = await recordOf(api, id);
    assert.equal(inactive.inactive_since_dt, inactive.updated_dt);
    await createAndSee(api, seen, 'never recorded');
    await updateWebhook(api, id, target.url, { paused: true, enabled: false, name: 'Renamed' });
    assert.equal((await recordOf(api, id)).inactive_since_dt, inactive.inactive_since_dt);
    await updateWebhook(api, id, target.url, { paused: true });
    assert.equal((await recordOf(api, id)).inactive_since_dt, null);
    await createAndSee(api, seen, 'c');
    await heldLine(api, id, 1);
    await updateWebhook(api, id, target.url);
    await target.waitFor(1);
    assert.deepEqual(accountsOf(target.requests), ['c']);
  });

  it('discards messages that ignore_before_dt excludes once it is resumed, not before', async () => {
    await using target = await startTarget();
    await using service = await borrowTestService({ settings: QUICK });
    const { api } = service;
    const id = await createWebhook(api, target.url, { paused: true });
    await createAccounts(api, 'a');
    const ignore_before_dt = '2999-01-01T00:00:00Z';
    await updateWebhook(api, id, target.url, { paused: true, ignore_before_dt });
    assert.equal((await lineOf(api, id)).depth, 1);
    await updateWebhook(api, id, target.url, { ignore_before_dt });
    const [delivery] = await settledDeliveries(api, id, 1);
    assert.deepEqual([delivery?.status, delivery?.status_reason], ['DISCARDED', 'BEFORE_IGNORE_DT']);
  });

  it('loses no message if it is resumed while one is being put on hold', async () => {
    await using target = await startTarget();
    await using service = await borrowTestService({ settings: { queue_polling_interval: 10 } });
    const { api } = service;
    const id = await createWebhook(api, target.url, { paused: true });
    const names = accountNames(60);
    for (const name of names) {
      await Promise.all([
        createAccounts(api, name),
        updateWebhook(api, id, target.url, { paused: true }).then(() => updateWebhook(api, id, target.url)),
      ]);
    }
    await untilLineEmpty(api, id);
    assert.deepEqual(accountsOf(target.requests), names);
  });

  it('is paused and resumed on every instance', SHARED_DATABASE, async () => {
    await using target = await startTarget();
    await using seen = await startTarget();
    await using instances = await startTogether(2, QUICK);
    const [one, other] = instances.apis as [Api, Api];
    const id = await createWebhook(one, target.url);
    await createWebhook(one, seen.url);
    const sent: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const [pauses, resumes] = round % 2 === 0 ? [one, other] : [other, one];
      await updateWebhook(pauses, id, target.url, { paused: true });
      await createAndSee(one, seen, `${round} a`);
      await createAndSee(other, seen, `${round} b`);
      assert.deepEqual(accountsOf(target.requests), sent);
      await updateWebhook(resumes, id, target.url);
      sent.push(`${round} a`, `${round} b`);
      await target.waitFor(sent.length);
      await untilLineEmpty(one, id);
    }
    assert.deepEqual(accountsOf(target.requests), sent);
  });

  it('queues and resumes on Amazon SQS, too', async () => {
    await using server = await startSqsServer();
    await using queues = await createTestQueues(server);
    await using target = await startTarget();
    await using seen = await startTarget();
    await using service = await borrowTestService({ settings: settingsOf(queues.place) });
    const { api } = service;
    const id = await createWebhook(api, target.url, { paused: true });
    await createWebhook(api, seen.url);
    const names = accountNames(12);
    await createAndSee(api, seen, ...names);
    assert.deepEqual(target.requests, []);
    await heldLine(api, id, names.length);
    await updateWebhook(api, id, target.url);
    await target.waitFor(names.length);
    assert.deepEqual(accountsOf(target.requests), names);
  });
});
