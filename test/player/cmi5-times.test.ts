import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { RunningClock } from '../support/clock.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { runSql } from '../support/database.ts';
import { receivedStatuses, subscribeToResults } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { Unit } from './cmi5-helpers.ts';
import { launchUnit, Player, resultOf } from './learner-helpers.ts';
import { lrsClient } from './lrs-helpers.ts';

const ONE = 'https://example.com/course/one';

describe('the duration of a cmi5 course', () => {
  let service: TestService;
  let target: Target;
  const clock = new RunningClock();
  aroundTests(async (parts) => {
    target = parts.use(await startTarget());
    service = parts.use(await startTestService({ now: clock.now }));
    await subscribeToResults(service, target);
  });

  const register = async () =>
    (await registerTo(service, cmi5Course([{ id: ONE, moveOn: 'CompletedAndPassed' }]))).registrationId;
  const open = async (registrationId: string) => {
    const unit = await Unit.start(await launchUnit(service, registrationId, ONE));
    assert.deepEqual(await unit.send(unit.initialized()), [200]);
    return unit;
  };
  /** The statement "completed" of a unit, with the time that the learner needed. */
  const completed = (unit: Unit, duration: string) =>
    unit.statement('completed', { completion: true, duration }, ['moveon']);
  const passed = (unit: Unit, duration: string) =>
    unit.statement('passed', { success: true, duration }, ['moveon']);
  const durationOf = async (registrationId: string) => (await resultOf(service, registrationId)).duration;

  it('is part of the message about the completion, and grows to the time of the whole session', async () => {
    const registrationId = await register();
    const unit = await open(registrationId);
    clock.aheadMs += 90_000;
    await unit.send(completed(unit, 'PT80S'), passed(unit, 'PT1M25S'));
    const heard = () =>
      receivedStatuses(target, registrationId).find(({ completion }) => completion === 'Completed');
    await until(() => heard() !== undefined, 'the completion is heard of');
    assert.equal(heard()?.duration, 85);
    clock.aheadMs += 30_000;
    assert.deepEqual(await unit.send(unit.terminated('PT2M')), [200]);
    assert.equal(await durationOf(registrationId), 120);
  });

  it('counts the time of a session once if the learner passes and the session is then abandoned', async () => {
    const registrationId = await register();
    const first = await open(registrationId);
    clock.aheadMs += 60_000;
    await first.send(passed(first, 'PT50S'));
    assert.equal(await durationOf(registrationId), 50);
    clock.aheadMs += 600_000;
    const second = await open(registrationId);
    const abandoned = await durationOf(registrationId);
    assert.ok(abandoned >= 60 && abandoned < 90, String(abandoned));
    clock.aheadMs += 30_000;
    await second.send(completed(second, 'PT10S'), second.terminated('PT20S'));
    assert.equal(await durationOf(registrationId), abandoned + 20);
  });

  it('counts no time of earlier sessions again that a result includes', async () => {
    const registrationId = await register();
    const first = await open(registrationId);
    await first.send(first.terminated('PT1H'));
    const second = await open(registrationId);
    clock.aheadMs += 120_000;
    await second.send(completed(second, 'PT1H2M'));
    const total = await durationOf(registrationId);
    assert.ok(total >= 3_720 && total < 3_900, String(total));
    await second.send(second.terminated('PT5M'));
    assert.equal(await durationOf(registrationId), 3_900);
  });

  it('keeps the longest time that a session has reported, even if its end reports less', async () => {
    const registrationId = await register();
    const first = await open(registrationId);
    clock.aheadMs += 90_000;
    await first.send(completed(first, 'PT80S'), first.terminated('PT10S'));
    const second = await open(registrationId);
    await second.send(second.terminated('PT20S'));
    assert.equal(await durationOf(registrationId), 100);
  });

  it('counts no time after the last request of an abandoned session', async () => {
    const registrationId = await register();
    const unit = await open(registrationId);
    clock.aheadMs += 120_000;
    await open(registrationId);
    assert.ok((await durationOf(registrationId)) < 60);
    const { json } = await (await lrsClient(service)).call('GET', 'statements', {
      query: { registration: unit.registration, verb: 'https://w3id.org/xapi/adl/verbs/abandoned' },
    });
    assert.match(json.statements[0].result.duration, /^PT\d?\d(\.\d+)?S$/);
  });

  it('counts no time of an abandoned session in Browse mode', async () => {
    const registrationId = await register();
    const { body } = await service.api.post(`/registrations/${registrationId}/launch`, { mode: 'browse' });
    const looking = await Unit.start(await (await Player.follow(body.launch_url)).openUnit(ONE));
    clock.aheadMs += 120_000;
    assert.deepEqual(await looking.send(looking.initialized()), [200]);
    await open(registrationId);
    assert.equal(await durationOf(registrationId), 0);
  });

  it('counts the time of a session once if an instance of the previous release handles its end', async () => {
    const registrationId = await register();
    const first = await open(registrationId);
    clock.aheadMs += 600_000;
    await first.send(completed(first, 'PT10M'));
    assert.equal(await durationOf(registrationId), 600);
    // That release adds the whole time of the session, and does not know how much of it a result has counted.
    const sql = <Row>(text: string, ...values: (string | number)[]) =>
      runSql<Row>(service.settings.data_dir, text, ...values);
    const [unit] = await sql<{ data: string; duration: number | string }>(
      'select data, duration_ms as duration from player_units where registration_id = ?',
      registrationId,
    );
    assert.ok(unit);
    const data = JSON.parse(unit.data) as { spentMs: number };
    data.spentMs += 600_000;
    await sql(
      'update player_units set data = ?, duration_ms = ? where registration_id = ?',
      JSON.stringify(data),
      Math.max(Number(unit.duration), data.spentMs),
      registrationId,
    );
    const [session] = await sql<{ facts: string }>(
      'select facts from player_sessions where registration_id = ?',
      registrationId,
    );
    assert.ok(session);
    await sql(
      'update player_sessions set facts = ?, ended_at = ? where registration_id = ?',
      JSON.stringify({ ...JSON.parse(session.facts), terminated: true }),
      clock.now(),
      registrationId,
    );
    const second = await open(registrationId);
    clock.aheadMs += 300_000;
    await second.send(passed(second, 'PT4M'), second.terminated('PT5M'));
    assert.equal(await durationOf(registrationId), 900);
  });
});
