import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LONGEST_WAITS } from '../../src/delivery/wait-watch.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { repairLines } from '../../src/queue/lines/repair-lines.ts';
import { HELD_UNTIL, type Received } from '../../src/queue/message-queue.ts';
import { insertSharedBody, ownPart } from '../../src/queue/shared-bodies.ts';
import { HOUR_MS } from '../../src/time/units.ts';
import { countRows } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { watchStatements } from '../support/query-plans.ts';
import { settleAndReceive } from '../support/settle-and-receive.ts';
import { withMembers } from '../support/watched-database.ts';
import { queueContract } from './contract.ts';
import { openDatabaseQueue } from './database-engine.ts';
import { messageOf, QueueUser, VISIBILITY_MS } from './queue-engine.ts';

function namesOf({ received }: Received): string[] {
  return received.map((message) => message.messageId);
}

queueContract('database', () => openDatabaseQueue());

describe('after the maximum receives were lowered', () => {
  it('heads that reached them are due, unless they are on hold or in flight, and others still wait', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    for (const line of [1, 2, 3, 4]) await user.put(line, ['spent', 'held', 'once', 'in flight'][line - 1]!);
    const [spent, held, once, inFlight] = await user.receive();
    const later = { action: 'retry', availableAt: engine.now() + HOUR_MS } as const;
    const atOnce = { action: 'retry', availableAt: engine.now() } as const;
    await user.settle(...[spent, held, inFlight].map((message) => ({ message: message!, ...atOnce })), {
      message: once!,
      ...later,
    });
    const [again, heldAgain] = await user.receive();
    await user.settle(
      { message: again!, ...later },
      { message: heldAgain!, action: 'retry', availableAt: HELD_UNTIL },
    );
    assert.equal(await engine.queue.lines.endWaitsAfter(2), 1);
    assert.equal(await engine.queue.lines.endWaitsAfter(2), 0);
    assert.deepEqual(await user.receiveNames(), ['spent']);
  });
});

/** The longest waits of these tests. */
const LONGEST = { retryMs: 3_600_000, leaseMs: VISIBILITY_MS };

describe('after the clock was set back by an hour', () => {
  /** Messages that were queued while the clock was fast: one waits, one failed, one is on hold and one is in flight. */
  async function openAfterwards() {
    await using stack = new AsyncDisposableStack();
    const engine = stack.use(await openDatabaseQueue());
    const user = new QueueUser(engine);
    for (const line of [1, 2, 3]) await user.put(line, ['failed', 'held', 'in flight'][line - 1]!);
    const [failed, held, inFlight] = await user.receive();
    await user.settle(
      { message: failed!, action: 'retry', availableAt: engine.now() + 5_000 },
      { message: held!, action: 'release', availableAt: HELD_UNTIL },
    );
    await user.put(4, 'waiting');
    await engine.pass(-HOUR_MS);
    const opened = stack.move();
    return { engine, user, inFlight: inFlight!, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }

  it('a message that was not attempted is due, and one that failed waits no longer than any retry', async () => {
    await using test = await openAfterwards();
    const { engine, user } = test;
    assert.deepEqual(await user.receiveNames(), []);
    assert.equal(
      await engine.queue.lines.endOverlongWaits(LONGEST),
      2,
      'the waiting one and the one in flight',
    );
    assert.deepEqual(await user.receiveNames(), ['waiting']);
    assert.equal(await engine.queue.lines.endOverlongWaits({ ...LONGEST, retryMs: 60_000 }), 1);
    assert.deepEqual(await user.receiveNames(), []);
    await engine.pass(60_000);
    assert.ok((await user.receiveNames()).includes('failed'));
  });

  it('a line on hold stays on hold', async () => {
    await using test = await openAfterwards();
    const { engine, user } = test;
    await engine.queue.lines.endOverlongWaits({ ...LONGEST, retryMs: 0 });
    await engine.pass(1);
    assert.deepEqual((await user.receiveNames()).toSorted(), ['failed', 'waiting']);
  });

  it('a lease is shortened, and its receiver can still settle', async () => {
    await using test = await openAfterwards();
    const { engine, user, inFlight } = test;
    await engine.queue.lines.endOverlongWaits(LONGEST);
    assert.equal((await engine.queue.lines.line(3)).head?.inFlight, true);
    assert.equal((await user.settle({ message: inFlight, action: 'release' })).length, 1);
    const [again] = (await user.receive()).filter(({ lineId }) => lineId === 3);
    await engine.pass(VISIBILITY_MS);
    assert.ok((await user.receiveNames()).includes(again!.messageId), 'the lease of a dead instance ends');
  });

  it('nothing else changes', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    for (const line of [1, 2]) await user.put(line, `m${line}`);
    const [failed] = await user.receive();
    await user.put(3, 'm3');
    const availableAt = engine.now() + LONGEST.retryMs;
    await user.settle({ message: failed!, action: 'retry', availableAt });
    assert.equal(await engine.queue.lines.endOverlongWaits(LONGEST), 0);
    assert.deepEqual(await user.receiveNames(), ['m3']);
  });

  it('no lease and no retry of an instance with other settings changes', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(1, 'failed');
    const [failed] = await user.receive();
    await user.settle({ message: failed!, action: 'retry', availableAt: engine.now() + 7 * 24 * HOUR_MS });
    await user.put(2, 'in flight', 'behind');
    const longest = { capacity: 1, visibilityMs: 600_000 + 30_000 };
    await engine.database.transaction((tx) => engine.queue.receive(tx, longest));
    assert.equal(await engine.queue.lines.endOverlongWaits(LONGEST_WAITS), 0);
    await engine.pass(longest.visibilityMs - 1);
    assert.deepEqual(await user.receiveNames(), []);
  });

  it('an instance whose time is behind reads the server’s time before it changes anything', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    let behindMs = 3 * HOUR_MS;
    const synchronize = async () => {
      behindMs = 0;
    };
    const clock = { now: engine.now, onMeasured() {}, synchronize };
    const database = withMembers(engine.database, { clock });
    const paused = new DatabaseQueue({ database, maxReceives: 1_000, now: () => engine.now() - behindMs });
    await user.put(1, 'in flight', 'behind');
    await user.receive();
    assert.equal(await paused.endOverlongWaits(LONGEST_WAITS), 0);
    await engine.pass(VISIBILITY_MS - 1);
    assert.deepEqual(await user.receiveNames(), []);
  });
});

