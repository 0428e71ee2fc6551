import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { type Cmi5Unit, cmi5Course } from '../support/cmi5-course.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { Unit } from './cmi5-helpers.ts';
import { Player } from './learner-helpers.ts';
import { VOIDED } from './lrs-helpers.ts';

// Runs on SQLite alone: statements are judged before they are stored, and the tests of learning records store them.

const ONE = 'https://example.com/course/one';

describe('a cmi5 course that sends statements', () => {
  let service: TestService;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const register = async (unit: Cmi5Unit) => (await registerTo(service, cmi5Course([unit]))).registrationId;
  const open = async (registrationId: string) =>
    await Unit.start(await (await Player.open(service, registrationId)).openUnit(ONE));

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

  test('learns which refused statements say nothing new, so that nothing is missing', async () => {
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

  test('must include in each statement what cmi5 requires', async () => {
    const unit = await open(await register({ id: ONE, masteryScore: '0.8' }));
    await unit.send(unit.initialized());
    const { context, ...rest } = unit.completed() as { id: string; context: Record<string, unknown> };
    const wrong = [
      { ...rest, context: { ...context, extensions: {} } },
      { ...rest, context: { ...context, registration: undefined } },
      { ...rest, context: { ...context, contextActivities: {} } },
      { ...rest, context, object: { id: ONE } },
      { ...rest, context, result: { completion: true } },
      { ...rest, context, result: { completion: true, duration: 'PT1S', score: { scaled: 1 } } },
      { ...rest, context, id: undefined },
      unit.passed(0.7),
      unit.failed(0.9),
      unit.statement('passed', { success: false, duration: 'PT1S' }, ['moveon']),
      unit.statement('passed', { success: true, duration: 'PT1S' }),
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
});
