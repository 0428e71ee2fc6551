import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabaseOf } from '../support/database.ts';
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

describe('redelivering some of very many dead letters', () => {
  test('keeps their order, and delays nothing else', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const { id } = await api.create('/webhooks', webhookInput());
    // The service removes what is too old as soon as it has started.
    const now = Date.now();
    await using database = await openDatabaseOf(service.settings.data_dir);
    await database.transaction(
      (tx) =>
        tx.insertMany(
          'deliveries',
          [
            ...['webhook_id', 'message_id', 'subtopic', 'status', 'body', 'enqueued_at', 'updated_at'],
            ...['attempts', 'attempted_at', 'duration_ms', 'response_status', 'resent'],
          ],
          Array.from({ length: DEAD_LETTERS }, (_, n) => [
            ...[id, messageId(n), 'ACCOUNT_CREATED', n % 2 === 0 ? 'DEAD_LETTERED' : 'DISCARDED'],
            ...['{"padding":"as long as a message is"}', now, now, 10, now, 5, 503, 0],
          ]),
        ),
      { isLong: true },
    );
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
});
