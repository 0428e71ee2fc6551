import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  accountNames,
  accountsOf,
  createAccounts,
  createWebhook,
  untilLineEmpty,
  untilRetrying,
  updateWebhook,
} from '../delivery/webhook-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { damagedPages } from '../support/damage.ts';
import { openDatabaseOf, runSql } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startTestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { createTestQueues, type SqsServer, settingsOf, startSqsServer } from './sqs-server.ts';

let server: SqsServer;
aroundTests(async (parts) => {
  server = parts.use(await startSqsServer());
});

describe('a message that cannot be read, on Amazon SQS', () => {
  it('lets only its own webhook wait until it is skipped, and has a copy on the dead-letter queue', async () => {
    await using queues = await createTestQueues(server);
    await using target = await startTarget();
    await using others = await startTarget();
    await using service = await startTestService({ settings: settingsOf(queues.place) });
    const { api } = service;
    const id = await createWebhook(api, target.url, { paused: true });
    const other = await createWebhook(api, others.url);
    await createAccounts(api, 'first', 'second');
    await untilLineEmpty(api, other);
    await runSql(
      service.settings.data_dir,
      `update queue_messages set shared_body_id = 4711
       where id = (select min(first.id) from queue_messages as first where first.line_id = ?) returning id`,
      id,
    );
    await updateWebhook(api, id, target.url);
    const line = await untilRetrying(api, id);
    assert.match(line.head.unreadable, /shared part 4711/);
    const names = accountNames(12);
    await createAccounts(api, ...names);
    await others.waitFor(2 + names.length);
    assert.deepEqual(accountsOf(target.requests), []);

    await until(async () => (await api.post(`/webhooks/${id}/line/skip`)).status === 200, 'it is skipped');
    await target.waitFor(1 + names.length);
    assert.deepEqual(accountsOf(target.requests), ['second', ...names]);
    await until(
      async () => Number((await queues.attributes('dead letters')).ApproximateNumberOfMessages) === 1,
      'it has a copy on the dead-letter queue',
    );
  });
});

describe('a dead letter that cannot be read, on Amazon SQS', {
  skip: !ON_POSTGRES && 'it damages pages of PostgreSQL',
}, () => {
  it('does not keep those behind it from being copied to the dead-letter queue', async () => {
    await using queues = await createTestQueues(server);
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await startTestService({ settings: settingsOf(queues.place) });
    const { api, settings } = service;
    const id = await createWebhook(api, target.url, { max_attempts: 1 });
    await createAccounts(api, 'first', 'second');
    await untilLineEmpty(api, id);
    const copies = async () => Number((await queues.attributes('dead letters')).ApproximateNumberOfMessages);
    await until(async () => (await copies()) === 2, 'both have copies');
    await using database = await openDatabaseOf(settings.data_dir);
    await database.transaction(async (tx) => {
      const dead = await tx.all<{ id: number }>('select id from queue_dead_letters order by id');
      await damagedPages({ table: 'queue_dead_letters', column: 'body' }).do(tx, dead[0]!.id);
      await tx.run('update queue_dead_letters set copy_at = id');
    });
    await until(async () => (await copies()) === 3, 'the second has another copy');
  });
});
