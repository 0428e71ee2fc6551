import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { QueueMessage } from '../../src/queue/message-queue.ts';
import { contentOf, messageOf, type OpenQueue, QueueUser } from './queue-engine.ts';

/** Order within lines, their independence, and what queueing does. */
export function orderContract(open: OpenQueue): void {
  describe('order', () => {
    it('delivers the messages of a line one after another, in the order they were queued', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b');
      await user.put(1, 'c');
      assert.deepEqual(await user.drain(), ['a', 'b', 'c']);
    });

    it('receives at most one message of each line', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a1', 'a2', 'a3');
      await user.put(2, 'b1', 'b2');
      assert.deepEqual(await user.receiveNames(), ['a1', 'b1']);
    });

    it('receives at most as many messages as there is capacity for', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      for (const line of [1, 2, 3]) await user.put(line, `m${line}`);
      assert.deepEqual(await user.receiveNames(0), []);
      assert.equal((await user.receiveNames(2)).length, 2);
      assert.equal((await user.receiveNames(2)).length, 1);
    });

    it('gives nobody the next message while the head is in flight', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'head', 'follower');
      await user.receiveOne();
      assert.deepEqual(await user.receiveNames(), []);
      await user.put(1, 'later');
      assert.deepEqual(await user.receiveNames(), []);
    });

    it('lets no line wait for another', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'stuck', 'behind it');
      const stuck = await user.receiveOne();
      await user.put(2, 'free1', 'free2');
      assert.deepEqual(await user.drain(), ['free1', 'free2']);
      await user.settle({ message: stuck, action: 'retry', availableAt: engine.now() + 60_000 });
      await user.put(2, 'free3');
      assert.deepEqual(await user.drain(), ['free3']);
    });

    it('skips no line for long if there is capacity for few', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      for (const line of [1, 2, 3]) await user.put(line, `a${line}`, `b${line}`, `c${line}`);
      const linesServed = new Set<number>();
      for (let turn = 0; turn < 3; turn++) {
        await engine.pass(1);
        const [message] = await user.receive(1);
        assert.ok(message);
        linesServed.add(message.lineId);
        await user.settle({ message, action: 'delete' });
      }
      assert.deepEqual([...linesServed].sort(), [1, 2, 3]);
    });

    it('lets no busy line starve others, however quickly it is settled', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'busy1', 'busy2', 'busy3', 'busy4', 'busy5', 'busy6');
      let [message] = await user.receive(1);
      await user.put(2, 'patient');
      const came: string[] = [];
      for (let turn = 0; turn < 3; turn++) {
        await engine.pass(1);
        const { received } = await user.settleAndReceive({
          settlements: [{ message: message!, action: 'delete' }],
          capacity: 1,
        });
        message = received[0];
        came.push(message!.messageId);
      }
      assert.ok(came.includes('patient'), came.join());
    });

    it('returns messages as they were queued', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      const queued: QueueMessage = {
        lineId: 7,
        messageId: '0197-ünïcode',
        label: 'ACCOUNT_CREATED',
        body: '{"name":"Zoë \\"Ō\\" \u{1f600}\\n","quote":"\'","percent":"%s ? :a"}\n',
        occurredAt: engine.now() - 1,
      };
      await user.putAll([queued]);
      assert.deepEqual(contentOf(await user.receiveOne()), queued);
    });

    it('keeps the trace context of each message, also after a failed attempt, and has that of a redelivery', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      const traceContext = '{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}';
      const [traced, untraced] = [1, 2].map((lineId) => messageOf(lineId, `m${lineId}`, engine.now()));
      await user.putAll([{ ...traced!, traceContext }, untraced!]);
      const received = await user.receive();
      assert.deepEqual(
        received.map((message) => message.traceContext),
        [traceContext, undefined],
      );
      await user.settle(
        ...received.map((message) => ({ message, action: 'retry', availableAt: engine.now() }) as const),
      );
      const again = await user.receive();
      assert.deepEqual(
        again.map((message) => message.traceContext),
        [traceContext, undefined],
      );
      await user.settle(...again.map((message) => ({ message, action: 'dead-letter' }) as const));
      const dead = await engine.deadLetters();
      await user.redeliver(dead.map((message) => ({ ...message, traceContext })));
      assert.deepEqual(
        (await user.receive()).map((message) => message.traceContext),
        [traceContext, traceContext],
      );
    });

    it('is the order of commits when transactions overlap', async () => {
      await using engine = await open();
      const { queue, database } = engine;
      const user = new QueueUser(engine);
      const committed: Record<number, string[]> = { 1: [], 2: [], 3: [] };
      const change = async (number: number) => {
        const lines = [1, 2, 3].filter((line) => (number + line) % 3 !== 0);
        await database.transaction(async (tx) => {
          if (number % 2 === 0) await setImmediate();
          await queue.enqueue(
            tx,
            lines.map((line) => messageOf(line, `${line}-${number}`, engine.now())),
          );
          // This transaction locks the lines until it commits, so no other one reaches this point before.
          for (const line of lines) committed[line]!.push(`${line}-${number}`);
          if (number % 3 === 0) await setImmediate();
        });
      };
      await Promise.all(Array.from({ length: 30 }, (_, number) => change(number)));
      // On PostgreSQL, a copy that arrives while another transaction has locked its line makes nothing due. The timer
      // does.
      await engine.pass(1_000);
      await engine.arrived();

      const came: Record<number, string[]> = { 1: [], 2: [], 3: [] };
      for (const name of await user.drain()) came[Number(name[0])]!.push(name);
      assert.deepEqual(came, committed);
    });
  });

  describe('queueing', () => {
    it('leaves nothing behind when the transaction is rolled back', async () => {
      await using engine = await open();
      const { queue, database } = engine;
      const user = new QueueUser(engine);
      await user.put(1, 'before');
      const before = await user.receiveOne();
      const undone = database.transaction(async (tx) => {
        await queue.enqueue(tx, [messageOf(1, 'undone', 0), messageOf(2, 'undone too', 0)]);
        throw new Error('changed my mind');
      });
      await assert.rejects(undone, { message: 'changed my mind' });
      assert.equal((await queue.lines.line(1)).depth, 1);
      assert.deepEqual(await queue.lines.line(2), { depth: 0, head: null });
      await user.settle({ message: before, action: 'delete' });
      assert.deepEqual(await user.drain(), []);
    });

    it('is invisible before the transaction commits', async () => {
      await using engine = await open();
      const { queue, database } = engine;
      let depthBefore: number | undefined;
      await database.transaction(async (tx) => {
        await queue.enqueue(tx, [messageOf(1, 'a', 0)]);
        depthBefore = (await queue.lines.line(1)).depth;
      });
      assert.equal(depthBefore, 0);
      assert.equal((await queue.lines.line(1)).depth, 1);
    });

    it('wakes receivers once the messages can be received', async () => {
      await using engine = await open();
      const { queue } = engine;
      const user = new QueueUser(engine);
      const { promise: woken, resolve } = Promise.withResolvers<void>();
      queue.lines.onAvailable(resolve);
      await user.put(1, 'a');
      await woken;
      assert.deepEqual(await user.receiveNames(), ['a']);
    });

    it('of nothing changes nothing', async () => {
      await using engine = await open();
      await new QueueUser(engine).putAll([]);
      assert.equal((await engine.queue.lines.totals()).waiting, 0);
    });
  });
}
