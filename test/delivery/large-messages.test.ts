import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { ownPart } from '../../src/queue/shared-bodies.ts';
import { openDatabaseOf } from '../support/database.ts';
import { type Api, startTestService } from '../support/service.ts';
import { createWebhook } from './webhook-parts.ts';

const MESSAGES = 24;
const LARGE = 2 * 1_024 * 1_024;
/** What one step reads at most, plus one message. */
const MAX_A_STEP = 9;

/** Messages of two MiB each. Half of them share their text. */
async function queueLargeMessages(dataDir: string, lineId: number): Promise<void> {
  await using database = await openDatabaseOf(dataDir);
  const queue = new DatabaseQueue({ database, maxReceives: 1_000, now: Date.now });
  const text = `"text":"${'x'.repeat(LARGE)}"`;
  await database.transaction(async (tx) => {
    const id = await queue.share(tx, text);
    for (let n = 0; n < MESSAGES; n++)
      await queue.enqueue(tx, [
        {
          lineId,
          messageId: `m${String(n).padStart(2, '0')}`,
          label: 'ACCOUNT_CREATED',
          body: `{${text}}`,
          ...(n % 2 === 0 ? { shared: { id, own: ownPart('{', '}') } } : {}),
          enqueuedAt: Date.now(),
        },
      ]);
  });
}

/** Repeats a call until the end, and returns how many messages each one had. */
async function repeat(api: Api, call: string, member: 'purged' | 'redelivered'): Promise<number[]> {
  const counts: number[] = [];
  let left = MESSAGES;
  for (let cursor: string | null = ''; cursor !== null && counts.length < MESSAGES; ) {
    const { status, body } = await api.post(`${call}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    assert.ok(status === 200 || status === 202, JSON.stringify(body));
    counts.push(body[member]);
    left -= body[member];
    assert.equal(body.remaining, left);
    cursor = body.next_cursor;
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
