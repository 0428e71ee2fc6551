import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database, Transaction } from '../../src/database/database.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { leaseDueLines } from '../../src/queue/lines/lease-statements.ts';
import { repairLines } from '../../src/queue/lines/repair-lines.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { beginTransaction, countWaiting, untilOneWaits } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { until } from '../support/service.ts';
import { messageOf, type QueueEngine, QueueUser, readDeadLetters, VISIBILITY_MS } from './queue-engine.ts';

/**
 * By default PostgreSQL resolves a deadlock after a second, and the service runs the transaction again. Without that, the
 * deadlock lasts until the wait for a lock times out, and the waiting transaction fails.
 */
const DEADLOCKS_LAST = { deadlock_timeout: '10min' };
const STORM_MS = 900;
const STORM_SIGNALS = 300;

interface Receivers extends AsyncDisposable {
  readonly clock: ManualClock;
  /** One for each instance of the service, each with connections of its own. */
  readonly users: readonly [QueueUser, QueueUser];
}

/** Two instances on one database. */
async function openReceivers(): Promise<Receivers> {
  await using stack = new AsyncDisposableStack();
  const opened = stack.use(await openTestDatabase({ postgresSettings: DEADLOCKS_LAST }));
  const clock = new ManualClock();
  const user = (database: Database) => {
    const engine: QueueEngine = {
      queue: new DatabaseQueue({ database, maxReceives: 1_000, now: clock.now }),
      database,
      now: clock.now,
      pass: async (ms) => clock.pass(ms),
      arrived: async () => {},
      clockIsOurs: true,
      deadLetters: async () => [],
      [Symbol.asyncDispose]: async () => {},
    };
    return new QueueUser(engine);
  };
  const users = [user(opened.database), user(opened.open())] as const;
  const kept = stack.move();
  return { clock, users, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

function enqueue({ engine }: QueueUser, tx: Transaction, lineId: number, name: string): Promise<void> {
  return engine.queue.enqueue(tx, [messageOf(lineId, name, engine.now())]);
}

describe('several receivers of the database queue', {
  skip: !ON_POSTGRES && 'one process has SQLite for itself',
}, () => {
  it('find messages in the order in which their transactions committed, not in which they began', async () => {
    await using receivers = await openReceivers();
    const [here, there] = receivers.users;
    const first = await beginTransaction(here.engine.database);
    const second = await beginTransaction(there.engine.database);
    // Takes a number from its own line, as a long transaction that began first.
    await enqueue(here, first.tx, 2, 'began first');
    await enqueue(there, second.tx, 1, 'committed first');
    const waiting = (async () => {
      await enqueue(here, first.tx, 1, 'committed second');
      await first.commit();
    })();
    await untilOneWaits(here.engine.database);
    await second.commit();
    await waiting;
    const names: string[] = [];
    for (let message = await here.receive(); message.length > 0; message = await here.receive()) {
      names.push(...message.filter(({ lineId }) => lineId === 1).map(({ messageId }) => messageId));
      await here.settle(...message.map((each) => ({ message: each, action: 'delete' }) as const));
    }
    assert.deepEqual(names, ['committed first', 'committed second']);
  });

  it('never wait: they skip a line to which an event is being queued, and receive the others', async () => {
    await using receivers = await openReceivers();
    const [here, there] = receivers.users;
    await here.put(1, 'behind a lock');
    await here.put(2, 'free');
    const event = await beginTransaction(here.engine.database);
    await enqueue(here, event.tx, 1, 'about to be queued');
    const { received, nextAvailableAt } = await there.settleAndReceive({ capacity: 10 });
    assert.deepEqual(
      received.map(({ messageId }) => messageId),
      ['free'],
    );
    const wait = (nextAvailableAt ?? 0) - receivers.clock.now();
    assert.ok(wait > 1, `the line in others’ hands is requested again after ${wait} ms`);
    await event.commit();
    assert.deepEqual(await there.receiveNames(), ['behind a lock']);
  });

  it('never receive the same message, however often they ask at the same time', async () => {
    await using receivers = await openReceivers();
    const lines = Array.from({ length: 40 }, (_, n) => n + 1);
    await receivers.users[0].putAll(lines.map((line) => messageOf(line, `m${line}`, 0)));
    const taken = await Promise.all(
      Array.from({ length: 16 }, (_, n) => receivers.users[n % 2]!.receiveNames(5)),
    );
    const names = taken.flat();
    assert.equal(new Set(names).size, names.length);
    const rest = await receivers.users[0].receiveNames();
    assert.deepEqual([...names, ...rest].sort(), lines.map((line) => `m${line}`).sort());
  });

  it('settle, queue, act on heads and redeliver lines in any order without a deadlock', async () => {
    await using receivers = await openReceivers();
    const [here, there] = receivers.users;
    const lines = Array.from({ length: 12 }, (_, n) => n + 1);
    await here.putAll(
      lines.flatMap((line) => [messageOf(line, `a${line}`, 0), messageOf(line, `b${line}`, 0)]),
    );
    for (let round = 0; round < 15; round++) {
      const out = await here.receive();
      const mixed = out
        .map((message, n) => {
          if (n % 3 === 0) return { message, action: 'retry', availableAt: 0 } as const;
          return { message, action: n % 3 === 1 ? 'release' : 'delete' } as const;
        })
        .reverse();
      const queued = (user: QueueUser, order: readonly number[]) =>
        user.putAll(order.map((line) => messageOf(line, `m${line}-${round}`, 0)));
      await Promise.all([
        here.settle(...mixed),
        queued(there, lines.toReversed()),
        queued(here, lines),
        there.redeliver(lines.toReversed().map((line) => messageOf(line, `again${line}`, 0))),
        ...lines.map((line) =>
          there.engine.database.transaction((tx) => there.engine.queue.lines.actOnHead(tx, line, 'retry')),
        ),
      ]);
    }
  });

  it('lock lines for a transaction that queues to them step by step', async () => {
    await using receivers = await openReceivers();
    const [here, there] = receivers.users;
    const steps = async (user: QueueUser, order: readonly number[]) =>
      await user.engine.database.transaction(async (tx) => {
        await user.engine.queue.lines.lockLines(tx, order);
        for (const line of order) await enqueue(user, tx, line, `m${line}`);
      });
    for (let round = 0; round < 10; round++) {
      await Promise.all([steps(here, [1, 2, 3]), steps(there, [3, 2, 1])]);
    }
  });

  it('lock lines in the same order, also if one of them just got its first message', async () => {
    await using receivers = await openReceivers();
    const [here, there] = receivers.users;
    await here.put(2, 'first');
    const lock = async (user: QueueUser, lineIds: readonly number[], onRun: () => void) =>
      await user.engine.database.transaction(async (tx) => {
        onRun();
        await user.engine.queue.lines.lockLines(tx, lineIds);
      });
    const holding = await beginTransaction(here.engine.database);
    await here.engine.queue.lines.lockLines(holding.tx, [2]);
    let runs = 0;
    const countRun = () => {
      runs++;
    };
    const twoWait = async () =>
      await until(async () => (await countWaiting(here.engine.database)) > 1, 'two transactions wait');
    const first = lock(here, [1, 2], countRun);
    await untilOneWaits(here.engine.database);
    const adding = lock(there, [1], () => {});
    await Promise.race([adding, twoWait()]);
    const second = lock(there, [1, 2], countRun);
    await twoWait();
    await holding.commit();
    await Promise.all([first, adding, second]);
    assert.equal(runs, 2, 'the server rolled none of them back');
  });

  it('skip no head that another one receives at the same moment', async () => {
    await using receivers = await openReceivers();
    const [here, there] = receivers.users;
    await here.put(1, 'head', 'follower');
    const takingUp = await beginTransaction(there.engine.database);
    const now = receivers.clock.now();
    const lease = { now, leasedUntil: now + VISIBILITY_MS, leaseToken: 'token', limit: 1 };
    assert.deepEqual(await leaseDueLines(takingUp.tx, lease), new Map([[1, 1]]));
    const skipping = here.engine.database.transaction((tx) =>
      here.engine.queue.lines.actOnHead(tx, 1, 'dead-letter'),
    );
    await untilOneWaits(here.engine.database);
    await takingUp.commit();
    assert.deepEqual(await skipping, { outcome: 'in-flight' });
    assert.deepEqual(await readDeadLetters(here.engine.database), []);
    assert.equal((await here.engine.queue.lines.line(1)).depth, 2);
  });

  it('that were frozen for longer than their lease settle nothing, regardless of who has the message now', async () => {
    await using receivers = await openReceivers();
    const [stalled, other] = receivers.users;
    await stalled.put(1, 'head', 'follower');
    const lost = await stalled.receiveOne();
    await stalled.engine.pass(VISIBILITY_MS);
    const held = await other.receiveOne();
    const [settledLate, settled] = await Promise.all([
      stalled.settle({ message: lost, action: 'dead-letter' }),
      other.settle({ message: held, action: 'delete' }),
    ]);
    assert.deepEqual([settledLate.length, settled.length], [0, 1]);
    assert.equal((await other.receiveOne()).messageId, 'follower');
  });

  it('leave each other’s leases alone at a start', async () => {
    await using receivers = await openReceivers();
    const [here, there] = receivers.users;
    await here.put(1, 'out');
    const message = await here.receiveOne();
    await repairLines(there.engine.database, { onMiscount: () => {}, now: there.engine.now });
    assert.deepEqual(await there.receiveNames(), []);
    assert.equal((await here.settle({ message, action: 'delete' })).length, 1);
  });

  it('are all woken by a message that one of them queues, but not if that is rolled back', async () => {
    await using receivers = await openReceivers();
    const [here, there] = receivers.users;
    const woken = receivers.users.map(({ engine }) => wakeUpsOf(engine));
    await until(() => woken.every(({ count }) => count > 0), 'both listen');
    for (const each of woken) each.count = 0;
    const undone = here.engine.database.transaction(async (tx) => {
      await enqueue(here, tx, 1, 'undone');
      throw new Error('changed my mind');
    });
    await assert.rejects(undone);
    assert.deepEqual(
      woken.map(({ count }) => count),
      [0, 0],
    );
    await there.put(1, 'queued');
    await until(() => woken.every(({ count }) => count > 0), 'both are woken');
  });

  it('with nothing to do are woken a limited number of times by a storm of signals', async () => {
    await using receivers = await openReceivers();
    const [busy, idle] = receivers.users;
    const woken = wakeUpsOf(idle.engine);
    await until(() => woken.count > 0, 'it listens');
    let looks = 0;
    let looking: Promise<unknown> | null = null;
    woken.listener = () => {
      // Like the worker: one poll at a time, each for messages that arrived since the last one began.
      if (looking !== null) return;
      looks += 1;
      looking = idle.settleAndReceive({ capacity: 0 }).finally(() => {
        looking = null;
      });
    };
    const begun = performance.now();
    let signals = 0;
    while (performance.now() - begun < STORM_MS || signals < STORM_SIGNALS) {
      await busy.put(1, `m${signals}`);
      signals += 1;
    }
    const took = performance.now() - begun;
    woken.listener = () => {};
    await looking;
    assert.ok(looks <= took / 15, `${looks} looks in ${took} ms, at ${signals} signals`);
  });
});

interface WakeUps {
  count: number;
  listener: () => void;
}

function wakeUpsOf({ queue }: QueueEngine): WakeUps {
  const wakeUps: WakeUps = { count: 0, listener: () => {} };
  queue.lines.onAvailable(() => {
    wakeUps.count += 1;
    wakeUps.listener();
  });
  return wakeUps;
}
