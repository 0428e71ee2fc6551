import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database, Transaction } from '../../src/database/database.ts';
import type { ServiceEvent } from '../../src/events/event.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import type { QueueMessage } from '../../src/queue/message-queue.ts';
import { WebhookPublisher } from '../../src/webhooks/events/webhook-publisher.ts';
import { openDatabaseOf } from '../support/database.ts';
import { countWaiting } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { CLIENT_EMAIL, startTestService, until } from '../support/service.ts';
import { webhookInput } from './webhook-expectations.ts';

/** A queue that reports when the first messages of a transaction are queued, and continues when the test allows it. */
class PausingQueue extends DatabaseQueue {
  hasQueued = false;
  readonly #untilOtherQueued: () => Promise<unknown>;

  constructor(database: Database, untilOtherQueued: () => Promise<unknown>) {
    super({ database, maxReceives: 1_000, now: Date.now });
    this.#untilOtherQueued = untilOtherQueued;
  }

  override async enqueue(tx: Transaction, messages: readonly QueueMessage[]): Promise<void> {
    await super.enqueue(tx, messages);
    this.hasQueued = true;
    await this.#untilOtherQueued();
  }
}

function activationOf(account: { id: number; name: string }): ServiceEvent {
  return {
    subtopic: 'ACCOUNT_ACTIVATION_UPDATED',
    user: CLIENT_EMAIL,
    resource: { account: { id: account.id, name: account.name, enabled: false } },
    accountId: account.id,
    content: [],
  };
}

describe('two instances that publish events of the same webhooks at the same time', {
  skip: !ON_POSTGRES && 'one process has SQLite for itself',
}, () => {
  test('in opposite orders wait for each other, and neither is rolled back', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const accounts = [];
    const lineIds: number[] = [];
    for (const name of ['North', 'South']) {
      const account = await service.api.create('/accounts', { name });
      accounts.push(account);
      const focus = [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: account.id }];
      lineIds.push((await service.api.create('/webhooks', webhookInput({ name, focus }))).id);
    }
    const events = accounts.map(activationOf);
    await using one = await openDatabaseOf(service.settings.data_dir);
    await using other = await openDatabaseOf(service.settings.data_dir);
    // Neither instance queues its second event before the other one has queued its first, unless that one waits for a
    // lock.
    const untilOtherQueued = (): Promise<unknown> =>
      until(
        async () => queues.every(({ hasQueued }) => hasQueued) || (await countWaiting(one)) > 0,
        'both have queued an event, or one waits for the other',
      );
    const queues: readonly PausingQueue[] = [one, other].map(
      (database) => new PausingQueue(database, untilOtherQueued),
    );
    let runs = 0;
    const publish = async (instance: number, order: readonly ServiceEvent[]) =>
      await [one, other][instance]!.transaction(async (tx) => {
        runs += 1;
        const publisher = new WebhookPublisher({
          queue: queues[instance]!,
          now: Date.now,
          onPublished: () => {},
        });
        await publisher.publish(tx, ...order);
      });
    await Promise.all([publish(0, events), publish(1, events.toReversed())]);
    assert.equal(runs, 2, 'transactions that ran, those included that a deadlock undid');
    for (const lineId of lineIds) {
      const { body } = await service.api.get(`/webhooks/${lineId}/line`);
      assert.equal(body.depth, 2);
    }
  });
});
