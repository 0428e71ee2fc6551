import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReceivedMessage, Settlement } from '../../src/queue/message-queue.ts';
import { type OpenQueue, QueueUser, VISIBILITY_MS } from './queue-engine.ts';

/** A receiver's rights while it holds a lease, and after it has lost it. */
export function leaseContract(open: OpenQueue): void {
  describe('a lease', () => {
    it('hides the head until it expires, then gives it to the next receiver', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'head', 'follower');
      const first = await user.receiveOne();
      await engine.pass(VISIBILITY_MS / 2);
      assert.deepEqual(await user.receiveNames(), []);
      await engine.pass(VISIBILITY_MS / 2);
      const second = await user.receiveOne();
      assert.equal(second.messageId, 'head');
      assert.equal(first.receiveCount, 1);
      assert.equal(second.receiveCount, 2);
      assert.notEqual(second.leaseToken, first.leaseToken);
    });

    const settlements: ((message: ReceivedMessage) => Settlement)[] = [
      (message) => ({ message, action: 'delete' }),
      (message) => ({ message, action: 'retry', availableAt: 0 }),
      (message) => ({ message, action: 'release' }),
      (message) => ({ message, action: 'dead-letter' }),
      (message) => ({ message, action: 'discard', followersBefore: Number.MAX_SAFE_INTEGER }),
    ];
    for (const settlement of settlements) {
      const { action } = settlement({} as ReceivedMessage);

      it(`that was lost does not allow its holder to ${action}`, async () => {
        await using engine = await open();
        const user = new QueueUser(engine);
        await user.put(1, 'head', 'follower');
        const lost = await user.receiveOne();
        await engine.pass(VISIBILITY_MS);
        const held = await user.receiveOne();
        const before = await engine.queue.lines.line(1);

        assert.deepEqual(await user.settle(settlement(lost)), []);
        assert.deepEqual(await engine.queue.lines.line(1), before);
        assert.deepEqual(await user.receiveNames(), []);
        assert.equal((await user.settle({ message: held, action: 'delete' })).length, 1);
        assert.deepEqual(await user.drain(), ['follower']);
        assert.deepEqual(await engine.deadLetters(), []);
      });

      it(`ends when its message is settled by ${action}: a second time settles nothing`, async () => {
        await using engine = await open();
        const user = new QueueUser(engine);
        await user.put(1, 'head');
        await user.put(2, 'other');
        const [message, other] = await user.receive();
        const twice = await user.settle(settlement(message!), { message: message!, action: 'delete' });
        assert.deepEqual(
          twice.map((each) => each.settlement.action),
          [action],
        );
        assert.deepEqual(await user.settle({ message: message!, action: 'delete' }), []);
        assert.equal((await user.settle({ message: other!, action: 'delete' })).length, 1);
      });
    }

    for (const order of ['lost first', 'valid first'] as const) {
      it(`that was lost has no effect in a batch with the valid one of the same message (${order})`, async () => {
        await using engine = await open();
        const user = new QueueUser(engine);
        await user.put(1, 'head', 'follower');
        const lost = await user.receiveOne();
        await engine.pass(VISIBILITY_MS);
        const valid = await user.receiveOne();
        const batch = [
          { message: lost, action: 'dead-letter' } as const,
          { message: valid, action: 'delete' } as const,
        ];
        const settled = await user.settle(...(order === 'lost first' ? batch : batch.reverse()));
        assert.deepEqual(
          settled.map(({ settlement }) => settlement.message.leaseToken),
          [valid.leaseToken],
        );
        assert.deepEqual(await engine.deadLetters(), []);
        assert.deepEqual(await user.drain(), ['follower']);
      });
    }

    it('that was lost has no effect in a batch with those of other lines', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a1', 'a2');
      const lost = await user.receiveOne();
      await engine.pass(VISIBILITY_MS);
      await user.put(2, 'b1', 'b2');
      const [, other] = await user.receive();
      const settled = await user.settle(
        { message: lost, action: 'delete' },
        { message: other!, action: 'delete' },
      );
      assert.deepEqual(
        settled.map(({ settlement }) => settlement.message.messageId),
        ['b1'],
      );
      assert.deepEqual(await user.drain(), ['b2']);
    });

    it('of an earlier message of the line does not settle the current one', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b', 'c');
      const earlier = await user.receiveOne();
      await user.settle({ message: earlier, action: 'delete' });
      const current = await user.receiveOne();
      assert.deepEqual(await user.settle({ message: earlier, action: 'delete' }), []);
      assert.equal((await user.settle({ message: current, action: 'delete' })).length, 1);
      assert.deepEqual(await user.drain(), ['c']);
    });
  });

  describe('a retry', () => {
    it('makes the head due at the given time, and the whole line waits until then', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'head', 'follower');
      const message = await user.receiveOne();
      await user.settle({ message, action: 'retry', availableAt: engine.now() + 3_000 });
      assert.deepEqual(await user.receiveNames(), []);
      await engine.pass(1_000);
      await user.put(1, 'late');
      assert.deepEqual(await user.receiveNames(), []);
      await engine.pass(2_000);
      assert.equal((await user.receiveOne()).messageId, 'head');
    });

    it('whose time is past makes the head due at once', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'head');
      const message = await user.receiveOne();
      await user.settle({ message, action: 'retry', availableAt: engine.now() - 1_000 });
      assert.equal((await user.receiveOne()).receiveCount, 2);
    });

    it('costs the messages behind it no attempts, however often the head fails', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'head', 'follower');
      for (let attempt = 1; attempt <= 12; attempt++) {
        const head = await user.receiveOne();
        assert.deepEqual([head.messageId, head.receiveCount], ['head', attempt]);
        await user.settle({ message: head, action: 'retry', availableAt: engine.now() });
      }
      await user.settle({ message: await user.receiveOne(), action: 'dead-letter' });
      const follower = await user.receiveOne();
      assert.deepEqual([follower.messageId, follower.receiveCount], ['follower', 1]);
    });
  });
}
