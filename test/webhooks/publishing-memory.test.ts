import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MIB } from '../../src/bytes.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { WebhookPublisher } from '../../src/webhooks/events/webhook-publisher.ts';
import { openDatabaseOf } from '../support/database.ts';
import { CLIENT_EMAIL, startTestService } from '../support/service.ts';
import { webhookInput } from './webhook-expectations.ts';

// Runs on SQLite in `npm test`: it measures the memory of the process. The tests of fan-out publish many messages on both.

const WEBHOOKS = 150;
const EVENTS = 150;
/** A copy of each webhook for each event takes 50 MiB. */
const MOST_MIB = 15;

/** Only what is published counts, not the storage of messages. */
class UnwrittenQueue extends DatabaseQueue {
  override async enqueue(): Promise<void> {}
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapMib(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / MIB;
}

test('many events of many webhooks keep each webhook in memory once until they are committed', async () => {
  await using service = await startTestService({ settings: { enable_queue_polling: false } });
  const { api } = service;
  for (let n = 0; n < WEBHOOKS; n++) {
    const target_url = `https://example.com/${n}/${'x'.repeat(2_000)}`;
    await api.create('/webhooks', webhookInput({ name: `Webhook ${n}`, target_url }));
  }
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    subtopic: 'ACCOUNT_ACTIVATION_UPDATED' as const,
    user: CLIENT_EMAIL,
    resource: { account: { id: n + 1, name: 'Account', enabled: false } },
    accountId: n + 1,
    content: [],
  }));
  await using database = await openDatabaseOf(service.settings.data_dir);
  let published = 0;
  const publisher = new WebhookPublisher({
    queue: new UnwrittenQueue({ database, maxReceives: 1_000, now: Date.now }),
    now: Date.now,
    onPublished: (_event, webhookIds) => {
      published += webhookIds.length;
    },
  });
  const grown = await database.transaction(async (tx) => {
    const before = heapMib();
    await publisher.publish(tx, ...events);
    return heapMib() - before;
  });
  assert.equal(published, EVENTS * WEBHOOKS);
  assert.ok(grown < MOST_MIB, `${grown} MiB more`);
});
