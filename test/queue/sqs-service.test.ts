import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeleteQueueCommand, SendMessageCommand, TagQueueCommand } from '@aws-sdk/client-sqs';
import { runQueuesCommand } from '../../src/cli/queues-command.ts';
import { startService } from '../../src/service.ts';
import type { SqsPlace } from '../../src/settings/sqs-place.ts';
import {
  accountNames,
  accountsOf,
  createAccounts,
  createWebhook,
  deliveriesOf,
} from '../delivery/webhook-helpers.ts';
import { createAdministrator, signedInBrowser } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { SILENT_LOGS } from '../support/logs.ts';
import { measureRunningTime } from '../support/running-time.ts';
import { startTestService, temporaryFolder, testSettings, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { countOn } from './sqs-bench.ts';
import { startSqsProxy } from './sqs-proxy.ts';
import { createTestQueues, type SqsServer, settingsOf, startSqsServer } from './sqs-server.ts';

let server: SqsServer;
aroundTests(async (parts) => {
  server = parts.use(await startSqsServer());
});

async function run(place: SqsPlace, ...args: string[]): Promise<{ code: number; text: string }> {
  let text = '';
  const write = (part: string) => {
    text += part;
  };
  const settings = () => ({ place, maxReceives: 7 });
  const installation = async () => 'test-installation';
  const code = await runQueuesCommand(args, { settings, installation, write, writeError: write });
  return { code, text };
}

describe('a service on Amazon SQS', () => {
  it('delivers in order, dead-letters to the second queue, and lets no failing webhook block another', async () => {
    await using queues = await createTestQueues(server, { maxReceives: 2 });
    await using good = await startTarget();
    await using bad = await startTarget({ respondWith: answer(500) });
    await using service = await startTestService({ settings: settingsOf(queues.place) });
    await createWebhook(service.api, good.url);
    const failing = await createWebhook(service.api, bad.url, { max_attempts: 10 });
    const names = accountNames(12);
    await createAccounts(service.api, ...names);

    await until(() => good.requests.length >= names.length, 'all arrived');
    assert.deepEqual(accountsOf(good.requests), names);
    // The queue's redrive maximum is smaller than the webhook's.
    const dead = await until(
      async () => (await deliveriesOf(service.api, failing)).find(({ status }) => status === 'DEAD_LETTERED'),
      'the first is dead',
    );
    assert.equal(dead.attempts, 2);
    await until(
      async () => Number((await queues.attributes('dead letters')).ApproximateNumberOfMessages) > 0,
      'it is in the dead-letter queue',
    );
    const ready = await fetch(`${service.url}/health/ready`);
    assert.equal(((await ready.json()) as { checks: { queue: string } }).checks.queue, 'ok');
  });
});

describe('a service that starts while Amazon SQS does not respond', () => {
  it('ends at once if it is stopped', async () => {
    await using queues = await createTestQueues(server);
    await using proxy = await startSqsProxy(server.endpoint);
    proxy.treat = () => 'silent';
    using folder = temporaryFolder();
    const place = { ...queues.place, endpoint: proxy.endpoint };
    const settings = testSettings(folder.path, settingsOf(place));
    const stopping = new AbortController();
    const started = startService(settings, { logs: SILENT_LOGS, version: '1', signal: stopping.signal });
    const ended = assert.rejects(started, (error) => error === stopping.signal.reason);
    await until(() => proxy.actions.length > 0, 'the queues are being checked');
    using took = measureRunningTime();
    stopping.abort();
    await ended;
    // A request has 10 s, and a second attempt.
    assert.ok(took.ms < 9_000, `${took.ms} ms`);
  });
});

describe('a service whose queue holds a message of another installation', () => {
  it('names the owner on the System page, fails its readiness check and the gauge, keeps the message, and continues to deliver', async () => {
    await using queues = await createTestQueues(server);
    await using target = await startTarget();
    await using service = await startTestService({ settings: settingsOf(queues.place) });
    await createAdministrator(service.settings.data_dir);
    const webhook = await createWebhook(service.api, target.url);
    await queues.client.send(
      new SendMessageCommand({
        QueueUrl: await queues.url('messages'),
        MessageBody: '{"theirs":true}',
        MessageGroupId: String(webhook),
        MessageDeduplicationId: 'theirs',
        MessageAttributes: { installation: { DataType: 'String', StringValue: 'the other one' } },
      }),
    );
    await until(async () => (await fetch(`${service.url}/health/ready`)).status === 503, 'readiness fails');
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    assert.match(metrics, /^coursewire_check_ok\{check="queue"\} 0$/m);
    const admin = await signedInBrowser(service.url);
    const { body } = await admin.get('/ui/api/health');
    assert.equal(body.checks.queue, 'failed');
    assert.match(body.queue.obstacle, /of the installation the other one.*message_queue_name/);
    await createAccounts(service.api, 'Acme');
    await until(() => target.requests.length > 0, 'the account’s message arrives');
    assert.deepEqual(accountsOf(target.requests), ['Acme']);
    assert.equal(await countOn(queues, 'messages'), 1);
  });
});

describe('changing queue_driver', () => {
  it('leaves no message behind: the other driver delivers waiting messages in order, there and back', async () => {
    await using queues = await createTestQueues(server);
    await using target = await startTarget({ respondWith: answer(503) });
    using folder = temporaryFolder();
    const onSqs = settingsOf(queues.place);
    const names = accountNames(6);
    let webhook = 0;
    const later = { retry_initial_delay: 0.05, retry_max_delay: 0.1 };

    {
      await using service = await startTestService({ dataDir: folder.path, settings: later });
      webhook = await createWebhook(service.api, target.url, { max_attempts: 1_000 });
      await createAccounts(service.api, ...names.slice(0, 2));
      await target.waitFor(1);
    }
    {
      await using service = await startTestService({
        dataDir: folder.path,
        settings: { ...onSqs, ...later },
      });
      // The waiting messages reach Amazon SQS without a further event.
      const attempts = target.requests.length;
      await until(() => target.requests.length > attempts, 'what waited is tried');
      await createAccounts(service.api, ...names.slice(2, 4));
    }
    target.requests.length = 0;
    target.respondWith(answer(204));
    {
      await using service = await startTestService({ dataDir: folder.path, settings: later });
      await createAccounts(service.api, ...names.slice(4));
      await until(() => target.requests.length >= names.length, 'all arrived');
      await until(
        async () => (await deliveriesOf(service.api, webhook)).every(({ status }) => status === 'DELIVERED'),
        'all are settled',
      );
    }
    assert.deepEqual(accountsOf(target.requests), names);
  });
});

describe('coursewire queues', () => {
  it('creates both queues with the redrive policy once, and then finds no fault with them', async () => {
    await using queues = await createTestQueues(server);
    for (const queue of ['messages', 'dead letters'] as const)
      await queues.client.send(new DeleteQueueCommand({ QueueUrl: await queues.url(queue) }));
    const { place } = queues;

    assert.match((await run(place, 'check')).text, /does not exist/);
    const made = await run(place, 'create');
    assert.deepEqual([made.code, made.text.match(/was created/g)?.length], [0, 2]);
    const policy = JSON.parse((await queues.attributes('messages')).RedrivePolicy ?? '');
    assert.equal(policy.maxReceiveCount, 7);
    assert.equal(policy.deadLetterTargetArn, (await queues.attributes('dead letters')).QueueArn);
    const again = await run(place, 'create');
    assert.deepEqual([again.code, again.text.match(/exists/g)?.length], [0, 2]);
    assert.equal((await run(place, 'check')).code, 0);
  });

  it('reports a missing redrive policy, and adds it without changing anything else', async () => {
    await using queues = await createTestQueues(server, { redrive: false });
    const checked = await run(queues.place, 'check');
    assert.equal(checked.code, 1);
    assert.match(checked.text, /no redrive policy/);
    assert.equal((await run(queues.place, 'create')).code, 0);
    assert.equal((await queues.attributes('messages')).VisibilityTimeout, '120');
    assert.equal((await run(queues.place, 'check')).code, 0);
  });

  it('changes nothing if a queue belongs to another installation', async () => {
    await using queues = await createTestQueues(server, { redrive: false });
    const owner = { 'coursewire-installation': 'another' };
    await queues.client.send(new TagQueueCommand({ QueueUrl: await queues.url('messages'), Tags: owner }));
    const made = await run(queues.place, 'create');
    assert.equal(made.code, 1);
    assert.match(made.text, /belongs to the installation another, and this is test-installation/);
    assert.deepEqual([await queues.tags('messages'), await queues.tags('dead letters')], [owner, {}]);
    assert.equal((await queues.attributes('messages')).RedrivePolicy ?? '', '');
  });

  it('does not claim queues without an owner when it only checks them', async () => {
    await using queues = await createTestQueues(server);
    const checked = await run(queues.place, 'check');
    assert.equal(checked.code, 0);
    for (const name of [queues.place.messageQueueName, queues.place.deadLetterQueueName])
      assert.match(checked.text, new RegExp(`${name} has no owner yet`));
    assert.deepEqual([await queues.tags('messages'), await queues.tags('dead letters')], [{}, {}]);
    assert.equal((await run(queues.place, 'create')).code, 0);
    const owned = { 'coursewire-installation': 'test-installation' };
    assert.deepEqual([await queues.tags('messages'), await queues.tags('dead letters')], [owned, owned]);
    assert.doesNotMatch((await run(queues.place, 'check')).text, /no owner/);
  });

  it('prints its usage, and rejects unknown arguments', async () => {
    const place = { messageQueueName: 'a.fifo', deadLetterQueueName: 'b.fifo', region: null, endpoint: null };
    assert.equal((await run(place, '--help')).code, 0);
    assert.equal((await run(place, 'destroy')).code, 2);
    assert.equal((await run(place)).code, 2);
  });
});
