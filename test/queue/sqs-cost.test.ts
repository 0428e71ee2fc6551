import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/service.ts';
import { deliver, lines, openBench, settle } from './sqs-bench.ts';
import { type SqsServer, startSqsServer } from './sqs-server.ts';

/** What docs/operating.md says of the requests that the service pays for, counted. */

let server: SqsServer;
before(async () => {
  server = await startSqsServer();
});
after(() => server[Symbol.asyncDispose]());

/** Requests of each kind for a message, where so many lines have so many each. */
async function countRequests({
  lineCount,
  messages,
}: {
  lineCount: number;
  messages: number;
}): Promise<{ send: number; receive: number; delete: number; rest: number }> {
  await using bench = await openBench(server);
  const instance = await bench.open();
  const total = lineCount * messages;
  const lineIds = Array.from({ length: lineCount }, (_, n) => n + 1);
  const before = bench.proxy.actions.length;
  await bench.put(lines(lineIds, messages));
  await deliver(instance, total);
  await until(() => !instance.queue.isTelling, 'all is told');
  const actions = bench.proxy.actions.slice(before);
  const each = (name: string) => actions.filter((action) => action === name).length / total;
  const send = each('SendMessageBatch');
  const receive = each('ReceiveMessage');
  const deletes = each('DeleteMessageBatch');
  return { send, receive, delete: deletes, rest: actions.length / total - send - receive - deletes };
}

describe('requests to Amazon SQS', () => {
  it('are few for each message when many webhooks are busy: batches of ten are full', async (t) => {
    const found = await countRequests({ lineCount: 60, messages: 5 });
    t.diagnostic(JSON.stringify(found));
    assert.ok(found.send <= 0.2, `${found.send} sends`);
    assert.ok(found.receive <= 1.6, `${found.receive} receives`);
    assert.ok(found.delete <= 0.5, `${found.delete} deletes`);
    assert.ok(found.rest <= 0.05, `${found.rest} others`);
  });

  it('are up to five for each message of one webhook, which comes alone', async (t) => {
    const found = await countRequests({ lineCount: 1, messages: 60 });
    t.diagnostic(JSON.stringify(found));
    assert.ok(found.send <= 1.1, `${found.send} sends`);
    assert.ok(found.receive <= 3.5, `${found.receive} receives`);
    assert.ok(found.delete <= 1.1, `${found.delete} deletes`);
    assert.ok(found.rest <= 0.05, `${found.rest} others`);
  });

  it('are one for each wait while nothing comes, however much was to do before', async () => {
    await using bench = await openBench(server);
    const instance = await bench.open({ waitSeconds: 1 });
    await bench.put(
      lines(
        Array.from({ length: 40 }, (_, n) => n),
        2,
      ),
    );
    await deliver(instance, 80);
    await until(() => !instance.queue.isTelling, 'all is told');
    const waits = () => bench.proxy.actions.filter((action) => action === 'ReceiveMessage').length;
    const quiet = async (ms: number) => {
      const end = performance.now() + ms;
      await until(async () => {
        await settle(instance);
        return performance.now() > end;
      }, 'time passes');
    };
    // The calls that were busy find nothing within one wait.
    await quiet(1_500);
    const before = bench.proxy.actions.length;
    const waitsBefore = waits();
    await quiet(3_000);
    assert.equal(bench.proxy.actions.length - before, waits() - waitsBefore, 'nothing else is asked for');
    assert.ok(waits() - waitsBefore <= 4, `${waits() - waitsBefore} calls in three waits`);
  });
});
