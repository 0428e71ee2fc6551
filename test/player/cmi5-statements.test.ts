import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '../../src/time/units.ts';
import { aroundTests } from '../support/around-tests.ts';
import { RunningClock } from '../support/clock.ts';
import { type Cmi5Unit, cmi5Course } from '../support/cmi5-course.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { Unit } from './cmi5-helpers.ts';
import { launchUnit, Player } from './learner-helpers.ts';
import { VOIDED } from './lrs-helpers.ts';

// Runs on SQLite alone: statements are judged before they are stored, and the tests of learning records store them.

const ONE = 'https://example.com/course/one';
const MOVE_ON = 'https://w3id.org/xapi/cmi5/context/categories/moveon';

describe('a cmi5 course that sends statements', () => {
  let service: TestService;
  const clock = new RunningClock();

  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ now: clock.now }));
  });

  const register = async (unit: Cmi5Unit) => (await registerTo(service, cmi5Course([unit]))).registrationId;
  const open = async (registrationId: string) =>
    await Unit.start(await launchUnit(service, registrationId, ONE));

  test('must follow the order of a session', async () => {
    const unit = await open(await register({ id: ONE }));
    assert.deepEqual(
      await unit.send(
        unit.completed(),
        unit.initialized(),
        unit.initialized(),
        unit.completed(),
        unit.completed(),
        unit.terminated(),
        unit.terminated(),
        unit.statement('experienced'),
      ),
      [403, 200, 403, 200, 403, 200, 403, 403],
    );
  });

  test('learns which refused statements repeat stored ones, so that nothing is missing', async () => {
    const unit = await open(await register({ id: ONE }));
    const reasons: unknown[] = [];
    for (const body of [
      unit.initialized(),
      unit.initialized(),
      unit.failed(0.4),
      unit.failed(0.4),
      unit.passed(0.9),
      unit.completed(),
      unit.completed(),
      unit.terminated(),
      unit.terminated(),
      unit.statement('experienced'),
    ]) {
      const { status, json } = await unit.lrs.call('POST', 'statements', { body });
      reasons.push(status === 403 ? (json.reason ?? 'missing') : status);
    }
    assert.deepEqual(reasons, [
      200,
      'repeated',
      200,
      'repeated',
      'missing',
      200,
      'repeated',
      200,
      'session-ended',
      'session-ended',
    ]);
  });

  describe('again after the end of its session', () => {
    const ended = async () => {
      const registrationId = await register({ id: ONE });
      const unit = await open(registrationId);
      const sent = [unit.initialized(), unit.completed(), unit.terminated()] as const;
      assert.deepEqual(await unit.send(...sent), [200, 200, 200]);
      return { registrationId, unit, sent };
    };
    const put = async (unit: Unit, body: Record<string, unknown>) =>
      (await unit.lrs.call('PUT', 'statements', { query: { statementId: String(body.id) }, body })).status;

    test('is refused as repeated, because the first response may be lost, and changes nothing', async () => {
      const { registrationId, unit, sent } = await ended();
      const recorded = async () => {
        const { headers } = await service.api.get(`/registrations/${registrationId}`);
        const { body } = await service.api.get(`/registrations/${registrationId}/statements`);
        return [headers.get('etag'), body.data.length];
      };
      const before = await recorded();
      for (const body of [...sent, [...sent]]) {
        const { status, json } = await unit.lrs.call('POST', 'statements', { body });
        assert.deepEqual([status, json.reason], [403, 'repeated']);
      }
      assert.equal(await put(unit, sent[2]), 403);
      assert.deepEqual(await recorded(), before);
    });

    test('is refused if it sends anything else', async () => {
      const { unit, sent } = await ended();
      const [, completed] = sent;
      assert.equal(await put(unit, { ...completed, timestamp: '2020-01-01T00:00:00Z' }), 409);
      const query = {
        activityId: unit.activityId,
        agent: JSON.stringify(unit.actor),
        stateId: 'bookmark',
      };
      for (const [method, resource, asked] of [
        ['POST', 'statements', { body: [completed, unit.statement('experienced')] }],
        ['GET', 'statements', {}],
        ['PUT', 'activities/state', { query, body: { page: 4 } }],
        ['GET', 'activities/state', { query }],
      ] as const) {
        const { status, json } = await unit.lrs.call(method, resource, asked);
        assert.deepEqual([status, json.reason], [403, 'session-ended'], `${method} ${resource}`);
      }
    });

    test('is refused after an hour, and once the session was abandoned', async () => {
      const { registrationId, unit, sent } = await ended();
      clock.aheadMs += HOUR_MS;
      assert.deepEqual(await unit.send(...sent), [403, 403, 403]);
      clock.aheadMs = 0;
      const player = await Player.open(service, registrationId);
      const openAgain = async () => await Unit.start(await player.openUnit(ONE));
      const second = await openAgain();
      const initialized = second.initialized();
      assert.deepEqual(await second.send(initialized, initialized), [200, 200]);
      await openAgain();
      assert.deepEqual(await second.send(initialized), [403]);
    });
  });

  test('must include everything that cmi5 requires in each statement', async () => {
    const unit = await open(await register({ id: ONE, masteryScore: '0.8' }));
    await unit.send(unit.initialized());
    const { context, ...rest } = unit.completed() as { id: string; context: Record<string, unknown> };
    const { grouping } = unit.launchData.contextTemplate.contextActivities;
    const category = { id: MOVE_ON };
    const wrong = [
      { ...rest, context: { ...context, extensions: {} } },
      { ...rest, context: { ...context, registration: undefined } },
      { ...rest, context: { ...context, contextActivities: {} } },
      { ...rest, context, object: { id: ONE } },
      { ...rest, context, result: { completion: true } },
      { ...rest, context, timestamp: '2026-01-31T10:30:00+01:00' },
      { ...rest, context, result: { completion: true, duration: 'PT1S', score: { scaled: 1 } } },
      { ...rest, context, id: undefined },
      unit.passed(0.7),
      unit.failed(0.9),
      unit.statement('passed', { success: false, duration: 'PT1S' }, ['moveon']),
      unit.statement('passed', { success: true, duration: 'PT1S' }),
      unit.statement('passed', { success: true, duration: 'PT1S', score: { raw: 9, min: 0 } }, ['moveon']),
      unit.statement('terminated', {}),
      unit.statement('terminated', { duration: 'PT1S' }, ['moveon']),
      {
        ...unit.statement('experienced'),
        context: { ...context, contextActivities: { grouping, category } },
      },
      unit.statement('launched'),
      { ...unit.statement('x'), verb: { id: 'https://w3id.org/xapi/adl/verbs/satisfied' } },
      { ...unit.statement('x'), verb: VOIDED, object: { objectType: 'StatementRef', id: rest.id } },
    ];
    assert.deepEqual(
      await unit.send(...wrong),
      wrong.map(() => 403),
    );
    assert.deepEqual(await unit.send(unit.completed()), [200]);
    const batch = [unit.passed(0.9), unit.passed(0.9)];
    assert.equal((await unit.lrs.call('POST', 'statements', { body: batch })).status, 403);
    assert.deepEqual(await unit.send(unit.passed(0.9)), [200], 'nothing of the batch was stored');
  });

  test('passes with a score that equals the mastery score, which it must name', async () => {
    const unit = await open(await register({ id: ONE, masteryScore: '0.8' }));
    const { context, ...rest } = unit.passed(0.8) as { context: object };
    const { extensions } = unit.launchData.contextTemplate;
    const unnamed = { ...rest, context: { ...context, extensions } };
    assert.deepEqual(
      await unit.send(unit.initialized(), unit.failed(0.8), unnamed, { ...rest, context }),
      [200, 403, 403, 200],
    );
  });

  test('may write the registration in upper case, and UTC as an offset of zero', async () => {
    const unit = await open(await register({ id: ONE }));
    const { context, ...rest } = unit.initialized() as { context: object };
    const registration = unit.registration.toUpperCase();
    const timestamp = '2026-01-31T09:30:00+00:00';
    assert.deepEqual(await unit.send({ ...rest, timestamp, context: { ...context, registration } }), [200]);
  });

  test("must read the learner's preferences before it is initialized, and not just another document", async () => {
    const address = await launchUnit(service, await register({ id: ONE }), ONE);
    const unit = await Unit.start(address, { profileId: 'another' });
    assert.deepEqual(await unit.send(unit.initialized()), [403]);
    await unit.readProfile('cmi5LearnerPreferences');
    assert.deepEqual(await unit.send(unit.initialized()), [200]);
  });
});
