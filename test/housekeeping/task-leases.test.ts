import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
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
  /** Whether the task is its holder's for so long from now. */
  isLeasedFor(ms: number): Promise<boolean>;
}

async function openInstances(): Promise<Instances> {
  const opened = await openTestDatabase();
  const clock = new ManualClock();
  const leases = () => new TaskLeases({ database: opened.database, now: clock.now });
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

/** Begins the task and leaves it under way until it is ended, as one who stands still does. */
async function begin(leases: TaskLeases, task = 'cleaning') {
  const begun = Promise.withResolvers<AbortSignal>();
  const { promise: ending, resolve: end } = Promise.withResolvers<void>();
  const done = leases.run(task, options, async (signal) => {
    begun.resolve(signal);
    await ending;
  });
  return {
    signal: await begun.promise,
    async end(): Promise<void> {
      end();
      await done;
    },
  };
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

  it('is another’s when several begin in the same moment', async () => {
    await using instances = await openInstances();
    const leases = [instances.first, instances.second, instances.first, instances.second];
    const done = await Promise.all(leases.map((each) => does(each)));
    assert.equal(done.filter(Boolean).length, 1);
  });

  it('rests for everyone once it is done', async () => {
    await using instances = await openInstances();
    assert.equal(await does(instances.first), true);
    instances.clock.pass(REST_MS - 1);
    assert.equal(await does(instances.first), false);
    assert.equal(await does(instances.second), false);
    instances.clock.pass(1);
    assert.equal(await does(instances.second), true);
  });

  it('does not keep another task waiting', async () => {
    await using instances = await openInstances();
    const atWork = await begin(instances.first);
    assert.equal(await does(instances.second, 'something else'), true);
    await atWork.end();
  });

  it('whose instance was killed is taken over when the lease has ended, and not before', async () => {
    await using instances = await openInstances();
    const killed = await begin(instances.first);
    instances.clock.pass(LEASE_MS - 1);
    assert.equal(await does(instances.second), false);
    instances.clock.pass(1);
    assert.equal(await does(instances.second), true);
    await killed.end();
    assert.equal(await does(instances.first), false, 'one who comes back late does not end the other’s rest');
  });

  it('stays with an instance that is at it for long, which is told when it has lost it all the same', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    await using instances = await openInstances();
    const atWork = await begin(instances.first);
    for (let renewal = 0; renewal < 6; renewal++) {
      instances.clock.pass(LEASE_MS / 2);
      t.mock.timers.tick(LEASE_MS / 3);
      await until(() => instances.isLeasedFor(LEASE_MS), 'it is renewed');
      assert.equal(await does(instances.second), false);
    }
    assert.equal(atWork.signal.aborted, false);
    instances.clock.pass(LEASE_MS);
    const other = await begin(instances.second);
    t.mock.timers.tick(LEASE_MS / 3);
    await until(() => atWork.signal.aborted, 'it is told');
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

  it('that was stopped half-way is another’s at once', async () => {
    await using instances = await openInstances();
    const stop = new AbortController();
    await instances.first.run('cleaning', { restMs: REST_MS, signal: stop.signal }, async () => stop.abort());
    assert.equal(await does(instances.second), true);
  });
});
