import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  HELD_UNTIL,
  type Purged,
  type PurgePosition,
  type SkipResult,
} from '../../src/queue/message-queue.ts';
import {
  blockedLine,
  contentOf,
  messageOf,
  type OpenQueue,
  type QueueEngine,
  QueueUser,
  VISIBILITY_MS,
} from './queue-engine.ts';

async function waitingNames({ queue }: QueueEngine, lineId: number): Promise<string[]> {
  const waiting = await queue.lines.waiting(lineId, { after: null, limit: 100 });
  return waiting.map(({ messageId }) => messageId);
}

async function positionOf({ queue }: QueueEngine, lineId: number, name: string): Promise<number> {
  const waiting = await queue.lines.waiting(lineId, { after: null, limit: 100 });
  return waiting.find(({ messageId }) => messageId === name)!.position;
}

function skip({ queue, database }: QueueEngine, lineId: number, position: number): Promise<SkipResult> {
  return database.transaction((tx) => queue.lines.skip(tx, lineId, position));
}

function purge(
  { queue, database }: QueueEngine,
  lineId: number,
  {
    from = null,
    before = null,
    limit = 100,
  }: { from?: PurgePosition | null; before?: number | null; limit?: number } = {},
): Promise<Purged> {
  return database.transaction((tx) => queue.lines.purge(tx, lineId, { from, before, limit, countUpTo: 100 }));
}

function namesOf({ messages }: Purged): string[] {
  return messages.map(({ messageId }) => messageId);
}

