import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transaction } from '../../src/database/database.ts';
import type { ReceivedMessage } from '../../src/queue/message-queue.ts';
import { insertSharedBody } from '../../src/queue/shared-bodies.ts';
import { beginTransaction, untilOneWaits } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { openDatabaseQueue } from './database-engine.ts';
import { messageOf, type QueueEngine, QueueUser, VISIBILITY_MS } from './queue-engine.ts';

const STEPS = { columns: {}, changes: {} };
const REQUEST = { capacity: 10, visibilityMs: VISIBILITY_MS };

function namesOf(messages: readonly ReceivedMessage[]): string[] {
  return messages.map(({ messageId }) => messageId);
}

/** Settles messages and receives, in one statement. */
async function settleAndReceive({ queue }: QueueEngine, ...messages: ReceivedMessage[]) {
  const rows = messages.map(() => ({}));
  const done = await queue.settleAndReceive!({ messages, rows, steps: STEPS }, REQUEST);
  assert.ok(done !== null, 'one statement is enough');
  return done;
}

/**
 * Delivers the first of the messages `a`, `b` and `c` of a line, in one statement. It begins while another transaction
 * changes the line, and waits for it.
 */
async function settleDuring(
  engine: QueueEngine,
  change: (tx: Transaction, head: ReceivedMessage) => Promise<unknown>,
) {
  const user = new QueueUser(engine);
  await user.put(1, 'a', 'b', 'c');
  const head = await user.receiveOne();
  const other = await beginTransaction(engine.database);
  await change(other.tx, head);
  const settling = settleAndReceive(engine, head);
  await untilOneWaits(engine.database);
  await other.commit();
  return { user, head, done: await settling };
}

describe('settling and receiving in one statement', {
  skip: !ON_POSTGRES && 'SQLite needs no round trips',
}, () => {
  it('settles messages of several lines, and receives the next ones and other heads', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(1, 'a', 'b');
    await user.put(2, 'only one');
    const delivered = await user.receive();
    await user.put(3, 'another head');
    const { settled, received } = await settleAndReceive(engine, ...delivered);
    assert.deepEqual(namesOf(settled), ['a', 'only one']);
    assert.deepEqual(namesOf(received).sort(), ['another head', 'b']);
    assert.deepEqual(
      received.map(({ receiveCount }) => receiveCount),
      [1, 1],
    );
    assert.equal((await engine.queue.lines.totals()).waiting, 2);
    assert.equal(
      (await user.settle(...received.map((message) => ({ message, action: 'delete' }) as const))).length,
      2,
    );
  });

  it('receives the whole body of a message that shares a part with others', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    const { queue, database } = engine;
    const body = '{"name":"shared"}';
    await database.transaction(async (tx) => {
      const shared = { id: await insertSharedBody(tx, '"shared"'), own: '{"name":\n}' };
      await queue.enqueue(
        tx,
        [1, 2].map((line) => ({ ...messageOf(line, `m${line}`, 0), body, shared })),
      );
    });
    await user.put(3, 'unshared');
    const { received } = await settleAndReceive(engine);
    assert.deepEqual(received.map((message) => message.body).sort(), [body, body, '{"name":"unshared"}']);
  });

  it('leaves a line due to which messages were queued while it waited, and loses none', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(1, 'a');
    const head = await user.receiveOne();
    const other = await beginTransaction(engine.database);
    await engine.queue.enqueue(other.tx, [messageOf(1, 'b', 0)]);
    const settling = settleAndReceive(engine, head);
    await untilOneWaits(engine.database);
    await other.commit();
    const { settled, received, nextAvailableAt } = await settling;
    assert.deepEqual([namesOf(settled), namesOf(received)], [['a'], []]);
    assert.equal(nextAvailableAt, engine.now(), 'the line is looked at again at once');
    assert.deepEqual(await user.drain(), ['b']);
  });

  it('continues with the next message if others were queued while it waited', async () => {
    await using engine = await openDatabaseQueue();
    const { user, done } = await settleDuring(engine, (tx) =>
      engine.queue.enqueue(tx, [messageOf(1, 'd', 0)]),
    );
    assert.deepEqual(namesOf(done.received), ['b']);
    assert.equal((await engine.queue.lines.line(1)).depth, 3);
    await user.settle({ message: done.received[0]!, action: 'delete' });
    assert.deepEqual(await user.drain(), ['c', 'd']);
  });

  it('does not receive a message that was skipped while it waited', async () => {
    await using engine = await openDatabaseQueue();
    const { user, done } = await settleDuring(engine, async (tx, { position }) => {
      const [next] = await engine.queue.lines.waiting(1, { after: position, limit: 1 }, tx);
      assert.equal((await engine.queue.lines.skip(tx, 1, next!.position)).outcome, 'done');
    });
    assert.deepEqual(namesOf(done.received), ['c']);
    await user.settle({ message: done.received[0]!, action: 'delete' });
    assert.deepEqual(await user.drain(), []);
    assert.equal((await engine.queue.lines.line(1)).depth, 0);
  });

  it('receives nothing of a line that was purged while it waited', async () => {
    await using engine = await openDatabaseQueue();
    const { user, done } = await settleDuring(engine, (tx) =>
      engine.queue.lines.purge(tx, 1, { from: null, before: null, limit: 10, countUpTo: 10 }),
    );
    assert.deepEqual([namesOf(done.settled), namesOf(done.received)], [['a'], []]);
    assert.deepEqual(await user.drain(), []);
    assert.equal((await engine.queue.lines.line(1)).depth, 0);
  });

  it('settles nothing of a line whose lease another one took over while it waited', async () => {
    await using engine = await openDatabaseQueue();
    const { done } = await settleDuring(engine, async (tx) => {
      await tx.run("update queue_lines set lease_token = 'of another', receive_count = 2 where line_id = 1");
    });
    assert.deepEqual([namesOf(done.settled), namesOf(done.received)], [[], []]);
    assert.equal((await engine.queue.lines.line(1)).head?.messageId, 'a');
    assert.equal((await engine.queue.lines.line(1)).depth, 3);
  });

  it('locks the lines of messages before those that are due, so that nobody waits for each other', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(2, 'delivered');
    const delivered = await user.receiveOne();
    await user.put(1, 'due');
    const event = await beginTransaction(engine.database);
    await event.tx.run('update queue_lines set pending = pending where line_id = 2');
    const settling = settleAndReceive(engine, delivered);
    await untilOneWaits(engine.database);
    const unlocked = await event.tx.all('select 1 from queue_lines where line_id = 1 for update skip locked');
    await event.commit();
    const { settled, received } = await settling;
    assert.deepEqual([namesOf(settled), namesOf(received)], [['delivered'], ['due']]);
    assert.equal(unlocked.length, 1, 'while it waited, the due line was free');
  });

  it('needs a transaction instead if two messages are of one line, or there is no room for the next ones', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(1, 'a');
    const message = await user.receiveOne();
    const twice = { messages: [message, message], rows: [{}, {}], steps: STEPS };
    assert.equal(await engine.queue.settleAndReceive!(twice, REQUEST), null);
    const one = { messages: [message], rows: [{}], steps: STEPS };
    assert.equal(await engine.queue.settleAndReceive!(one, { ...REQUEST, capacity: 0 }), null);
    assert.equal((await engine.queue.lines.line(1)).depth, 1);
  });
});
