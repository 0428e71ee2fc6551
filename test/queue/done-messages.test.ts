import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { repairLines } from '../../src/queue/lines/repair-lines.ts';
import type { ReceivedMessage } from '../../src/queue/message-queue.ts';
import { openDatabaseOf } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openDatabaseQueue } from './database-engine.ts';
import { messageOf, type QueueEngine, QueueUser, VISIBILITY_MS } from './queue-engine.ts';

describe('delivered messages, until they are deleted in bulk', {
  skip: ON_POSTGRES && 'each is deleted at once there',
}, () => {
  /** Delivers of lines 1 and 2, settling with the next receive as the service does, so that there is always more to do. */
  async function deliver(
    user: QueueUser,
    times: number,
  ): Promise<{ names: string[]; out: readonly ReceivedMessage[] }> {
    const names: string[] = [];
    let { received } = await user.settleAndReceive({ capacity: 2 });
    for (let time = 0; time < times; time++) {
      names.push(...received.map((message) => message.messageId));
      const settlements = received.map((message) => ({ message, action: 'delete' }) as const);
      ({ received } = await user.settleAndReceive({ settlements, capacity: 2 }));
    }
    return { names, out: received };
  }

  /** Lines 1 and 2 with messages of these names. */
  async function openFilled(
    names = ['a', 'b', 'c', 'd', 'e'],
    through?: (database: Database) => Database,
  ): Promise<{ engine: QueueEngine & { queue: DatabaseQueue }; user: QueueUser }> {
    const engine = await openDatabaseQueue(through);
    const user = new QueueUser(engine);
    await user.putAll(
      names.flatMap((name) => [1, 2].map((line) => messageOf(line, line + name, engine.now()))),
    );
    return { engine, user };
  }

  const stored = async ({ database }: QueueEngine) =>
    (
      await database.reader.all<{ message_id: string }>('select message_id from queue_messages order by id')
    ).map((row) => row.message_id);

  it('are neither the head of their line nor the oldest waiting message', async () => {
    const { engine, user } = await openFilled();
    await using _ = engine;
    await engine.pass(1_000);
    await user.put(1, 'later');
    const { names } = await deliver(user, 5);
    assert.deepEqual(names, ['1a', '2a', '1b', '2b', '1c', '2c', '1d', '2d', '1e', '2e']);
    assert.ok((await stored(engine)).length > 1, 'all were deleted at once');
    const line = await engine.queue.lines.line(1);
    assert.deepEqual([line.depth, line.head?.messageId, line.head?.occurredAt], [1, 'later', engine.now()]);
    assert.equal((await engine.queue.lines.totals()).waitingSince, engine.now());
    assert.equal((await engine.queue.lines.line(2)).depth, 0);
  });

  it('are deleted once nothing else is left to do', async () => {
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
    await repairLines(database, { onMiscount: () => {}, now });
    assert.deepEqual(await stored(engine), ['1c', '2c', '1d', '2d', '1e', '2e']);
    // Other engines restore the numbers of messages.
    assert.deepEqual(await database.reader.all('select line_id from queue_lines where done_to > 0'), []);
    const next = { ...engine, queue: new DatabaseQueue({ database, maxReceives: 1_000, now }) };
    assert.deepEqual(await new QueueUser(next).drain(), ['1c', '2c', '1d', '2d', '1e', '2e']);
  });

  it('are kept if their deletion is not committed, and deleted later', async () => {
    let isFailing = false;
    const { engine, user } = await openFilled(undefined, (inner) => ({
      dialect: inner.dialect,
      clock: inner.clock,
      onOutcome: (listener) => inner.onOutcome(listener),
      reader: inner.reader,
      ping: () => inner.ping(),
      runAlone: (sql, ...values) => inner.runAlone(sql, ...values),
      onSignal: (channel, listener) => inner.onSignal(channel, listener),
      onReceivingSignals: (listener) => inner.onReceivingSignals(listener),
      transaction: (work, options) =>
        inner.transaction(async (tx) => {
          const result = await work(tx);
          if (isFailing) throw new Error('the disk is full');
          return result;
        }, options),
      [Symbol.asyncDispose]: async () => {},
    }));
    await using _ = engine;
    const { out } = await deliver(user, 2);
    const settlements = out.map((message) => ({ message, action: 'delete' }) as const);
    isFailing = true;
    await assert.rejects(user.settleAndReceive({ settlements }), { message: 'the disk is full' });
    await assert.rejects(user.settleAndReceive({ settlements, capacity: 2 }), {
      message: 'the disk is full',
    });
    isFailing = false;
    assert.equal((await stored(engine)).length, 10);
    assert.equal((await engine.queue.lines.line(1)).head?.messageId, '1c');
    // Failed messages stay: only 1a to 2b are removed.
    await user.settleAndReceive({
      settlements: out.map((message) => ({ message, action: 'release' }) as const),
    });
    assert.deepEqual(await stored(engine), ['1c', '2c', '1d', '2d', '1e', '2e']);
    assert.deepEqual(await user.drain(), ['1c', '2c', '1d', '2d', '1e', '2e']);
  });

  it('are never many, even under constant load', async () => {
    const rounds = 2_100;
    const { engine, user } = await openFilled(Array.from({ length: rounds + 1 }, (_, n) => ` ${n}`));
    await using _ = engine;
    await deliver(user, rounds);
    const left = (await stored(engine)).length;
    assert.ok(left < rounds, `${left} of ${2 * rounds + 2} are there`);
  });

  it('do not affect a head that is dead-lettered or retried manually', async () => {
    const { engine, user } = await openFilled();
    await using _ = engine;
    await deliver(user, 2);
    await engine.pass(VISIBILITY_MS);
    assert.equal((await stored(engine)).length, 10);
    const { queue, database } = engine;
    const dead = await database.transaction((tx) => queue.lines.actOnHead(tx, 1, 'dead-letter'));
    assert.equal(dead.outcome === 'done' && dead.message?.messageId, '1c');
    assert.equal((await queue.lines.line(1)).head?.messageId, '1d');
    assert.equal(
      (await database.transaction((tx) => queue.lines.actOnHead(tx, 2, 'retry', '2c'))).outcome,
      'done',
    );
    assert.deepEqual(await user.drain(), ['1d', '2c', '1e', '2d', '2e']);
  });

  it('are deleted with their line when it is forgotten', async () => {
    const { engine, user } = await openFilled();
    await using _ = engine;
    await user.put(3, ...Array.from({ length: 8 }, (_, n) => `3${n}`));
    await deliver(user, 5);
    assert.ok((await stored(engine)).includes('1a'));
    await engine.database.transaction((tx) => engine.queue.lines.forgetLines(tx, [1, 2]));
    const left = await stored(engine);
    assert.ok(left.length > 0 && left.every((name) => name.startsWith('3')), left.join());
  });
});

describe('the service at start', () => {
  it('deletes delivered messages that remain, whichever queue is used', async () => {
    using folder = temporaryFolder();
    {
      await using service = await startTestService({ dataDir: folder.path });
      await using database = await openDatabaseOf(service.settings.data_dir);
      await database.transaction(async (tx) => {
        await tx.insertMany(
          'queue_messages',
          ['line_id', 'message_id', 'label', 'stored_body', 'enqueued_at'],
          ['done', 'too', 'waits'].map((name) => [7, name, 'L', '{}', 0]),
        );
        await tx.run(
          `insert into queue_lines (line_id, pending, available_at, receive_count, done_to)
           select 7, 1, ?, 0, max(id) - 1 from queue_messages`,
          Number.MAX_SAFE_INTEGER,
        );
      });
    }
    await using service = await startTestService({ dataDir: folder.path });
    await using database = await openDatabaseOf(service.settings.data_dir);
    const left = await database.reader.all<{ message_id: string }>('select message_id from queue_messages');
    assert.deepEqual(
      left.map((row) => row.message_id),
      ['waits'],
    );
  });
});
