import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { insertSharedBody, ownPart } from '../../src/queue/shared-bodies.ts';
import { openDatabaseQueue } from '../queue/database-engine.ts';
import { messageOf } from '../queue/queue-engine.ts';
import { openDatabaseOf } from '../support/database.ts';
import { eachPage } from '../support/each-page.ts';
import { type Api, startTestService, until } from '../support/service.ts';
import { createWebhook } from './webhook-helpers.ts';

const MESSAGES = 24;
const LARGE = 2 * 1_024 * 1_024;
/** The maximum that one step reads, plus one message. */
const MAX_A_STEP = 9;

/** Messages of two MiB each. Half of them share their text. */
async function queueLargeMessages(dataDir: string, lineId: number): Promise<void> {
  await using database = await openDatabaseOf(dataDir);
  const queue = new DatabaseQueue({ database, maxReceives: 1_000, now: Date.now });
  const text = `"text":"${'x'.repeat(LARGE)}"`;
  await database.transaction(async (tx) => {
    const id = await insertSharedBody(tx, text);
    for (let n = 0; n < MESSAGES; n++)
      await queue.enqueue(tx, [
        {
          lineId,
          messageId: `m${String(n).padStart(2, '0')}`,
          label: 'ACCOUNT_CREATED',
          body: `{${text}}`,
          ...(n % 2 === 0 ? { shared: { id, own: ownPart('{', '}') } } : {}),
          occurredAt: Date.now(),
        },
      ]);
  });
}

/** Repeats a call until the end, and returns how many messages each one had. */
async function repeat(api: Api, call: string, member: 'purged' | 'redelivered'): Promise<number[]> {
  const counts: number[] = [];
  let left = MESSAGES;
  for await (const body of eachPage((step) => api.post(step), call)) {
    counts.push(body[member]);
    left -= body[member];
    assert.equal(body.remaining, left);
  }
  return counts;
}

function assertBounded(counts: readonly number[], what: string): void {
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    MESSAGES,
    what,
  );
  assert.ok(Math.max(...counts) <= MAX_A_STEP, `${what}: ${counts}`);
}

/** Messages of two MiB each in several lines. */
async function openLargeLines(lines: readonly number[], each: number) {
  await using stack = new AsyncDisposableStack();
  const engine = stack.use(await openDatabaseQueue());
  const { database, queue } = engine;
  const body = `{"text":"${'x'.repeat(LARGE)}"}`;
  for (let n = 0; n < each; n++)
    for (const lineId of lines) {
      const message = { ...messageOf(lineId, `${lineId}/${n}`, engine.now()), body };
      await database.transaction((tx) => queue.enqueue(tx, [message]));
    }
  const opened = stack.move();
  return { database, queue, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

describe('discards of very large messages behind several heads', () => {
  it('are short together, and continue until all are discarded in order', async () => {
    const lines = [1, 2, 3];
    const each = 7;
    await using opened = await openLargeLines(lines, each);
    const { database, queue } = opened;
    const discarded: string[] = [];
    for (let left = lines.length * each; left > 0; ) {
      const settled = await database.transaction(async (tx) => {
        const { received } = await queue.receive(tx, { capacity: 10, visibilityMs: 60_000 });
        const followersBefore = Number.MAX_SAFE_INTEGER;
        return await queue.settle(
          tx,
          received.map((message) => ({ message, action: 'discard' as const, followersBefore })),
        );
      });
      assert.ok(settled.length > 0);
      const followers = settled.reduce((sum, step) => sum + step.discarded.length, 0);
      assert.ok(followers <= MAX_A_STEP, `${followers} followers`);
      for (const step of settled)
        discarded.push(...[step.settlement.message, ...step.discarded].map(({ messageId }) => messageId));
      left -= settled.length + followers;
    }
    for (const line of lines)
      assert.deepEqual(
        discarded.filter((id) => id.startsWith(`${line}/`)),
        Array.from({ length: each }, (_, n) => `${line}/${n}`),
      );
  });
});

describe('steps over very large messages', () => {
  it('are short, however many messages are requested, and reach all of them in order', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const id = await createWebhook(api, 'http://127.0.0.1:9/');
    await queueLargeMessages(service.settings.data_dir, id);
    const purge = () => repeat(api, `/webhooks/${id}/line/purge?limit=10000`, 'purged');
    const redeliver = (filter: string) =>
      repeat(
        api,
        `/webhooks/${id}/deliveries/redeliver?status=DISCARDED&limit=10000${filter}`,
        'redelivered',
      );
    assertBounded(await purge(), 'a purge');
    assertBounded(await redeliver(''), 'a redelivery');
    const { data } = (await api.get(`/webhooks/${id}/line/messages?limit=100`)).body;
    const ids = data.map((message: { message_id: string }) => message.message_id);
    assert.equal(ids.length, MESSAGES);
    assert.deepEqual(ids, ids.toSorted());
    assertBounded(await purge(), 'a purge of redelivered messages');
    assertBounded(await redeliver('&subtopic=ACCOUNT_CREATED'), 'a redelivery with a filter');
  });
});

describe('searches in very large messages', () => {
  it('examine few at a time, and continue until all are examined', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const id = await createWebhook(api, 'http://127.0.0.1:9/');
    await queueLargeMessages(service.settings.data_dir, id);
    const { data: waiting } = (await api.get(`/webhooks/${id}/line/messages?limit=100`)).body;
    assert.equal(waiting.length, MESSAGES, 'a page of the line has all');
    for (const { position } of waiting) {
      const { status, body } = await api.post(`/webhooks/${id}/line/messages/${position}/skip`);
      assert.equal(status, 200, JSON.stringify(body));
    }
    const lists = [`/webhooks/${id}/deliveries?`, '/ui/api/dead-letters?'];
    const searches = [...lists, `/webhooks/${id}/deliveries?status=DEAD_LETTERED&`];
    for (const list of lists) {
      const { data } = (await api.get(`${list}limit=100`)).body;
      assert.equal(data.length, MESSAGES, `a page of ${list} has all`);
    }
    const pagesOf = async (search: string) => {
      let pages = 0;
      for await (const { data } of eachPage((page) => api.get(page), `${search}account_id=7`)) {
        assert.deepEqual(data, []);
        pages += 1;
      }
      return pages;
    };
    // The newest deliveries are examined in addition, until they are listed.
    for (const search of searches)
      await until(async () => {
        const pages = await pagesOf(search);
        return pages >= MESSAGES / MAX_A_STEP && pages < MESSAGES;
      }, `a search takes several pages: ${search}`);
    const steps: number[] = [];
    const redelivery = `/webhooks/${id}/deliveries/redeliver?account_id=7`;
    for await (const { redelivered } of eachPage((step) => api.post(step), redelivery))
      steps.push(redelivered);
    assert.ok(steps.length >= MESSAGES / MAX_A_STEP && steps.length < MESSAGES, `${steps.length} steps`);
  });
});