describe('the database queue', () => {
  it('takes over the leases of an earlier process at start, and that process can settle nothing any more', {
    skip: ON_POSTGRES && 'other instances may have it out',
  }, async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(1, 'out');
    await user.put(2, 'retrying');
    const [out, failed] = await user.receive();
    await user.settle({ message: failed!, action: 'retry', availableAt: engine.now() + 60_000 });
    await repairLines(engine.database, { onMiscount: () => {}, now: engine.now });
    const [again] = await user.receive();
    assert.deepEqual([again?.messageId, again?.receiveCount], ['out', 2]);
    assert.deepEqual(await user.settle({ message: out!, action: 'delete' }), []);
    assert.deepEqual(await user.receiveNames(), []);
  });

  it('takes back exactly the leases that their receiver does not have, without counting that receive', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    const { database, now } = engine;
    const another = new DatabaseQueue({ database, maxReceives: 1_000, now });
    for (const line of [1, 2, 3]) await user.put(line, `head of ${line}`, `follower of ${line}`);
    const [held] = await user.receive(1);
    const [lost] = await user.receive(1);
    await settleAndReceive(
      { queue: another, database },
      {
        settlements: [],
        capacity: 1,
        visibilityMs: VISIBILITY_MS,
        record: async () => {},
      },
    );

    assert.equal(await engine.queue.lines.takeBackLeases([held!]), 1);
    const again = await user.receiveOne();
    assert.deepEqual([again.messageId, again.receiveCount], [lost!.messageId, 1]);
    assert.deepEqual(await user.settle({ message: lost!, action: 'delete' }), []);
    const settled = await user.settle(
      { message: held!, action: 'delete' },
      { message: again, action: 'delete' },
    );
    assert.equal(settled.length, 2);
  });

  it('notifies receivers of leases that were taken back', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(1, 'head');
    await user.receiveOne();
    const { promise: notified, resolve } = Promise.withResolvers<void>();
    engine.queue.lines.onAvailable(resolve);
    assert.equal(await engine.queue.lines.takeBackLeases([]), 1);
    await notified;
  });

  it('notifies receivers of queued messages only if the head of the line is due', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    const isSignalled = async (name: string) => {
      let count = 0;
      await engine.database.transaction(async (inner) => {
        const signal = (channel: string) => {
          count += 1;
          inner.signal(channel);
        };
        const tx = withMembers(inner, { signal });
        await engine.queue.lines.lockLines(tx, [1]);
        await engine.queue.enqueue(tx, [messageOf(1, name, engine.now())]);
      });
      return count > 0;
    };
    assert.equal(await isSignalled('first'), true, 'the line was empty');
    assert.equal(await isSignalled('second'), true, 'the head is due');
    const head = await user.receiveOne();
    assert.equal(await isSignalled('third'), false, 'the head is in flight');
    await user.settle({ message: head, action: 'retry', availableAt: engine.now() + HOUR_MS });
    assert.equal(await isSignalled('fourth'), false, 'the head waits for its next attempt');
    await engine.pass(HOUR_MS);
    assert.equal(await isSignalled('fifth'), true, 'the head is due again');
  });

  it('treats two messages with the same id separately: settling one leaves the other', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(1, 'twin', 'twin');
    await user.settle({ message: await user.receiveOne(), action: 'delete' });
    assert.equal((await engine.queue.lines.line(1)).depth, 1);
    assert.deepEqual(await user.drain(), ['twin']);
  });

  it('keeps a dead letter from the time when the last message with its id was dead-lettered', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(1, 'twin', 'twin');
    await user.settle({ message: await user.receiveOne(), action: 'dead-letter' });
    await engine.pass(HOUR_MS);
    await user.settle({ message: await user.receiveOne(), action: 'dead-letter' });
    assert.equal(await engine.queue.lines.removeDeadLettersBefore(engine.now(), 10), 0);
  });

  it('removes a shared part with the last dead letter that has it, if no delivery has it', async () => {
    await using engine = await openDatabaseQueue();
    const { queue, database } = engine;
    const user = new QueueUser(engine);
    const id = await database.transaction((tx) => insertSharedBody(tx, '"name":"shared"'));
    const body = { body: '{"name":"shared"}', shared: { id, own: ownPart('{', '}') } };
    await user.putAll(['a', 'b'].map((name) => ({ ...messageOf(1, name, engine.now()), ...body })));
    for (const _ of ['a', 'b'])
      await user.settle({ message: await user.receiveOne(), action: 'dead-letter' });
    for (const left of [1, 0]) {
      assert.equal(await queue.removeDeadLettersBefore(engine.now() + 1, 1), 1);
      assert.equal(await countRows(database, 'shared_bodies'), left);
    }
  });

  it('accepts a lease that has expired but that nobody took over', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(1, 'a', 'b');
    const message = await user.receiveOne();
    await engine.pass(VISIBILITY_MS * 10);
    assert.equal((await user.settle({ message, action: 'delete' })).length, 1);
    assert.deepEqual(await user.drain(), ['b']);
  });

  for (const order of ['lost first', 'valid first'] as const) {
    it(`continues behind the settled head, not behind that of a lost lease in the same batch (${order})`, async () => {
      await using engine = await openDatabaseQueue();
      const user = new QueueUser(engine);
      await user.put(1, 'a', 'b', 'c', 'd');
      const lost = await user.receiveOne();
      await engine.pass(VISIBILITY_MS * 2);
      const again = await user.receiveOne();
      // With free capacity, so that lines continue at once and delivered messages stay in the table.
      const first = await user.settleAndReceive({
        settlements: [{ message: again, action: 'delete' }],
        capacity: 2,
      });
      assert.deepEqual(namesOf(first), ['b']);
      const batch = [...first.received, lost].map((message) => ({ message, action: 'delete' }) as const);
      const settlements = order === 'lost first' ? batch.reverse() : batch;
      const second = await user.settleAndReceive({ settlements, capacity: 2 });
      assert.deepEqual(namesOf(second), ['c']);
      await user.settle({ message: second.received[0]!, action: 'delete' });
      assert.deepEqual(await user.drain(), ['d']);
    });
  }

  it('never reads the whole backlog to settle and receive: every statement uses an index', {
    skip: ON_POSTGRES && 'plans are looked at on SQLite',
  }, async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    for (const line of [1, 2, 3, 4]) await user.put(line, 'a', 'b', 'c');
    const { database, plans } = watchStatements(engine.database);
    const watched = new DatabaseQueue({ database, maxReceives: 1_000, now: engine.now });
    const turn = (settlements: Parameters<QueueUser['settle']>) =>
      settleAndReceive(
        { queue: watched, database },
        {
          settlements,
          capacity: 10,
          visibilityMs: VISIBILITY_MS,
          record: async () => {},
        },
      );
    const { received } = await turn([]);
    const [a, b, c, d] = received;
    await turn([
      { message: a!, action: 'delete' },
      { message: b!, action: 'retry', availableAt: 0 },
      { message: c!, action: 'dead-letter' },
      { message: d!, action: 'discard', followersBefore: Number.MAX_SAFE_INTEGER },
    ]);
    await database.transaction((tx) => watched.enqueue(tx, [messageOf(1, 'd', 0)]));

    const steps = await plans();
    assert.ok(new Set(steps.map(({ statement }) => statement)).size >= 8);
    for (const { statement, step } of steps) assert.doesNotMatch(step, /^SCAN (?!json_each )/, statement);
  });
});
