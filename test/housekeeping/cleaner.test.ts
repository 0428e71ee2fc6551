import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseUnavailableError } from '../../src/database/database.ts';
import { Cleaner, type CleaningStep } from '../../src/housekeeping/cleaner.ts';
import { TaskLeases } from '../../src/housekeeping/task-leases.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { recordedLogs } from '../support/logs.ts';
import { until } from '../support/until.ts';

/** A step with this many expired rows. */
function stepOf(name: string, expired: number): CleaningStep {
  let left = expired;
  return {
    name,
    run: async (limit) => {
      const removed = Math.min(limit, left);
      left -= removed;
      return removed;
    },
  };
}

/** The lines that a round of cleaning logs. */
async function linesOf(...steps: readonly CleaningStep[]) {
  await using test = await openTestDatabase();
  const { logs, lines } = recordedLogs();
  let ended = false;
  const last = {
    name: 'last',
    run: async () => {
      ended = true;
      return 0;
    },
  };
  await using cleaner = new Cleaner({
    steps: [...steps, last],
    leases: new TaskLeases({ database: test.database, now: Date.now }),
    now: Date.now,
    log: logs.for('Cleaner'),
  });
  cleaner.start();
  await until(() => ended, 'the last step was reached');
  return lines;
}

describe('the cleaner of the service', () => {
  it('logs how many rows each step removed, and nothing for a step that removed none', async () => {
    const lines = await linesOf(stepOf('sessions', 1_200), stepOf('dead letters', 0), stepOf('events', 3));
    assert.deepEqual(
      lines.map(({ level, msg, step, rows }) => [level, msg, step, rows]),
      [
        ['info', 'expired data was removed', 'sessions', 1_200],
        ['info', 'expired data was removed', 'events', 3],
      ],
    );
  });

  it('repeats a step that removed few rows because they were large, until nothing is left', async () => {
    let left = 5;
    const lines = await linesOf({
      name: 'events',
      run: async () => {
        left -= 1;
        return { rows: 1, mayBeMore: left > 0 };
      },
    });
    assert.deepEqual(
      lines.map(({ step, rows }) => [step, rows]),
      [['events', 5]],
    );
  });

  it('continues after a step that failed, and logs which one and what was removed until then', async () => {
    let calls = 0;
    const lines = await linesOf(
      stepOf('sessions', 1),
      {
        name: 'events',
        run: async (limit) => {
          calls += 1;
          if (calls > 1) throw new Error('the table is gone');
          return limit;
        },
      },
      stepOf('dead letters', 2),
    );
    assert.deepEqual(
      lines.map(({ level, msg, step, rows, error }) => [level, msg, step, rows ?? error.message]),
      [
        ['info', 'expired data was removed', 'sessions', 1],
        ['info', 'expired data was removed', 'events', 500],
        ['warn', 'expired data could not be removed; retrying in a minute', 'events', 'the table is gone'],
        ['info', 'expired data was removed', 'dead letters', 2],
      ],
    );
  });

  it('continues after a step that the database refuses or does not finish in time', async () => {
    const refused = 'the database could not run a statement: canceling statement due to statement timeout';
    const lines = await linesOf(
      {
        name: 'events',
        run: async () => {
          throw new DatabaseUnavailableError(refused);
        },
      },
      stepOf('dead letters', 2),
    );
    assert.deepEqual(
      lines.map(({ level, msg, step, rows, error }) => [level, msg, step, rows ?? error.message]),
      [
        ['warn', 'expired data could not be removed; retrying in a minute', 'events', refused],
        ['info', 'expired data was removed', 'dead letters', 2],
      ],
    );
  });

  it('starts no further step once it ends', async () => {
    await using test = await openTestDatabase();
    const [started, wake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let others = 0;
    const cleaner = new Cleaner({
      steps: [
        {
          name: 'events',
          run: async () => {
            started.resolve();
            await wake.promise;
            throw new DatabaseUnavailableError('the database could not run a statement');
          },
        },
        { name: 'sessions', run: async () => (others += 1) },
      ],
      leases: new TaskLeases({ database: test.database, now: Date.now }),
      now: Date.now,
      log: { info: () => {}, warn: () => {} },
    });
    cleaner.start();
    await started.promise;
    const ended = cleaner[Symbol.asyncDispose]();
    wake.resolve();
    await ended;
    assert.equal(others, 0);
  });

  describe('after the clock moved forward by many days', () => {
    const DAY = 86_400_000;
    const MINUTE = 60_000;

    /** A cleaner that ran before its clock was set 91 days ahead, and another one that was started afterwards. */
    async function startLater() {
      await using stack = new AsyncDisposableStack();
      const { database } = stack.use(await openTestDatabase());
      const [clock, monotonic] = [new ManualClock(), new ManualClock()];
      const { logs, lines } = recordedLogs();
      let removals = 0;
      let untimed = 0;
      let looks = 0;
      const start = () => {
        const cleaner = new Cleaner({
          steps: [
            { name: 'events', run: async () => (removals += 1) },
            { name: 'profiles', isUntimed: true, run: async () => (untimed += 1) },
          ],
          leases: new TaskLeases({ database, now: clock.now }),
          log: logs.for('Cleaner'),
          now: () => {
            looks += 1;
            return clock.now();
          },
          monotonicNow: monotonic.now,
          pauseMs: 1,
        });
        cleaner.start();
        return cleaner;
      };
      await using before = start();
      await until(() => removals === 1, 'the first one removes');
      await before[Symbol.asyncDispose]();
      removals = 0;
      untimed = 0;
      clock.pass(91 * DAY);
      stack.use(start());
      const parts = stack.move();
      return {
        clock,
        monotonic,
        removals: () => removals,
        untimed: () => untimed,
        lines,
        untilLooks: async (more: number) => {
          const wanted = looks + more;
          await until(() => looks >= wanted, 'it looked again');
        },
        [Symbol.asyncDispose]: () => parts.disposeAsync(),
      };
    }

    it('keeps what has expired for ten minutes, and warns once, because the clock may be wrong', async () => {
      await using world = await startLater();
      await world.untilLooks(3);
      world.monotonic.pass(10 * MINUTE - 1);
      await world.untilLooks(3);
      assert.equal(world.removals(), 0);
      const warnings = world.lines.filter(({ level }) => level === 'warn');
      assert.deepEqual(
        warnings.map(({ last_dt, now_dt }) => [last_dt, now_dt]),
        [['2030-01-01T00:00:30.000Z', '2030-04-02T00:00:00.000Z']],
      );
      world.monotonic.pass(1);
      await until(() => world.removals() === 1, 'the ten minutes are over');
    });

    it('keeps what has expired once more if the clock moves forward again', async () => {
      await using world = await startLater();
      await world.untilLooks(3);
      world.monotonic.pass(10 * MINUTE);
      await until(() => world.removals() === 1, 'the ten minutes are over');
      await world.untilLooks(1);
      world.clock.pass(MINUTE);
      await until(() => world.removals() === 2, 'the next round');
      await world.untilLooks(1);
      world.monotonic.pass(60 * MINUTE);
      world.clock.pass(91 * DAY);
      await world.untilLooks(3);
      assert.equal(world.removals(), 2);
    });

    it('still removes what does not depend on the clock', async () => {
      await using world = await startLater();
      await until(() => world.untimed() === 1, 'the profiles are removed');
      assert.equal(world.removals(), 0);
    });

    it('continues as soon as the clock is right again', async () => {
      await using world = await startLater();
      await world.untilLooks(3);
      world.clock.pass(-91 * DAY + 60_000);
      await until(() => world.removals() === 1, 'it removes what has expired');
    });
  });
});
