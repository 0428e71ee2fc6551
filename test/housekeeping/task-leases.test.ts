import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TaskLeases } from '../../src/housekeeping/task-leases.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { until } from '../support/service.ts';

const LEASE_MS = 60_000;

const REST_MS = 600_000;

interface Instances extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly first: TaskLeases;
  readonly second: TaskLeases;
  /** Whether the holder's lease lasts for this long from now. */
  isLeasedFor(ms: number): Promise<boolean>;
}

async function openInstances({ leaseMs = LEASE_MS } = {}): Promise<Instances> {
  const opened = await openTestDatabase();
  const clock = new ManualClock();
  const leases = () => new TaskLeases({ database: opened.database, now: clock.now, leaseMs });
  return {
    clock,
    first: leases(),
    second: leases(),
    isLeasedFor: async (ms) => {
      const rows = await opened.database.reader.query.selectFrom('task_leases').selectAll().execute();
      return rows[0]?.leased_until === clock.now() + ms;
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

const { signal: never } = new AbortController();
const options = { restMs: REST_MS, signal: never };

/** Begins the task and leaves it in progress until it is ended; null if another instance holds it. */
async function tryToBegin(leases: TaskLeases) {
  const begun = Promise.withResolvers<AbortSignal>();
  const { promise: ending, resolve: end } = Promise.withResolvers<void>();
  const done = leases.run('cleaning', options, async (signal) => {
    begun.resolve(signal);
    await ending;
  });
  const signal = await Promise.race([begun.promise, done.then(() => null)]);
  if (signal === null) return null;
  return {
    signal,
    async end(): Promise<void> {
      end();
      await done;
    },
  };
}

async function begin(leases: TaskLeases) {
  const begun = await tryToBegin(leases);
  assert.ok(begun !== null, 'nobody else holds the task');
  return begun;
}

async function does(leases: TaskLeases, task = 'cleaning'): Promise<boolean> {
  let wasDone = false;
  const answer = await leases.run(task, options, async () => {
    wasDone = true;
  });
  assert.equal(answer, wasDone);
  return wasDone;
}

describe('a housekeeping task', () => {
  it('is done by one instance at a time', async () => {
    await using instances = await openInstances();
    const atWork = await begin(instances.first);
    assert.equal(await does(instances.second), false);
    await atWork.end();
    instances.clock.pass(REST_MS);
    assert.equal(await does(instances.second), true);
  });

  it('is done by only one instance if several start at the same moment', async () => {
    await using instances = await openInstances();
    const leases = [instances.first, instances.second, instances.first, instances.second];
    const done = await Promise.all(leases.map((each) => does(each)));
    assert.equal(done.filter(Boolean).length, 1);
  });

  it('is not due for any instance once it is done', async () => {
    await using instances = await openInstances();
    assert.equal(await does(instances.first), true);
    instances.clock.pass(REST_MS - 1);
    assert.equal(await does(instances.first), false);
    assert.equal(await does(instances.second), false);
    instances.clock.pass(1);
    assert.equal(await does(instances.second), true);
  });

  it('is done by one instance at a time, even if their clocks differ by moments', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const clock = new ManualClock();
    const ahead = new TaskLeases({ database, now: () => clock.now() + 20 });
    const behind = new TaskLeases({ database, now: clock.now });
    // The task pauses for less than a lease, as the cleaning of expired data does.
    const short = { restMs: LEASE_MS / 2, signal: never };
    await ahead.run('cleaning', short, async () => {
      assert.equal(await behind.run('cleaning', short, async () => {}), false);
    });
    assert.equal(await behind.run('cleaning', short, async () => {}), false, 'it was done just now');
  });

  it('is due again after the clock was set back by more than it rests', async () => {
    await using instances = await openInstances();
    assert.equal(await does(instances.first), true);
    instances.clock.pass(-24 * 3_600_000);
    assert.equal(await does(instances.first), true);
    assert.equal(await does(instances.second), false);
  });

  it('does not delay another task', async () => {
    await using instances = await openInstances();
    const atWork = await begin(instances.first);
    assert.equal(await does(instances.second, 'something else'), true);
    await atWork.end();
  });

  it('whose instance was killed is taken over once the lease has expired, and not before', async () => {
    await using instances = await openInstances();
    const killed = await begin(instances.first);
    instances.clock.pass(LEASE_MS - 1);
    assert.equal(await does(instances.second), false);
    instances.clock.pass(1);
    assert.equal(await does(instances.second), true);
    await killed.end();
    assert.equal(await does(instances.first), false, 'one who comes back late does not end the other’s rest');
  });

  it('stays with an instance that works for a long time, which learns if it loses the lease anyway', async () => {
    // Renewals come in real time, and expiry by the clock: the test is quick, and no pause of the machine ends a lease.
    const leaseMs = 150;
    await using instances = await openInstances({ leaseMs });
    const atWork = await begin(instances.first);
    for (let renewal = 0; renewal < 6; renewal++) {
      instances.clock.pass(leaseMs / 2);
      await until(() => instances.isLeasedFor(leaseMs), 'it is renewed');
      assert.equal(await does(instances.second), false);
    }
    assert.equal(atWork.signal.aborted, false);
    const other = await until(async () => {
      instances.clock.pass(leaseMs);
      return await tryToBegin(instances.second);
    }, 'another takes it over');
    await until(() => atWork.signal.aborted, 'the task is aborted');
    await Promise.all([atWork.end(), other.end()]);
  });

  it('that failed may be tried again at once', async () => {
    await using instances = await openInstances();
    const failing = instances.first.run('cleaning', options, async () => {
      throw new Error('no luck');
    });
    await assert.rejects(failing, { message: 'no luck' });
    assert.equal(await does(instances.second), true);
  });

  it('that was stopped halfway can be done by another instance at once', async () => {
    await using instances = await openInstances();
    const stop = new AbortController();
    await instances.first.run('cleaning', { restMs: REST_MS, signal: stop.signal }, async () => stop.abort());
    assert.equal(await does(instances.second), true);
  });
});
