import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  SendMessageCommand,
  SetQueueAttributesCommand,
  TagQueueCommand,
  UntagQueueCommand,
} from '@aws-sdk/client-sqs';
import { aroundTests } from '../support/around-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { recordedLogs } from '../support/logs.ts';
import { until } from '../support/service.ts';
import { countOn, deliver, inOrder, lines, openBench, readQueue, settle, sorted } from './sqs-bench.ts';
import { openTestSqsQueue } from './sqs-engine.ts';
import { type SqsServer, startSqsServer, type TestQueues } from './sqs-server.ts';

// Runs on SQLite in `npm test`: the owner of a queue is read from Amazon SQS. The tests of copies and placing store its messages on both.

const TAG = 'coursewire-installation';

let server: SqsServer;
aroundTests(async (parts) => {
  server = parts.use(await startSqsServer());
});

async function untag(queues: TestQueues): Promise<void> {
  for (const queue of ['messages', 'dead letters'] as const)
    await queues.client.send(new UntagQueueCommand({ QueueUrl: await queues.url(queue), TagKeys: [TAG] }));
}

async function send(queues: TestQueues, group: string, attributes: Record<string, string>): Promise<void> {
  await queues.client.send(
    new SendMessageCommand({
      QueueUrl: await queues.url('messages'),
      MessageBody: `for ${group}`,
      MessageGroupId: group,
      MessageDeduplicationId: `sent-to-${group}`,
      MessageAttributes: Object.fromEntries(
        Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
      ),
    }),
  );
}

// A received message of another installation stays hidden for seconds. The tests run at the same time, so that they
// wait together.
describe('a queue that belongs to another installation', { concurrency: true }, () => {
  it('is rejected at start with a message that names both and says what to do', async () => {
    await using bench = await openBench(server);
    await bench.open({ installation: 'first' });
    for (const queue of ['messages', 'dead letters'] as const) {
      await untag(bench.queues);
      await bench.queues.client.send(
        new TagQueueCommand({ QueueUrl: await bench.queues.url(queue), Tags: { [TAG]: 'first' } }),
      );
      const name =
        queue === 'messages' ? bench.queues.place.messageQueueName : bench.queues.place.deadLetterQueueName;
      await assert.rejects(bench.open({ installation: 'second' }), {
        name: 'SqsSetupError',
        message: new RegExp(
          `${name} belongs to the installation first, and this is second.*message_queue_name`,
        ),
      });
    }
  });

  it('is rejected without claiming the other queue, so its owner can still use that one', async () => {
    await using bench = await openBench(server);
    for (const queue of ['messages', 'dead letters'] as const) {
      await untag(bench.queues);
      await bench.queues.client.send(
        new TagQueueCommand({ QueueUrl: await bench.queues.url(queue), Tags: { [TAG]: 'first' } }),
      );
      await assert.rejects(bench.open({ installation: 'second' }), /belongs to the installation first/);
      const other = queue === 'messages' ? 'dead letters' : 'messages';
      assert.deepEqual(await bench.queues.tags(other), {});
      await using _first = await bench.open({ installation: 'first' });
      assert.deepEqual(await bench.queues.tags(other), { [TAG]: 'first' });
    }
  });

  it('does not determine the maximum number of attempts', async () => {
    await using bench = await openBench(server, { maxReceives: 7 });
    const { client } = bench.queues;
    const running = await bench.open();
    const QueueUrl = await bench.queues.url('messages');
    await client.send(new TagQueueCommand({ QueueUrl, Tags: { [TAG]: 'another' } }));
    const { QueueArn: deadLetterTargetArn } = await bench.queues.attributes('dead letters');
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 });
    await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy } }));
    await assert.rejects(bench.open(), /belongs to the installation another/);
    // The running instance checks the queues again after a failure.
    bench.proxy.treat = (action) => (action === 'SendMessageBatch' ? 'unavailable' : 'pass');
    await bench.put(lines([1], 1));
    await until(() => running.obstacle() !== null, 'it is found');
    assert.equal(running.queue.maxReceives, 7);
    bench.proxy.treat = () => 'unavailable';
    assert.equal((await bench.open()).queue.maxReceives, 7, 'after a start');
  });

  it('is recognized by a message if tags are not allowed: nothing is delivered or deleted, and readiness fails', async () => {
    await using bench = await openBench(server);
    await using other = await openTestDatabase();
    const { logs, lines: logged } = recordedLogs();
    const first = await bench.open({ installation: 'first', polls: false });
    await bench.put(lines([1], 3));
    await until(async () => (await countOn(bench.queues, 'messages')) === 3, 'all are on the queue');
    await untag(bench.queues);
    await using second = await openTestSqsQueue(other.database, bench.queues, {
      installation: 'second',
      log: logs.for('MessageQueue'),
    });
    await until(() => second.obstacle() !== null, 'it is found');
    assert.match(second.obstacle() ?? '', /of the installation first.*message_queue_name/);
    await assert.rejects(second.check(), /of the installation first/);
    assert.equal(
      logged.filter(({ level, msg }) => level === 'error' && /installation first/.test(msg)).length,
      1,
    );
    assert.equal((await second.queue.lines.line(1)).depth, 0);
    // Its own messages are still delivered, and no copies of them go there.
    await other.database.transaction((tx) => second.queue.enqueue(tx, lines([1], 2)));
    assert.deepEqual(sorted(await deliver(second, 2)), sorted(inOrder([1], 2)));
    // Sorted: unlike Amazon SQS, moto hands over a message while an earlier one of its group is hidden.
    const left = (await readQueue(bench.queues, 3)).map(({ Body }) => JSON.parse(Body ?? '').name);
    assert.deepEqual(left.sort(), ['1-0', '1-1', '1-2']);
    assert.equal((await first.queue.lines.line(1)).depth, 3);
  });

  for (const [whose, attributes] of [
    ['another program', {}],
    ['another installation with an earlier release', { message_id: 'theirs', position: '7', label: 'L' }],
  ] as const)
    it(`is recognized by a message of ${whose}, which is kept`, async () => {
      await using bench = await openBench(server);
      const instance = await bench.open();
      await send(bench.queues, '1', attributes);
      await until(() => instance.obstacle() !== null, 'it is found');
      await bench.put(lines([1], 3));
      assert.deepEqual(sorted(await deliver(instance, 3)), sorted(inOrder([1], 3)));
      assert.equal(await countOn(bench.queues, 'messages'), 1);
      assert.equal(await countOn(bench.queues, 'dead letters'), 0);
      await settle(instance);
      assert.equal((await readQueue(bench.queues, 1))[0]?.Body, 'for 1');
    });

  it('keeps a message of another program that arrives together with one of its own, which is deleted', async () => {
    await using bench = await openBench(server);
    await bench.open({ polls: false });
    await bench.put(lines([1], 1));
    await until(async () => (await countOn(bench.queues, 'messages')) === 1, 'its own is on the queue');
    await send(bench.queues, '9', {});
    await bench.open();
    const left = await until(async () => {
      const count = await countOn(bench.queues, 'messages');
      return count < 2 ? { count } : null;
    }, 'its own is deleted');
    assert.deepEqual(left, { count: 1 });
    assert.equal((await readQueue(bench.queues, 1))[0]?.Body, 'for 9');
  });

  it('is claimed at the first start if it has no owner', async () => {
    await using bench = await openBench(server);
    await bench.open({ installation: 'first' });
    await assert.rejects(bench.open({ installation: 'second' }), /belongs to the installation first/);
  });
});
