import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { messageOf, type OpenQueue, type QueueEngine, QueueUser, VISIBILITY_MS } from './queue-engine.ts';

function forget({ queue, database }: QueueEngine, lineIds: readonly number[]): Promise<number[]> {
  return database.transaction((tx) => queue.lines.forgetLines(tx, lineIds));
}

/** The state that a queue reports, and how the queue is kept small. */
export function overviewContract(open: OpenQueue): void {
  describe('the state of a line', () => {
    it('is empty for an unknown line', async () => {
      await using engine = await open();
      assert.deepEqual(await engine.queue.lines.line(5), { depth: 0, head: null });
    });

    it('follows its head from waiting through in flight to its retry', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      const occurredAt = engine.now();
      await user.put(1, 'head', 'follower');
      const waiting = await engine.queue.lines.line(1);
      assert.equal(waiting.depth, 2);
      assert.deepEqual(
        { ...waiting.head, availableAt: 0 },
        {
          messageId: 'head',
          label: 'LABEL_head',
          receiveCount: 0,
          occurredAt,
          waitingSince: occurredAt,
          inFlight: false,
          availableAt: 0,
        },
      );

      const message = await user.receiveOne();
      const out = await engine.queue.lines.line(1);
      assert.equal(out.head?.inFlight, true);
      assert.equal(out.head?.receiveCount, 1);

      const retryAt = engine.now() + 60_000;
      await user.settle({ message, action: 'retry', availableAt: retryAt });
      const retrying = await engine.queue.lines.line(1);
      assert.equal(retrying.depth, 2);
      assert.deepEqual(retrying.head, {
        messageId: 'head',
        label: 'LABEL_head',
        receiveCount: 1,
        occurredAt,
        waitingSince: occurredAt,
        inFlight: false,
        availableAt: retryAt,
      });
    });

    it('says that a head whose lease expired is no longer in flight', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'head');
      await user.receiveOne();
      await engine.pass(VISIBILITY_MS);
      assert.equal((await engine.queue.lines.line(1)).head?.inFlight, false);
    });
  });

  describe('receiving', () => {
    it('returns when the next message is due: now, at a retry, at the end of a lease, never', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      const next = async () => (await user.settleAndReceive({})).nextAvailableAt;
      assert.equal(await next(), null);

      await user.put(1, 'a');
      assert.ok((await next())! <= engine.now());

      const message = await user.receiveOne();
      const leaseEnd = await next();
      assert.ok(leaseEnd! > engine.now() && leaseEnd! <= engine.now() + VISIBILITY_MS);

      const retryAt = engine.now() + 45_000;
      await user.settle({ message, action: 'retry', availableAt: retryAt });
      assert.equal(await next(), retryAt);

      await user.put(2, 'sooner');
      assert.ok((await next())! <= engine.now());
    });
  });

  describe('the messages that wait again', () => {
    it('are those that were redelivered and have not left their line', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      const names = ['a', 'b', 'c', 'unknown'];
      const waitingAgain = async () => [...(await engine.queue.lines.waitingAgain(names))].sort();
      await user.put(1, 'a', 'b', 'c');
      assert.deepEqual(await waitingAgain(), [], 'all wait for the first time');
      for (let count = 0; count < 2; count++)
        await user.settle({ message: await user.receiveOne(), action: 'dead-letter' });
      await user.redeliver(await engine.deadLetters());
      assert.deepEqual(await waitingAgain(), ['a', 'b']);
      await user.settle({ message: await user.receiveOne(), action: 'delete' });
      const again = await user.receiveOne();
      assert.deepEqual(await waitingAgain(), ['a', 'b'], 'one is in flight');
      await user.settle({ message: again, action: 'delete' });
      assert.deepEqual(await waitingAgain(), ['b']);
      assert.deepEqual(await engine.queue.lines.waitingAgain([]), new Set());
    });
  });

  describe('the totals', () => {
    it('count waiting messages, messages in flight, dead letters and blocked lines', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      assert.deepEqual(await engine.queue.lines.totals(), {
        waiting: 0,
        inFlight: 0,
        deadLetters: 0,
        linesBlocked: 0,
        waitingSince: null,
      });

      await user.putAll([messageOf(1, 'dead', 1_000), messageOf(1, 'a', 2_000), messageOf(1, 'b', 3_000)]);
      await user.putAll([messageOf(2, 'c', 4_000), messageOf(2, 'd', 5_000)]);
      const [dead, failed] = await user.receive();
      assert.equal((await engine.queue.lines.totals()).inFlight, 2);
      await user.settle(
        { message: dead!, action: 'dead-letter' },
        { message: failed!, action: 'retry', availableAt: engine.now() + 60_000 },
      );
      assert.deepEqual(await user.receiveNames(), ['a']);
      await user.put(3, 'e');
      assert.deepEqual(await engine.queue.lines.totals(), {
        waiting: 5,
        inFlight: 1,
        deadLetters: 1,
        linesBlocked: 1,
        waitingSince: 2_000,
      });
    });

    it('count the wait of a redelivered message from its redelivery, until it is dead-lettered again', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.putAll([messageOf(1, 'old', 1_000)]);
      await user.settle({ message: await user.receiveOne(), action: 'dead-letter' });
      const redeliver = async () => {
        const [since, dead] = [engine.now(), await engine.deadLetters()];
        await user.redeliver(dead);
        return { since, until: engine.now() };
      };
      const assertWaits = async ({ since, until }: { since: number; until: number }) => {
        const [{ waitingSince }, { head }] = await Promise.all([
          engine.queue.lines.totals(),
          engine.queue.lines.line(1),
        ]);
        assert.ok(waitingSince! >= since && waitingSince! <= until);
        assert.equal(head?.waitingSince, waitingSince);
        assert.equal(head?.occurredAt, 1_000, 'the time of its event');
      };
      const first = await redeliver();
      await engine.pass(VISIBILITY_MS);
      await assertWaits(first);
      const again = await user.receiveOne();
      assert.deepEqual([again.occurredAt, again.requeuedAt! >= first.since], [1_000, true]);
      await user.settle({ message: again, action: 'dead-letter' });
      await assertWaits(await redeliver());
    });

    it('stop counting a message as in flight when its lease expires', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a');
      await user.receiveOne();
      await engine.pass(VISIBILITY_MS);
      assert.equal((await engine.queue.lines.totals()).inFlight, 0);
    });

    it('no longer count a line as blocked once its head is gone', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b');
      const message = await user.receiveOne();
      await user.settle({ message, action: 'retry', availableAt: engine.now() });
      assert.equal((await engine.queue.lines.totals()).linesBlocked, 1);
      await user.settle({ message: await user.receiveOne(), action: 'delete' });
      assert.equal((await engine.queue.lines.totals()).linesBlocked, 0);
    });
  });

  describe('forgetting lines', () => {
    it('forgets those in which nothing waits, and returns which are forgotten or unknown', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      for (const line of [1, 2, 3]) await user.put(line, `m${line}`);
      const [first, second] = await user.receive();
      await user.settle(
        { message: first!, action: 'delete' },
        { message: second!, action: 'retry', availableAt: engine.now() + 60_000 },
      );
      assert.deepEqual(await forget(engine, [1, 2, 3, 4]), [1, 4]);
      assert.equal((await engine.queue.lines.line(2)).depth, 1);
      assert.equal((await engine.queue.lines.line(3)).head?.inFlight, true);
      assert.deepEqual(await forget(engine, []), []);
    });

    it('does not prevent a line from being used again', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a');
      await user.drain();
      await forget(engine, [1]);
      await user.put(1, 'b');
      assert.deepEqual(await user.drain(), ['b']);
    });
  });

  describe('removing old dead letters', () => {
    it('removes those from before a time, the oldest first, up to the requested number', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b', 'c', 'd');
      const diedAt: number[] = [];
      for (let count = 0; count < 4; count++) {
        const message = await user.receiveOne();
        // Before it, since the clock of some engines runs on.
        diedAt.push(engine.now());
        await user.settle({ message, action: 'dead-letter' });
        await engine.pass(1_000);
      }
      const left = async () => (await engine.deadLetters()).map((message) => message.messageId);
      assert.equal(await engine.queue.lines.removeDeadLettersBefore(diedAt[3]!, 2), 2);
      assert.deepEqual(await left(), ['c', 'd']);
      assert.equal(await engine.queue.lines.removeDeadLettersBefore(diedAt[3]!, 2), 1);
      assert.equal(await engine.queue.lines.removeDeadLettersBefore(diedAt[3]!, 2), 0);
      assert.deepEqual(await left(), ['d']);
    });
  });
}
