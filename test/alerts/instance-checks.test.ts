import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InstanceChecks } from '../../src/alerts/firings/instance-checks.ts';
import { failureOf, sharedChecks } from '../../src/observability/readiness.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { MINUTE } from './alert-helpers.ts';

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
        return (await other.ofAllInstances()).map(({ name, reason }) => [name, reason]);
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
      (await instance.ofAllInstances()).map(({ reason }) => reason),
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
    const [trouble] = await instance.ofAllInstances();
    assert.deepEqual([trouble?.name, trouble?.reason, starts], ['content', 'no response within 3 s', 1]);
    hanging.resolve();
    await instance.run(true);
    await instance.report();
    assert.deepEqual(await instance.ofAllInstances(), []);
    assert.equal(await failureOf(checks.content!), null);
    assert.ok(starts > 1, 'a check that ended is started again');
  });
});
