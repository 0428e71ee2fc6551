import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HeadAction, HeadActionResult } from '../../src/queue/message-queue.ts';
import {
  blockedLine,
  contentOf,
  type OpenQueue,
  type QueueEngine,
  QueueUser,
  VISIBILITY_MS,
} from './queue-engine.ts';

const ACTIONS: readonly HeadAction[] = ['retry', 'dead-letter'];

function act(
  { queue, database }: QueueEngine,
  lineId: number,
  action: HeadAction,
  messageId?: string,
): Promise<HeadActionResult> {
  return database.transaction((tx) => queue.lines.actOnHead(tx, lineId, action, messageId));
}

/** What an administrator may do to the head of a line. */
export function headContract(open: OpenQueue): void {
  describe('acting on a head', () => {
    it('makes it due now and keeps its count', async () => {
      await using engine = await open();
      const user = await blockedLine(engine, 'head', 'follower');
      const result = await act(engine, 1, 'retry');
      assert.equal(result.outcome, 'done');
      const head = await user.receiveOne();
      assert.deepEqual([head.messageId, head.receiveCount], ['head', 2]);
    });

    it('moves it to the dead-letter queue, returns it, and makes the next one due', async () => {
      await using engine = await open();
      const user = await blockedLine(engine, 'head', 'follower');
      const result = await act(engine, 1, 'dead-letter', 'head');
      assert.ok(result.outcome === 'done');
      assert.deepEqual(contentOf(result.message!), contentOf((await engine.deadLetters())[0]!));
      assert.equal((await engine.deadLetters()).length, 1);
      const next = await user.receiveOne();
      assert.deepEqual([next.messageId, next.receiveCount], ['follower', 1]);
    });

    it('moves the only message of a line, which is then empty', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'head');
      assert.equal((await act(engine, 1, 'dead-letter')).outcome, 'done');
      assert.deepEqual(await engine.queue.lines.line(1), { depth: 0, head: null });
      assert.deepEqual(await user.receiveNames(), []);
      await user.put(1, 'next');
      assert.equal((await user.receiveOne()).receiveCount, 1);
    });

    for (const action of ACTIONS) {
      it(`leaves a head in flight alone (${action})`, async () => {
        await using engine = await open();
        const user = new QueueUser(engine);
        await user.put(1, 'head', 'follower');
        const message = await user.receiveOne();
        assert.deepEqual(await act(engine, 1, action), { outcome: 'in-flight' });
        assert.equal((await user.settle({ message, action: 'delete' })).length, 1);
        assert.deepEqual(await user.drain(), ['follower']);
      });

      it(`leaves the head alone if it is not the intended one (${action})`, async () => {
        await using engine = await open();
        const user = await blockedLine(engine, 'head', 'follower');
        const before = await engine.queue.lines.line(1);
        assert.deepEqual(await act(engine, 1, action, 'follower'), { outcome: 'other-head' });
        assert.deepEqual(await engine.queue.lines.line(1), before);
        assert.deepEqual(await user.receiveNames(), []);
      });

      it(`does nothing to an empty or unknown line (${action})`, async () => {
        await using engine = await open();
        const user = new QueueUser(engine);
        await user.put(1, 'a');
        await user.drain();
        assert.deepEqual(await act(engine, 1, action), { outcome: 'empty' });
        assert.deepEqual(await act(engine, 999, action), { outcome: 'empty' });
      });

      it(`takes the expired lease from its receiver (${action})`, async () => {
        await using engine = await open();
        const user = new QueueUser(engine);
        await user.put(1, 'head', 'follower');
        const message = await user.receiveOne();
        await engine.pass(VISIBILITY_MS);
        assert.equal((await act(engine, 1, action)).outcome, 'done');
        assert.deepEqual(await user.settle({ message, action: 'delete' }), []);
        assert.deepEqual(await user.drain(), action === 'retry' ? ['head', 'follower'] : ['follower']);
      });

      it(`wakes receivers (${action})`, async () => {
        await using engine = await open();
        await blockedLine(engine, 'head', 'follower');
        const { promise: woken, resolve } = Promise.withResolvers<void>();
        engine.queue.lines.onAvailable(resolve);
        await act(engine, 1, action);
        await woken;
      });

      it(`leaves nothing behind when the transaction is rolled back (${action})`, async () => {
        await using engine = await open();
        await blockedLine(engine, 'head', 'follower');
        const before = await engine.queue.lines.line(1);
        const undone = engine.database.transaction(async (tx) => {
          await engine.queue.lines.actOnHead(tx, 1, action);
          throw new Error('changed my mind');
        });
        await assert.rejects(undone, { message: 'changed my mind' });
        assert.deepEqual(await engine.queue.lines.line(1), before);
        assert.deepEqual(await engine.deadLetters(), []);
      });
    }
  });
}
