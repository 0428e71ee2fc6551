import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SqlRow } from '../../src/database/database.ts';
import { openDatabaseOf } from '../support/database.ts';
import { longestStallDuring } from '../support/event-loop.ts';
import { startTestService, type TestService } from '../support/service.ts';

// Needs a process of its own: it measures stalls of the event loop.

/** The longest time that the event loop may be blocked, in ms. */
const MAX_STALL_MS = 100;
const MANY_WEBHOOKS = 10_000;

/**
 * Adds active webhooks for every ACCOUNT_CREATED event, as the service would store them. The API would take minutes.
 */
async function addWebhooks({ settings }: TestService, count: number): Promise<void> {
  await using database = await openDatabaseOf(settings.data_dir);
  const rows = (row: (id: number) => SqlRow) => Array.from({ length: count }, (_, n) => row(n + 1));
  await database.transaction(async (tx) => {
    await tx.insertMany(
      'webhooks',
      [
        ...['id', 'name', 'topic', 'all_subtopics', 'target_url', 'authentication_type', 'enabled'],
        ...['max_attempts', 'logging_mode', 'revision', 'created_at', 'updated_at'],
      ],
      rows((id) => [
        ...[id, `Webhook ${id}`, 'ACCOUNT', 0, 'http://127.0.0.1:9/', 'NONE', 1, 10, 'NONE', 1, 0, 0],
      ]),
    );
    await tx.insertMany(
      'webhook_statistics',
      ['webhook_id', 'valid_from', 'success_count', 'error_count', 'in_error'],
      rows((id) => [id, 0, 0, 0, 0]),
    );
    await tx.insertMany(
      'webhook_triggers',
      ['subtopic', 'focus_type', 'focus_id', 'webhook_id', 'needs_content'],
      rows((id) => ['ACCOUNT_CREATED', 'ANY', 0, id, 0]),
    );
  });
}

describe('an event that matches 10,000 webhooks', () => {
  test('delays nobody while its messages are written', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    await addWebhooks(service, MANY_WEBHOOKS);
    const stall = await longestStallDuring(async () => {
      const names = Array.from({ length: 10 }, (_, n) => `Account ${n}`);
      await Promise.all(names.map((name) => service.api.create('/accounts', { name })));
    });
    assert.ok(stall < MAX_STALL_MS, `the event loop was blocked for ${stall.toFixed()} ms`);
    const first = await service.api.get('/webhooks/1/line');
    assert.equal(first.body.depth, 10);
    const last = await service.api.get(`/webhooks/${MANY_WEBHOOKS}/line`);
    assert.equal(last.body.depth, 10);
  });
});