/** What waits can be listed, skipped and purged. */
export function removalContract(open: OpenQueue): void {
  describe('the list of waiting messages', () => {
    it('has the messages of one line, in order, page by page', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b', 'c');
      await user.put(2, 'other');
      const first = await engine.queue.lines.waiting(1, { after: null, limit: 2 });
      const rest = await engine.queue.lines.waiting(1, { after: first.at(-1)!.position, limit: 2 });
      assert.deepEqual(
        [...first, ...rest].map(contentOf),
        ['a', 'b', 'c'].map((name, n) => messageOf(1, name, [...first, ...rest][n]!.occurredAt)),
      );
    });

    it('includes a message in flight until it is settled', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b');
      const message = await user.receiveOne();
      assert.deepEqual(await waitingNames(engine, 1), ['a', 'b']);
      await user.settle({ message, action: 'delete' });
      assert.deepEqual(await waitingNames(engine, 1), ['b']);
    });

    it('of an unknown line is empty', async () => {
      await using engine = await open();
      assert.deepEqual(await waitingNames(engine, 999), []);
    });
  });

  describe('skipping a message', () => {
    it('behind the head moves it alone to the dead-letter queue, and the others keep their order', async () => {
      await using engine = await open();
      const user = await blockedLine(engine, 'head', 'b', 'c');
      const before = await engine.queue.lines.line(1);
      const result = await skip(engine, 1, await positionOf(engine, 1, 'b'));
      assert.ok(result.outcome === 'done');
      assert.deepEqual((await engine.deadLetters()).map(contentOf), [contentOf(result.message)]);
      assert.deepEqual(await engine.queue.lines.line(1), { ...before, depth: 2 });
      await engine.database.transaction((tx) => engine.queue.lines.actOnHead(tx, 1, 'retry'));
      assert.deepEqual(await user.drain(), ['head', 'c']);
    });

    it('at the head makes the next one due, and its attempts count from zero', async () => {
      await using engine = await open();
      const user = await blockedLine(engine, 'head', 'next');
      assert.equal((await skip(engine, 1, await positionOf(engine, 1, 'head'))).outcome, 'done');
      const next = await user.receiveOne();
      assert.deepEqual([next.messageId, next.receiveCount], ['next', 1]);
    });

    it('at the head of a line on hold leaves the line on hold, so that nobody receives the next one', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'head', 'second', 'third');
      const message = await user.receiveOne();
      await user.settle({ message, action: 'release', availableAt: HELD_UNTIL });
      assert.equal((await skip(engine, 1, message.position)).outcome, 'done');
      assert.deepEqual(await user.receive(), []);
      assert.deepEqual(namesOf(await purge(engine, 1, { limit: 1 })), ['second']);
      assert.deepEqual(await user.receive(), []);
      await engine.database.transaction((tx) => engine.queue.lines.actOnHead(tx, 1, 'retry'));
      assert.deepEqual(await user.drain(), ['third']);
    });

    it('leaves a message in flight, but can skip one that waits behind it', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'head', 'b', 'c');
      const message = await user.receiveOne();
      assert.deepEqual(await skip(engine, 1, message.position), { outcome: 'in-flight' });
      assert.equal((await skip(engine, 1, await positionOf(engine, 1, 'b'))).outcome, 'done');
      assert.equal((await user.settle({ message, action: 'delete' })).length, 1);
      assert.deepEqual(await user.drain(), ['c']);
    });

    it('does nothing to a message that was delivered or waits in another line', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'delivered', 'waits');
      const message = await user.receiveOne();
      await user.settle({ message, action: 'delete' });
      assert.deepEqual(await skip(engine, 1, message.position), { outcome: 'absent' });
      assert.deepEqual(await skip(engine, 2, await positionOf(engine, 1, 'waits')), { outcome: 'absent' });
      assert.deepEqual(await waitingNames(engine, 1), ['waits']);
    });

    it('that is rolled back changes nothing', async () => {
      await using engine = await open();
      await blockedLine(engine, 'head', 'b');
      const before = await engine.queue.lines.line(1);
      const position = await positionOf(engine, 1, 'b');
      const undone = engine.database.transaction(async (tx) => {
        await engine.queue.lines.skip(tx, 1, position);
        throw new Error('changed my mind');
      });
      await assert.rejects(undone, { message: 'changed my mind' });
      assert.deepEqual(await engine.queue.lines.line(1), before);
      assert.deepEqual(await engine.deadLetters(), []);
    });
  });

  describe('a purge', () => {
    it('deletes all waiting messages, including a head that waits for a retry, without dead letters', async () => {
      await using engine = await open();
      const user = await blockedLine(engine, 'head', 'b', 'c');
      const purged = await purge(engine, 1);
      assert.deepEqual(namesOf(purged), ['head', 'b', 'c']);
      assert.deepEqual([purged.remaining, purged.next], [0, null]);
      assert.deepEqual(await engine.queue.lines.line(1), { depth: 0, head: null });
      assert.deepEqual(await engine.deadLetters(), []);
      await user.put(1, 'later');
      const later = await user.receiveOne();
      assert.deepEqual([later.messageId, later.receiveCount], ['later', 1]);
    });

    it('leaves a head in flight to its receiver', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'head', 'b', 'c');
      const message = await user.receiveOne();
      assert.deepEqual(namesOf(await purge(engine, 1)), ['b', 'c']);
      assert.equal((await engine.queue.lines.line(1)).depth, 1);
      assert.equal((await user.settle({ message, action: 'delete' })).length, 1);
      assert.deepEqual(await user.drain(), []);
    });

    it('deletes a head whose lease has expired, and its receiver can no longer settle it', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'head');
      const message = await user.receiveOne();
      await engine.pass(VISIBILITY_MS);
      assert.deepEqual(namesOf(await purge(engine, 1)), ['head']);
      assert.deepEqual(await user.settle({ message, action: 'delete' }), []);
    });

    it('works step by step, and keeps what is queued after the first step', async () => {
      await using engine = await open();
      const user = await blockedLine(engine, 'a', 'b', 'c', 'd', 'e');
      const first = await purge(engine, 1, { limit: 2 });
      assert.deepEqual([namesOf(first), first.remaining], [['a', 'b'], 3]);
      await user.put(1, 'later');
      const second = await purge(engine, 1, { limit: 2, from: first.next });
      assert.deepEqual([namesOf(second), second.remaining], [['c', 'd'], 1]);
      const third = await purge(engine, 1, { limit: 2, from: second.next });
      assert.deepEqual([namesOf(third), third.remaining, third.next], [['e'], 0, null]);
      assert.deepEqual(await user.drain(), ['later']);
    });

    it('up to a time keeps messages queued then or later, even if an older one is behind them', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      const now = engine.now();
      await user.putAll([
        messageOf(1, 'old', now - 2),
        messageOf(1, 'young', now),
        messageOf(1, 'redelivered', now - 1),
        messageOf(1, 'youngest', now),
      ]);
      assert.deepEqual(namesOf(await purge(engine, 1, { before: now })), ['old', 'redelivered']);
      assert.deepEqual(await user.drain(), ['young', 'youngest']);
    });

    it('of one line leaves the others alone, and of an empty line deletes nothing', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a');
      await user.put(2, 'b');
      assert.deepEqual(namesOf(await purge(engine, 1)), ['a']);
      assert.deepEqual(namesOf(await purge(engine, 1)), []);
      assert.deepEqual(namesOf(await purge(engine, 999)), []);
      assert.deepEqual(await user.drain(), ['b']);
    });

    it('wakes receivers, because another message may be due', async () => {
      await using engine = await open();
      const user = await blockedLine(engine, 'old', 'young');
      const position = await positionOf(engine, 1, 'old');
      const { promise: woken, resolve } = Promise.withResolvers<void>();
      engine.queue.lines.onAvailable(resolve);
      await purge(engine, 1, { from: { after: 0, through: position } });
      await woken;
      assert.deepEqual(await user.receiveNames(), ['young']);
    });
  });

  describe('removing dead letters', () => {
    it('removes only those that are named', async () => {
      await using engine = await open();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b');
      for (let count = 0; count < 2; count++)
        await user.settle({ message: await user.receiveOne(), action: 'dead-letter' });
      await engine.database.transaction((tx) => engine.queue.lines.removeDeadLetters(tx, ['a', 'unknown']));
      assert.deepEqual(
        (await engine.deadLetters()).map(({ messageId }) => messageId),
        ['b'],
      );
      assert.equal((await engine.queue.lines.totals()).deadLetters, 1);
      assert.deepEqual(await user.drain(), []);
    });
  });
}
