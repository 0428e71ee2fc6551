import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { InstanceChecks, type InstanceChecksDependencies } from '../../src/alerts/firings/instance-checks.ts';
import type { Database } from '../../src/database/database.ts';
import { failureOf, sharedChecks } from '../../src/observability/readiness.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { HOUR, MINUTE } from './alert-helpers.ts';

type Checks = InstanceChecksDependencies['checks'];

describe('the checks of an instance', () => {
  const fails = { disk: () => Promise.reject(new Error('it is full')) };
  const about = { instance: 'one', hostName: 'host-a' };

  for (const [how, pauseOfOther] of [
    ['rarely', 10 * MINUTE],
    ['rarely on one of them', MINUTE / 4],
    ['rarely on one of them, and more so on another', 60 * MINUTE],
  ] as const)
    it(`are known to all instances until the next round, if rules are evaluated ${how}`, async () => {
      await using opened = await openTestDatabase();
      const clock = new ManualClock();
      const pauseMs = 10 * MINUTE;
      const parts = { database: opened.database, queueObstacle: () => null, now: clock.now, pauseMs };
      const failing = new InstanceChecks({ ...parts, checks: fails, about });
      const ofOther = { ...parts, pauseMs: pauseOfOther, about: { ...about, instance: 'two' } };
      const other = new InstanceChecks({ ...ofOther, checks: { queue: fails.disk } });
      const known = async () => {
        // When it reports its own checks, it deletes those that no longer count.
        await other.run(true);
        await other.report();
        await other.run(false);
        await other.report();
        return (await other.ofAllInstances()).failing.map(({ name, reason }) => [name, reason]);
      };
      await failing.run(true);
      await failing.report();
      clock.pass(pauseMs);
      assert.deepEqual(await known(), [['disk', 'it is full']]);
      await failing.run(true);
      await failing.report();
      clock.pass(3 * pauseMs);
      assert.deepEqual(await known(), [['disk', 'it is full']], 'the report was repeated');
      clock.pass(1);
      assert.deepEqual(await known(), [], 'the instance has stopped');
    });

  describe('that fell silent', () => {
    const start = (database: Database, clock: ManualClock, host: string, checks: Checks) =>
      new InstanceChecks({
        database,
        checks,
        queueObstacle: () => null,
        about: { instance: randomUUID(), hostName: host },
        pauseMs: MINUTE / 4,
        now: clock.now,
      });
    const report = async (instance: InstanceChecks) => {
      await instance.run(true);
      await instance.report();
      const { failing, silent } = await instance.ofAllInstances();
      return { failing: failing.map(({ hostName }) => hostName), silent: silent.map(({ name }) => name) };
    };

    it('are not known to work, unless an instance says so that was started later on the host', async () => {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const clock = new ManualClock();
      await createFiring(database, 'disk:host-a');
      const neighbour = start(database, clock, 'host-a', { disk: async () => {} });
      const elsewhere = start(database, clock, 'host-b', fails);
      clock.pass(1);
      await report(start(database, clock, 'host-a', fails));
      clock.pass(2 * MINUTE);
      assert.deepEqual(await report(elsewhere), { failing: ['host-a', 'host-b'], silent: [] });
      clock.pass(1);
      assert.deepEqual(await report(elsewhere), { failing: ['host-b'], silent: ['disk'] });
      assert.deepEqual(await report(neighbour), { failing: ['host-b'], silent: ['disk'] });
      for (const [checks, silent] of [
        [{ queue: async () => {} }, ['disk']],
        [{ disk: async () => {} }, []],
      ] as const) {
        const successor = start(database, clock, 'host-a', checks);
        await report(successor);
        clock.pass(2 * MINUTE + 1);
        await report(elsewhere);
        assert.deepEqual(await report(successor), { failing: ['host-b'], silent });
      }
    });

    it('do not count after the clock was set back, even if they are dated in the future', async () => {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const clock = new ManualClock();
      await createFiring(database, 'disk:host-a');
      const elsewhere = start(database, clock, 'host-b', fails);
      await report(start(database, clock, 'host-a', fails));
      assert.deepEqual((await report(elsewhere)).failing, ['host-a', 'host-b']);
      clock.pass(-24 * HOUR);
      assert.deepEqual(await report(elsewhere), { failing: ['host-b'], silent: ['disk'] });
    });

    it('are forgotten once no alert about them is firing', async () => {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const clock = new ManualClock();
      const elsewhere = start(database, clock, 'host-b', fails);
      await report(start(database, clock, 'host-a', fails));
      clock.pass(2 * MINUTE + 1);
      assert.deepEqual(await report(elsewhere), { failing: ['host-b'], silent: [] });
    });

    it('count for two minutes after a stop, although rules are evaluated rarely', async () => {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const clock = new ManualClock();
      const parts = { database, queueObstacle: () => null, now: clock.now };
      const stopping = new InstanceChecks({ ...parts, checks: fails, about, pauseMs: 10 * MINUTE });
      const other = start(database, clock, 'host-b', {});
      await report(stopping);
      await stopping.leave();
      clock.pass(2 * MINUTE);
      assert.deepEqual((await report(other)).failing, ['host-a']);
      clock.pass(1);
      assert.deepEqual((await report(other)).failing, []);
    });
  });

  it('say why they fail without the number of the AWS account', async () => {
    await using opened = await openTestDatabase();
    const denied = (account: string) =>
      `AccessDenied: User: arn:aws:sts::${account}:assumed-role/courses/i-0 is not authorized to perform: s3:ListBucket on "arn:aws:s3:::files" (status 403)`;
    const checks = { content: () => Promise.reject(new Error(denied('123456789012'))) };
    const { now } = new ManualClock();
    const parts = { database: opened.database, queueObstacle: () => null, now, pauseMs: MINUTE };
    const instance = new InstanceChecks({ ...parts, checks, about });
    await instance.run(true);
    await instance.report();
    assert.deepEqual(
      (await instance.ofAllInstances()).failing.map(({ reason }) => reason),
      [denied('…')],
    );
  });

  it('are not started again while they hang, neither for alerts nor for readiness', async () => {
    await using opened = await openTestDatabase();
    const hanging = Promise.withResolvers<void>();
    let starts = 0;
    const checks = sharedChecks({
      content: () => {
        starts += 1;
        return hanging.promise;
      },
    });
    const { now } = new ManualClock();
    const parts = { database: opened.database, queueObstacle: () => null, now, pauseMs: MINUTE };
    const instance = new InstanceChecks({ ...parts, checks, about });
    const results = await Promise.all([instance.run(true), instance.run(true), failureOf(checks.content!)]);
    assert.equal(results[2]?.message, 'no response within 3 s');
    await instance.report();
    const [trouble] = (await instance.ofAllInstances()).failing;
    assert.deepEqual([trouble?.name, trouble?.reason, starts], ['content', 'no response within 3 s', 1]);
    hanging.resolve();
    await instance.run(true);
    await instance.report();
    assert.deepEqual(await instance.ofAllInstances(), { failing: [], silent: [] });
    assert.equal(await failureOf(checks.content!), null);
    assert.ok(starts > 1, 'a check that ended is started again');
  });
});

/** Begins an alert about a subject. It does not end. */
async function createFiring(database: Database, subject: string): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run(
      `insert into alert_firings (rule_id, rule_name, condition, subject, subject_name, since, began_at, relapses, details)
       values (1, 'Service', 'SERVICE_IN_TROUBLE', ?, 'A disk', 0, 0, 0, '{}')`,
      subject,
    );
  });
}
