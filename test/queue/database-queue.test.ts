import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { DatabaseQueue } from '../../src/queue/database-queue.ts';
import { deleteDoneMessages } from '../../src/queue/done-messages.ts';
import type { ReceivedMessage } from '../../src/queue/message-queue.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { watchStatements } from '../support/query-plans.ts';
import { queueContract } from './contract.ts';
import { messageOf, type QueueEngine, QueueUser, VISIBILITY_MS } from './queue-engine.ts';

async function openDatabaseQueue(): Promise<QueueEngine & { queue: DatabaseQueue }> {
  await using stack = new AsyncDisposableStack();
  const { database } = stack.use(await openTestDatabase());
  const clock = new ManualClock();
  const queue = new DatabaseQueue({ database, maxReceives: 1_000, now: clock.now });
  const opened = stack.move();
  return {
    queue,
    database,
    now: clock.now,
    pass: async (ms) => clock.pass(ms),
    arrived: () => (ON_POSTGRES ? signalsArrived(database) : Promise.resolve()),
    deadLetters: async () => {
      const rows = await database.reader.query
        .selectFrom('queue_dead_letters')
        .selectAll()
        .orderBy('queue_dead_letters.id')
        .execute();
      return rows.map((row) => ({
        lineId: row.line_id,
        messageId: row.message_id,
        label: row.label,
        body: row.body,
        enqueuedAt: row.enqueued_at,
      }));
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Resolves when the signals of everything that has committed have come: they come in its order. */
async function signalsArrived(database: Database): Promise<void> {
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  using _listening = database.onSignal('test_arrived', resolve);
  await database.transaction(async (tx) => tx.signal('test_arrived'));
  await arrived;
}

queueContract('database', openDatabaseQueue);

describe('the database queue', () => {
  it('takes back at a start what an earlier process had out, and that process can settle nothing any more', {
    skip: ON_POSTGRES && 'other instances may have it out',
  }, async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(1, 'out');
    await user.put(2, 'retrying');
    const [out, failed] = await user.receive();
    await user.settle({ message: failed!, action: 'retry', availableAt: engine.now() + 60_000 });
    assert.equal(await engine.queue.recoverLeases(), 1);
    const [again] = await user.receive();
    assert.deepEqual([again?.messageId, again?.receiveCount], ['out', 2]);
    assert.deepEqual(await user.settle({ message: out!, action: 'delete' }), []);
    assert.deepEqual(await user.receiveNames(), []);
  });

  it('takes messages of the same id for two: settling one leaves the other', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(1, 'twin', 'twin');
    await user.settle({ message: await user.receiveOne(), action: 'delete' });
    assert.equal((await engine.queue.line(1)).depth, 1);
    assert.deepEqual(await user.drain(), ['twin']);
  });

  it('holds a lease that has ended, but that nobody took over, for good enough to settle', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    await user.put(1, 'a', 'b');
    const message = await user.receiveOne();
    await engine.pass(VISIBILITY_MS * 10);
    assert.equal((await user.settle({ message, action: 'delete' })).length, 1);
    assert.deepEqual(await user.drain(), ['b']);
  });

  it('exchanges without reading the backlog: every statement finds its rows through an index', {
    skip: ON_POSTGRES && 'plans are looked at on SQLite',
  }, async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    for (const line of [1, 2, 3, 4]) await user.put(line, 'a', 'b', 'c');
    const { database, plans } = watchStatements(engine.database);
    const watched = new DatabaseQueue({ database, maxReceives: 1_000, now: engine.now });
    const exchange = (settlements: Parameters<QueueUser['settle']>) =>
      watched.exchange({
        settlements,
        capacity: 10,
        visibilityMs: VISIBILITY_MS,
        record: async () => {},
      });
    const { received } = await exchange([]);
    const [a, b, c, d] = received;
    await exchange([
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

describe('messages that were delivered, until they are deleted many together', {
  skip: ON_POSTGRES && 'each is deleted at once there',
}, () => {
  /** Delivers of lines 1 and 2, settling with the next receive as the service does, so that there is always more to do. */
  async function deliver(
    user: QueueUser,
    times: number,
  ): Promise<{ names: string[]; out: readonly ReceivedMessage[] }> {
    const names: string[] = [];
    let { received } = await user.exchange({ capacity: 2 });
    for (let time = 0; time < times; time++) {
      names.push(...received.map((message) => message.messageId));
      const settlements = received.map((message) => ({ message, action: 'delete' }) as const);
      ({ received } = await user.exchange({ settlements, capacity: 2 }));
    }
    return { names, out: received };
  }

  async function openFilled(): Promise<{ engine: QueueEngine & { queue: DatabaseQueue }; user: QueueUser }> {
    const engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names)
      await user.putAll([
        { ...messageOf(1, `1${name}`, engine.now()) },
        { ...messageOf(2, `2${name}`, engine.now()) },
      ]);
    return { engine, user };
  }

  const stored = async ({ database }: QueueEngine) =>
    (
      await database.reader.all<{ message_id: string }>('select message_id from queue_messages order by id')
    ).map((row) => row.message_id);

  it('are neither the head of their line nor the oldest that waits', async () => {
    const { engine, user } = await openFilled();
    await using _ = engine;
    await engine.pass(1_000);
    await user.put(1, 'later');
    const { names } = await deliver(user, 5);
    assert.deepEqual(names, ['1a', '2a', '1b', '2b', '1c', '2c', '1d', '2d', '1e', '2e']);
    assert.ok((await stored(engine)).length > 1, 'all were deleted at once');
    const line = await engine.queue.line(1);
    assert.deepEqual([line.depth, line.head?.messageId, line.oldestEnqueuedAt], [1, 'later', engine.now()]);
    assert.equal((await engine.queue.totals()).oldestEnqueuedAt, engine.now());
    assert.equal((await engine.queue.line(2)).depth, 0);
  });

  it('are gone once nothing else is to be done', async () => {
    const { engine, user } = await openFilled();
    await using _ = engine;
    await deliver(user, 5);
    assert.deepEqual(await stored(engine), []);
  });

  it('are not delivered again after a crash, and the next process deletes them', async () => {
    const { engine, user } = await openFilled();
    await using _ = engine;
    await deliver(user, 2);
    assert.equal((await stored(engine)).length, 10);

    const { database, now } = engine;
    await database.transaction(deleteDoneMessages);
    assert.deepEqual(await stored(engine), ['1c', '2c', '1d', '2d', '1e', '2e']);
    const next = { ...engine, queue: new DatabaseQueue({ database, maxReceives: 1_000, now }) };
    await next.queue.recoverLeases();
    assert.deepEqual(await new QueueUser(next).drain(), ['1c', '2c', '1d', '2d', '1e', '2e']);
  });

  it('stay where they are when the exchange that deletes them fails, and go with a later one', async () => {
    const { engine, user } = await openFilled();
    await using _ = engine;
    const { out } = await deliver(user, 2);
    const failing = user.exchange({
      settlements: out.map((message) => ({ message, action: 'release' }) as const),
      record: async () => {
        throw new Error('history cannot be written');
      },
    });
    await assert.rejects(failing, { message: 'history cannot be written' });
    assert.equal((await stored(engine)).length, 10);
    await user.exchange({});
    assert.equal((await stored(engine)).length, 6);
  });

  it('are not in the way of a head that is dead-lettered or retried by hand', async () => {
    const { engine, user } = await openFilled();
    await using _ = engine;
    await deliver(user, 2);
    await engine.queue.recoverLeases();
    const { queue, database } = engine;
    const dead = await database.transaction((tx) => queue.actOnHead(tx, 1, 'dead-letter'));
    assert.equal(dead.outcome === 'done' && dead.message.messageId, '1c');
    assert.equal((await queue.line(1)).head?.messageId, '1d');
    assert.equal((await database.transaction((tx) => queue.actOnHead(tx, 2, 'retry', '2c'))).outcome, 'done');
    assert.deepEqual(await user.drain(), ['1d', '2c', '1e', '2d', '2e']);
  });

  it('go with their line when it is forgotten', async () => {
    const { engine, user } = await openFilled();
    await using _ = engine;
    await user.put(3, ...Array.from({ length: 8 }, (_, n) => `3${n}`));
    await deliver(user, 5);
    assert.ok((await stored(engine)).includes('1a'));
    await engine.database.transaction((tx) => engine.queue.forgetLines(tx, [1, 2]));
    assert.ok((await stored(engine)).every((name) => name.startsWith('3')));
  });
});
