import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { openDatabaseOf } from '../support/database.ts';
import { eachPage } from '../support/each-page.ts';
import { longestStallDuring } from '../support/event-loop.ts';
import { startTestService } from '../support/service.ts';
import { webhookInput } from '../webhooks/webhook-expectations.ts';

// Needs a process of its own: it measures stalls of the event loop.

const MAX_STALL_MS = 100;
const DEAD_LETTERS = 100_000;
const STEPS = 3;
const LIMIT = 100;
const COUNTED_UP_TO = 10_000;

/** Ids in the order of their events, as those of real messages. */
function messageId(n: number): string {
  return `m-${String(n).padStart(6, '0')}`;
}

/** Writes deliveries to the history of a webhook. `rowOf` returns the status and its reason. */
async function insertDeliveries(
  database: Database,
  webhookId: number,
  length: number,
  rowOf: (n: number) => [status: string, reason: string | null],
): Promise<void> {
  // The service removes old deliveries as soon as it has started.
  const now = Date.now();
  await database.transaction(
    (tx) =>
      tx.insertMany(
        'deliveries',
        [
          ...['webhook_id', 'message_id', 'subtopic', 'status', 'status_reason', 'body', 'enqueued_at'],
          ...['updated_at', 'attempts', 'attempted_at', 'duration_ms', 'response_status', 'resent'],
        ],
        Array.from({ length }, (_, n) => [
          ...[webhookId, messageId(n), 'ACCOUNT_CREATED', ...rowOf(n)],
          ...['{"padding":"as long as a message is"}', now, now, 10, now, 5, 503, 0],
        ]),
      ),
    { isLong: true },
  );
}

describe('redelivering some of very many dead letters', () => {
  test('keeps their order, and delays nothing else', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const { id } = await api.create('/webhooks', webhookInput());
    await using database = await openDatabaseOf(service.settings.data_dir);
    await insertDeliveries(database, id, DEAD_LETTERS, (n) => [
      n % 2 === 0 ? 'DEAD_LETTERED' : 'DISCARDED',
      null,
    ]);
    const redeliver = () => api.post(`/webhooks/${id}/deliveries/redeliver?limit=${LIMIT}`);
    // The statements are prepared when they are first needed.
    await redeliver();
    const stall = await longestStallDuring(async () => {
      for (let step = 1; step < STEPS; step++) {
        const { status, body } = await redeliver();
        assert.equal(status, 202);
        assert.deepEqual([body.redelivered, body.remaining], [LIMIT, COUNTED_UP_TO]);
      }
    });
    assert.ok(stall < MAX_STALL_MS, `the event loop was blocked for ${stall.toFixed()} ms`);
    const queued = await database.reader.all<{ message_id: string }>(
      'select message_id from queue_messages order by id',
    );
    assert.deepEqual(
      queued.map((row) => row.message_id),
      Array.from({ length: STEPS * LIMIT }, (_, n) => messageId(n)),
    );
  });

  test('examines a part of those that someone removed in each call, and finds one behind them', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const { id } = await api.create('/webhooks', webhookInput());
    await using database = await openDatabaseOf(service.settings.data_dir);
    const dead = 5_000;
    await insertDeliveries(database, id, dead + 1, (n) =>
      n === dead ? ['DEAD_LETTERED', 'ATTEMPTS_EXHAUSTED'] : ['DISCARDED', 'REMOVED'],
    );
    const redelivered: number[] = [];
    for await (const body of eachPage((step) => api.post(step), `/webhooks/${id}/deliveries/redeliver`))
      redelivered.push(body.redelivered);
    assert.deepEqual(redelivered, [0, 0, 1]);
  });

  test('examines as many as its limit, if that is more', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const { id } = await api.create('/webhooks', webhookInput());
    await using database = await openDatabaseOf(service.settings.data_dir);
    const dead = 5_000;
    await insertDeliveries(database, id, dead, (n) => [
      'DISCARDED',
      n % 2 === 0 ? 'WEBHOOK_INACTIVE' : 'PURGED',
    ]);
    const { body } = await api.post(`/webhooks/${id}/deliveries/redeliver?limit=${dead}`);
    assert.equal(body.redelivered, dead / 2);
    const again = await api.post(`/webhooks/${id}/deliveries/redeliver?status=DISCARDED&limit=${dead}`);
    assert.deepEqual(again.body, { redelivered: dead / 2, remaining: 0, next_cursor: null });
  });
});
