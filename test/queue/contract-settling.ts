import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { QueueMessage, Settled } from '../../src/queue/message-queue.ts';
import { contentOf, messageOf, type OpenQueue, QueueUser, VISIBILITY_MS } from './queue-engine.ts';

/** More than an engine discards in one step. */
const MANY_FOLLOWERS = 1_200;

/** The effects of settlements. */
export function settlingContract(open: OpenQueue): void {
  describe('a delete', () => {
    it('removes the message and makes the next one due with a count of one', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b');
      await user.settle({ message: await user.receiveOne(), action: 'delete' });
      const next = await user.receiveOne();
      assert.deepEqual([next.messageId, next.receiveCount], ['b', 1]);
      await user.settle({ message: next, action: 'delete' });
      assert.equal((await engine.queue.lines.line(1)).depth, 0);
    });

    it('of the last message leaves a line that accepts messages as before', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a');
      await user.drain();
      await user.put(1, 'b', 'c');
      assert.deepEqual(await user.drain(), ['b', 'c']);
    });

    it('and receiving happen together: what settles a line also returns its next message', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b');
      const message = await user.receiveOne();
      const { received } = await user.settleAndReceive({
        settlements: [{ message, action: 'delete' }],
        capacity: 10,
      });
      assert.deepEqual(
        received.map((each) => each.messageId),
        ['b'],
      );
    });
  });

  describe('a release', () => {
    it('makes the head due at once without counting an attempt', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'head', 'follower');
      for (let turn = 0; turn < 3; turn++) {
        const head = await user.receiveOne();
        assert.deepEqual([head.messageId, head.receiveCount], ['head', 1]);
        await user.settle({ message: head, action: 'release' });
      }
      const failed = await user.receiveOne();
      await user.settle({ message: failed, action: 'retry', availableAt: engine.now() });
      await user.settle({ message: await user.receiveOne(), action: 'release' });
      assert.equal((await user.receiveOne()).receiveCount, 2);
    });

    it('until a later time makes the whole line wait until then, without counting an attempt', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'head', 'follower');
      const message = await user.receiveOne();
      await user.settle({ message, action: 'release', availableAt: engine.now() + 3_000 });
      await engine.pass(2_000);
      assert.deepEqual(await user.receiveNames(), []);
      await engine.pass(1_000);
      const head = await user.receiveOne();
      assert.deepEqual([head.messageId, head.receiveCount], ['head', 1]);
    });
  });

  describe('dead-lettering', () => {
    it('keeps messages unchanged, in their order, and unblocks their lines', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      const messages = ['a', 'b', 'c'].map((name) => messageOf(1, name, engine.now()));
      await user.putAll(messages);
      for (let count = 0; count < 2; count++)
        await user.settle({ message: await user.receiveOne(), action: 'dead-letter' });
      assert.deepEqual((await engine.deadLetters()).map(contentOf), messages.slice(0, 2));
      assert.deepEqual(await user.drain(), ['c']);
    });

    it('again after a redelivery leaves one dead letter', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a');
      for (let round = 0; round < 3; round++) {
        await user.settle({ message: await user.receiveOne(), action: 'dead-letter' });
        assert.equal((await engine.deadLetters()).length, 1);
        await user.redeliver(await engine.deadLetters());
        assert.equal((await engine.deadLetters()).length, 0);
      }
      assert.deepEqual(await user.drain(), ['a']);
    });

    it('of a message whose id is already in the dead-letter queue leaves one dead letter', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b');
      const message = await user.receiveOne();
      await user.settle({ message, action: 'dead-letter' });
      // As after a crash between the two halves of a move, on engines with separate queues.
      await engine.database.transaction((tx) => engine.queue.enqueue(tx, [contentOf(message)]));
      await engine.arrived();
      await user.settle({ message: await user.receiveOne(), action: 'delete' });
      await user.settle({ message: await user.receiveOne(), action: 'dead-letter' });
      assert.deepEqual((await engine.deadLetters()).map(contentOf), [contentOf(message)]);
      assert.equal((await engine.queue.lines.line(1)).depth, 0);
    });
  });

  describe('a discard', () => {
    it('includes the next messages that were queued before a time, and returns them', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      const at = (name: string, occurredAt: number) => messageOf(1, name, occurredAt);
      await user.putAll([at('a', 100), at('b', 200), at('c', 300), at('d', 400)]);
      await user.put(2, 'other line');
      const [message] = await user.receive();
      const [settled] = await user.settle({ message: message!, action: 'discard', followersBefore: 300 });
      assert.deepEqual(settled?.discarded.map(contentOf), [at('b', 200)]);
      assert.equal((await engine.queue.lines.line(1)).depth, 2);
      assert.deepEqual(await user.receiveNames(), ['c']);
      assert.deepEqual(await engine.deadLetters(), []);
    });

    it('stops at the first later message, so that the order is kept', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.putAll([messageOf(1, 'a', 100), messageOf(1, 'late', 900), messageOf(1, 'early', 200)]);
      const message = await user.receiveOne();
      await user.settle({ message, action: 'discard', followersBefore: 300 });
      assert.deepEqual(await user.drain(), ['late', 'early']);
    });

    it('without such messages removes only the head, even from an otherwise empty line', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.putAll([messageOf(1, 'a', 100), messageOf(1, 'b', 200)]);
      await user.settle({ message: await user.receiveOne(), action: 'discard', followersBefore: 0 });
      assert.equal((await engine.queue.lines.line(1)).depth, 1);
      const [last] = await user.settle({
        message: await user.receiveOne(),
        action: 'discard',
        followersBefore: Number.MAX_SAFE_INTEGER,
      });
      assert.deepEqual(last?.discarded, []);
      assert.deepEqual(await engine.queue.lines.line(1), { depth: 0, head: null });
    });

    it('of a long line removes each message once, in few steps', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      const names = Array.from({ length: MANY_FOLLOWERS }, (_, number) => `m${number}`);
      await user.put(1, ...names);
      const gone: QueueMessage[] = [];
      let steps = 0;
      for (let due = await user.receive(); due.length > 0; due = await user.receive()) {
        const settled = await user.settle({
          message: due[0]!,
          action: 'discard',
          followersBefore: Number.MAX_SAFE_INTEGER,
        });
        for (const { settlement, discarded } of settled) gone.push(settlement.message, ...discarded);
        steps += 1;
      }
      assert.deepEqual(
        gone.map((message) => message.messageId),
        names,
      );
      assert.ok(steps <= 10, `${steps} steps`);
    });
  });

  describe('settling and receiving in one transaction', () => {
    for (const leasesNext of [true, false]) {
      const how = leasesNext
        ? 'when settling is given the request'
        : 'when settling is not given the request';

      it(`receives the messages behind deleted ones for the first time, ${how}`, async () => {
        await using engine = await open();
        const user = new QueueUser(engine);
        await user.put(1, 'a1', 'b1', 'c1');
        await user.put(2, 'a2');
        await user.put(3, 'a3', 'b3');
        const [first, last, failed] = await user.receive();
        await user.settle({ message: failed!, action: 'retry', availableAt: engine.now() });
        const again = await user.receiveOne();
        const { received } = await user.settleAndReceive({
          settlements: [first!, last!, again].map((message) => ({ message, action: 'delete' }) as const),
          capacity: 10,
          leasesNext,
        });
        const names = received.map(({ messageId, receiveCount }) => `${messageId} ${receiveCount}`);
        assert.deepEqual(names.sort(), ['b1 1', 'b3 1']);
        assert.deepEqual(await user.receiveNames(), []);
        const settled = await user.settle(
          ...received.map((message) => ({ message, action: 'delete' }) as const),
        );
        assert.equal(settled.length, 2);
        assert.deepEqual(await user.drain(), ['c1']);
      });

      it(`receives no more than the capacity, and the rest remains due, ${how}`, async () => {
        await using engine = await open();
        const user = new QueueUser(engine);
        for (const line of [1, 2, 3]) await user.put(line, `a${line}`, `b${line}`);
        const heads = await user.receive();
        const { received } = await user.settleAndReceive({
          settlements: heads.map((message) => ({ message, action: 'delete' }) as const),
          capacity: 2,
          leasesNext,
        });
        assert.equal(received.length, 2);
        assert.equal((await user.receive()).length, 1);
      });

      it(`skips a line whose message is settled while others wait for capacity, ${how}`, async () => {
        await using engine = await open();
        const user = new QueueUser(engine);
        for (const line of [1, 2, 3]) await user.put(line, `a${line}`, `b${line}`);
        const seen: number[] = [];
        let received = await user.receive(1);
        while (seen.length < 6) {
          seen.push(received[0]!.lineId);
          await engine.pass(1);
          const settlements = received.map((message) => ({ message, action: 'delete' }) as const);
          ({ received } = await user.settleAndReceive({ settlements, capacity: 1, leasesNext }));
        }
        assert.deepEqual(new Set(seen.slice(0, 3)), new Set([1, 2, 3]), `in turns: ${seen}`);
      });
    }

    it('leaves leased messages due if the transaction fails', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b');
      const message = await user.receiveOne();
      const undone = engine.database.transaction(async (tx) => {
        const request = { capacity: 1, visibilityMs: VISIBILITY_MS };
        await engine.queue.settle(tx, [{ message, action: 'delete' }], request);
        throw new Error('changed my mind');
      });
      await assert.rejects(undone, { message: 'changed my mind' });
      assert.equal((await user.settle({ message, action: 'delete' })).length, 1);
      assert.deepEqual(await user.receiveNames(), ['b']);
    });
  });

  describe('a batch', () => {
    it('settles lines by different actions at once', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      for (const line of [1, 2, 3, 4, 5]) await user.put(line, `a${line}`, `b${line}`);
      const [a, b, c, d, e] = await user.receive();
      const settled = await user.settle(
        { message: a!, action: 'delete' },
        { message: b!, action: 'retry', availableAt: engine.now() + 5_000 },
        { message: c!, action: 'dead-letter' },
        { message: d!, action: 'discard', followersBefore: Number.MAX_SAFE_INTEGER },
        { message: e!, action: 'release' },
      );
      assert.equal(settled.length, 5);
      assert.deepEqual(await user.receiveNames(), ['b1', 'b3', 'a5']);
      assert.deepEqual(
        (await engine.deadLetters()).map((each) => each.messageId),
        ['a3'],
      );
    });

    it('reports to its recorder exactly what took effect, once', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a');
      const lost = await user.receiveOne();
      await engine.pass(VISIBILITY_MS);
      const message = await user.receiveOne();
      const recorded: Settled[][] = [];
      await user.settleAndReceive({
        settlements: [
          { message, action: 'delete' },
          { message: lost, action: 'dead-letter' },
        ],
        record: async (_tx, settled) => void recorded.push([...settled]),
      });
      assert.deepEqual(recorded, [[{ settlement: { message, action: 'delete' }, discarded: [] }]]);
    });

    it('commits together with the writes of its recorder', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b');
      const message = await user.receiveOne();
      await user.settleAndReceive({
        settlements: [{ message, action: 'delete' }],
        record: async (tx) => {
          await tx.run("insert into service_secrets (name, value) values ('recorded', 'a')");
        },
      });
      const rows = await engine.database.reader.all(
        "select value from service_secrets where name = 'recorded'",
      );
      assert.equal(rows.length, 1);
    });

    it('settles and receives nothing if its recorder fails, and can be settled again', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b');
      const message = await user.receiveOne();
      await user.put(2, 'other');
      const before = await engine.queue.lines.line(1);
      const failed = user.settleAndReceive({
        settlements: [{ message, action: 'dead-letter' }],
        capacity: 10,
        record: async (tx) => {
          await tx.run("insert into service_secrets (name, value) values ('recorded', 'a')");
          throw new Error('no room for history');
        },
      });
      await assert.rejects(failed, { message: 'no room for history' });
      assert.deepEqual(await engine.queue.lines.line(1), before);
      assert.deepEqual(await engine.deadLetters(), []);
      assert.deepEqual(
        await engine.database.reader.all("select value from service_secrets where name = 'recorded'"),
        [],
      );
      assert.deepEqual(await user.receiveNames(), ['other']);
      assert.equal((await user.settle({ message, action: 'delete' })).length, 1);
      assert.deepEqual(await user.drain(), ['b']);
    });
  });

  describe('a redelivery', () => {
    it('queues dead letters behind waiting messages, in the given order, with counts of zero', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b', 'waiting');
      for (let count = 0; count < 2; count++) {
        const failed = await user.receiveOne();
        await user.settle({ message: failed, action: 'retry', availableAt: engine.now() });
        await user.settle({ message: await user.receiveOne(), action: 'dead-letter' });
      }
      const [a, b] = await engine.deadLetters();
      await user.redeliver([b!, a!]);
      assert.deepEqual(await engine.deadLetters(), []);
      await user.settle({ message: await user.receiveOne(), action: 'delete' });
      const again = await user.receiveOne();
      assert.deepEqual([again.messageId, again.receiveCount], ['b', 1]);
      assert.deepEqual(contentOf(again), contentOf(b!));
      await user.settle({ message: again, action: 'delete' });
      assert.deepEqual(await user.drain(), ['a']);
    });

    it('that is rolled back keeps the dead letters', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a');
      await user.settle({ message: await user.receiveOne(), action: 'dead-letter' });
      const dead = await engine.deadLetters();
      const undone = engine.database.transaction(async (tx) => {
        await engine.queue.lines.redeliver(tx, dead);
        throw new Error('changed my mind');
      });
      await assert.rejects(undone, { message: 'changed my mind' });
      assert.deepEqual(await engine.deadLetters(), dead);
      assert.equal((await engine.queue.lines.line(1)).depth, 0);
    });

    it('wakes receivers', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a');
      await user.settle({ message: await user.receiveOne(), action: 'dead-letter' });
      const { promise: woken, resolve } = Promise.withResolvers<void>();
      engine.queue.lines.onAvailable(resolve);
      await user.redeliver(await engine.deadLetters());
      await woken;
    });
  });
}
