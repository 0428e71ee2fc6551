import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { DAY_MS } from '../../src/time/units.ts';
import { historyCleaner } from '../support/cleaner.ts';
import { openDatabaseOf } from '../support/database.ts';
import { startTestService, type TestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { webhookInput } from './webhook-expectations.ts';

/** A name whose characters are escaped in a message, so that the messages of few webhooks have much text in common. */
const LONG_NAME = '"'.repeat(200);
const ESCAPED_NAME = JSON.stringify(LONG_NAME);
const WEBHOOKS = 30;
const MORE_THAN_ALL_RETENTION_MS = 10_000 * 86_400_000;

/** Characters of the longest message without the part that the messages of all webhooks share. */
const MAX_OWN_LENGTH = 300;

async function createWebhooks({ api }: TestService, target: Target): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < WEBHOOKS; n++) {
    const input = webhookInput({ name: `Webhook ${n}`, target_url: target.url, max_attempts: 1 });
    ids.push((await api.create('/webhooks', input)).id);
  }
  return ids;
}

/** The expected message, byte for byte, if the message of webhook 0 is `first`. */
function messageLike(first: string, firstId: number, id: number, n: number): string {
  return first
    .replace(
      `"subscription_id":${firstId},"name":"Webhook 0"`,
      `"subscription_id":${id},"name":"Webhook ${n}"`,
    )
    .toString();
}

/** Characters of bodies in a table, and how often the account's name is in it. */
async function stored({ reader }: Database, table: string, column: string) {
  const rows = await reader.all<{ text: string }>(`select ${column} as text from ${table}`);
  return {
    rows: rows.length,
    longest: Math.max(0, ...rows.map(({ text }) => text.length)),
    names: rows.filter(({ text }) => text.includes(ESCAPED_NAME)).length,
  };
}

async function cleanEverything(database: Database): Promise<void> {
  const now = () => Date.now() + MORE_THAN_ALL_RETENTION_MS;
  await using cleaner = historyCleaner(database, { now });
  await cleaner.cleanOnce();
}

describe('the messages of an event that matches many webhooks', () => {
  test('store their common part once while they wait, as dead letters, and in the history', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using folder = temporaryFolder();
    await using waiting = await startTestService({
      dataDir: folder.path,
      settings: { enable_queue_polling: false },
    });
    const ids = await createWebhooks(waiting, target);
    await waiting.api.create('/accounts', { name: LONG_NAME });
    await using database = await openDatabaseOf(waiting.settings.data_dir);
    const queued = await stored(database, 'queue_messages', 'stored_body');
    assert.equal(queued.rows, WEBHOOKS);
    assert.ok(queued.longest < MAX_OWN_LENGTH, `the longest has ${queued.longest} characters`);
    assert.equal(queued.names, 0);
    assert.equal((await stored(database, 'shared_bodies', 'text')).names, 1);

    await waiting.stop();
    await using service = await startTestService({ dataDir: folder.path });
    const { api } = service;
    await target.waitFor(WEBHOOKS);
    const deliveryOf = async (id: number, status: string) =>
      await until(async () => {
        const { body } = await api.get(`/webhooks/${id}/deliveries`);
        return body.data[0]?.status === status && body.data[0];
      }, `the message of webhook ${id} is ${status}`);
    for (const id of ids) await deliveryOf(id, 'DEAD_LETTERED');
    for (const table of ['queue_dead_letters', 'deliveries'])
      assert.deepEqual(
        await stored(database, table, 'body'),
        { rows: WEBHOOKS, longest: queued.longest, names: 0 },
        table,
      );

    target.respondWith(answer(200));
    for (const id of ids) {
      const { status } = await api.post(`/webhooks/${id}/deliveries/redeliver`, {});
      assert.ok(status < 300, `${status}`);
    }
    await target.waitFor(2 * WEBHOOKS);
    const [first] = target.requests.filter(({ text }) => text.includes(`"subscription_id":${ids[0]},`));
    assert.ok(first!.text.includes(ESCAPED_NAME), first!.text);
    for (const [n, id] of ids.entries()) {
      const delivery = await deliveryOf(id, 'DELIVERED');
      const expected = messageLike(first!.text, ids[0]!, id, n);
      const received = target.requests.filter(({ text }) => text.includes(`"subscription_id":${id},`));
      assert.deepEqual(
        received.map(({ text }) => text),
        [expected, expected],
      );
      const { body } = await api.get(`/webhooks/${id}/deliveries/${delivery.id}`);
      assert.deepEqual(body.message, JSON.parse(expected));
    }
  });
});

describe('a part that messages share', () => {
  test('is removed with the last message that has it, and not before', async () => {
    await using target = await startTarget();
    await using service = await startTestService();
    const ids = await createWebhooks(service, target);
    await service.api.create('/accounts', { name: LONG_NAME });
    await target.waitFor(WEBHOOKS);
    await until(async () => {
      const { body } = await service.api.get(`/webhooks/${ids.at(-1)}/line`);
      return body.depth === 0;
    }, 'all are delivered');
    await using database = await openDatabaseOf(service.settings.data_dir);
    await until(async () => (await stored(database, 'deliveries', 'body')).rows === WEBHOOKS, 'recorded');
    await database.transaction((tx) =>
      tx.run('update deliveries set updated_at = ? where webhook_id = ?', Number.MAX_SAFE_INTEGER, ids[0]!),
    );
    await until(async () => (await stored(database, 'queue_messages', 'stored_body')).rows === 0, 'deleted');
    await cleanEverything(database);
    assert.equal((await stored(database, 'deliveries', 'body')).rows, 1);
    assert.equal((await stored(database, 'shared_bodies', 'text')).rows, 1);
    await database.transaction((tx) => tx.run('update deliveries set updated_at = 0'));
    await cleanEverything(database);
    assert.equal((await stored(database, 'deliveries', 'body')).rows, 0);
    assert.equal((await stored(database, 'shared_bodies', 'text')).rows, 0);
  });

  test('is kept for its event, which is kept longer than the dead letters', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await startTestService();
    await createWebhooks(service, target);
    await service.api.create('/accounts', { name: LONG_NAME });
    await target.waitFor(WEBHOOKS);
    await using database = await openDatabaseOf(service.settings.data_dir);
    const deadLetters = async () => (await stored(database, 'queue_dead_letters', 'body')).rows;
    await until(async () => (await deadLetters()) === WEBHOOKS, 'all are dead letters');
    await using cleaner = historyCleaner(database, {
      historyDays: 30,
      deadLetterDays: 1,
      now: () => Date.now() + 2 * DAY_MS,
    });
    await cleaner.cleanOnce();
    assert.equal(await deadLetters(), 0);
    assert.equal((await stored(database, 'deliveries', 'body')).rows, 0);
    const { body } = await service.api.get('/events');
    assert.equal(body.data[0]?.account?.name, LONG_NAME);
    await cleanEverything(database);
    assert.equal((await stored(database, 'shared_bodies', 'text')).rows, 0);
  });
});
