import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Database, DatabaseUnavailableError } from '../../src/database/database.ts';
import { aroundTests } from '../support/around-tests.ts';
import { recordedLogs } from '../support/logs.ts';
import { measureRunningTime } from '../support/running-time.ts';
import { until } from '../support/service.ts';
import { succeeds } from '../support/until.ts';
import { deliver, lines, openBench, sorted } from './sqs-bench.ts';
import { openTestSqsQueue } from './sqs-engine.ts';
import { type SqsServer, startSqsServer } from './sqs-server.ts';

// Runs on SQLite in `npm test`: the database works during these outages. The tests of placing run its statements on
// both.

let server: SqsServer;
aroundTests(async (parts) => {
  server = parts.use(await startSqsServer());
});

describe('an outage of Amazon SQS', () => {
  for (const treatment of ['expired', 'unavailable', 'cut before', 'stalled', 'huge'] as const) {
    it(`is logged once, shows in readiness, and ends without help (${treatment})`, async () => {
      await using bench = await openBench(server);
      const { logs, lines: said } = recordedLogs();
      let failures = 0;
      const instance = await bench.open({
        log: logs.for('MessageQueue'),
        requestDeadlineMs: 1_000,
        onFailure: () => {
          failures += 1;
        },
      });
      await bench.put(lines([1], 2));
      assert.equal((await deliver(instance, 2)).get(1)?.length, 2);
      await instance.check();
      bench.proxy.treat = () => treatment;
      await bench.put(lines([1], 3));
      await until(() => failures > 3, 'several requests failed');
      await assert.rejects(instance.check(), /Amazon SQS/);
      bench.proxy.treat = () => 'pass';
      assert.equal((await deliver(instance, 3)).get(1)?.length, 3);
      await until(() => succeeds(instance.check()), 'ready again');
      await until(() => said.some(({ msg }) => msg === 'Amazon SQS works again'), 'the recovery is said');
      assert.equal(said.filter(({ level }) => level === 'error').length, 1, JSON.stringify(said));
    });
  }

  it('does not keep a message of an idle line waiting for the next poll of the database', async () => {
    await using bench = await openBench(server);
    bench.proxy.treat = () => 'unavailable';
    const { queue } = await bench.open();
    let notices = 0;
    queue.lines.onAvailable(() => {
      notices += 1;
    });
    await bench.put(lines([1], 1));
    await until(() => notices > 0, 'delivery is notified, although no copy came');
  });

  it('ends for an instance that does not poll and has nothing more to send', async () => {
    await using bench = await openBench(server);
    const front = await bench.open({ polls: false });
    const worker = await bench.open();
    bench.proxy.treat = (action) => (action === 'SendMessageBatch' ? 'unavailable' : 'pass');
    await bench.put(lines([1], 1));
    await until(async () => !(await succeeds(front.check())), 'it has noticed');
    await deliver(worker, 1);
    bench.proxy.treat = () => 'pass';
    await until(() => succeeds(front.check()), 'ready again');
  });

  it('keeps the redrive maximum that was read last, even across a start', async () => {
    await using bench = await openBench(server, { maxReceives: 7 });
    const first = await bench.open();
    assert.equal(first.queue.maxReceives, 7);
    await first[Symbol.asyncDispose]();
    bench.proxy.treat = () => 'unavailable';
    assert.equal((await bench.open()).queue.maxReceives, 7);
    const place = { ...bench.queues.place, endpoint: bench.proxy.endpoint, messageQueueName: 'other.fifo' };
    assert.equal((await bench.open({ place })).queue.maxReceives, 1_000, 'of a queue that was never read');
  });

  it('does not prevent the service from starting, but a missing queue does', async () => {
    await using bench = await openBench(server);
    bench.proxy.treat = () => 'throttled';
    const instance = await bench.open();
    await assert.rejects(instance.check(), /too many requests/);
    bench.proxy.treat = () => 'pass';
    await assert.rejects(
      openTestSqsQueue(bench.database, { place: { ...bench.queues.place, messageQueueName: 'none.fifo' } }),
      { name: 'SqsSetupError', message: /none\.fifo.*coursewire queues create/ },
    );
  });

  it('does not delay a stop before the start is complete if Amazon SQS does not respond', async () => {
    await using bench = await openBench(server);
    bench.proxy.treat = () => 'silent';
    const stopping = new AbortController();
    const opening = assert.rejects(bench.open({ signal: stopping.signal }), { name: 'AbortError' });
    await until(() => bench.proxy.actions.length > 0, 'the queues are being checked');
    using took = measureRunningTime();
    stopping.abort();
    await opening;
    // A request has 10 s, and a second attempt.
    assert.ok(took.ms < 9_000, `${took.ms} ms`);
  });

  it('delays a stop by about a second if Amazon SQS does not respond, and is not logged then', async () => {
    await using bench = await openBench(server);
    const { logs, lines: logged } = recordedLogs();
    const log = logs.for('MessageQueue');
    bench.proxy.treat = (action) => (action === 'DeleteMessageBatch' ? 'silent' : 'pass');
    const instance = await bench.open({ log });
    await bench.put(lines([1], 1));
    await until(() => bench.proxy.actions.includes('DeleteMessageBatch'), 'a copy is being deleted');
    bench.proxy.treat = () => 'silent';
    const sent = bench.proxy.actions.length;
    await bench.put(lines([2], 1));
    await until(
      () => bench.proxy.actions.slice(sent).includes('SendMessageBatch'),
      'another copy is being sent',
    );
    using took = measureRunningTime();
    await instance[Symbol.asyncDispose]();
    // A request has 10 s, and a second attempt.
    assert.ok(took.ms < 9_000, `${took.ms} ms`);
    assert.deepEqual(logged, []);
  });
});

describe('an outage of the database of an instance', () => {
  it('uses up no receives of the copies that the instance cannot work on', async () => {
    await using bench = await openBench(server);
    const healthy = await bench.open({ polls: false });
    const { database, lose, find, pings } = losable(bench.database);
    await bench.open({ database });
    lose();
    await bench.put(lines([1], 1));
    await until(() => pings() > 0, 'a copy was received');
    const received = bench.proxy.count('ReceiveMessage');
    await until(() => pings() > 3, 'the database was asked several times');
    assert.equal(bench.proxy.count('ReceiveMessage'), received);
    find();
    await until(() => bench.proxy.count('ReceiveMessage') > received, 'it receives again');
    assert.deepEqual(sorted(await deliver(healthy, 1)), [[1, ['1-0']]]);
  });
});

/** A database that the caller may lose and find again. */
function losable(database: Database) {
  let isLost = false;
  let pings = 0;
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isLost) throw new DatabaseUnavailableError('it is lost');
    return await work();
  };
  const own: Partial<Database> = {
    transaction: (...args) => call(() => database.transaction(...args)),
    ping: () => {
      pings += 1;
      return call(() => database.ping());
    },
  };
  return {
    database: new Proxy(database, {
      get(target, name) {
        const value = Reflect.get(own, name) ?? Reflect.get(target, name, target);
        return typeof value === 'function' && !(name in own) ? value.bind(target) : value;
      },
    }),
    lose: () => {
      isLost = true;
    },
    find: () => {
      isLost = false;
    },
    pings: () => pings,
  };
}
