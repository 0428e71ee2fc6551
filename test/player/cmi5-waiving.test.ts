import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { give } from '../content/registration-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { type Cmi5Unit, cmi5Course } from '../support/cmi5-course.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { receivedStatuses, subscribeToResults } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { assertInvalid } from '../webhooks/webhook-expectations.ts';
import { SESSION_ID, Unit } from './cmi5-helpers.ts';
import { launchUnit, Player, resultOf } from './learner-helpers.ts';
import { type LrsClient, lrsClient } from './lrs-helpers.ts';

// Runs on SQLite in `npm test`: what a waiver changes is decided in the process. The test of every change waives a unit
// on both. The tests of attempts, xAPI courses and statements store results and statements there.

const ONE = 'https://example.com/course/one';
const TWO = 'https://example.com/course/two';
const THREE = 'https://example.com/course/three';
const REASON = 'https://w3id.org/xapi/cmi5/result/extensions/reason';
const CATEGORY = 'https://w3id.org/xapi/cmi5/context/categories';

describe('waiving a unit of a cmi5 course', () => {
  let service: TestService;
  let target: Target;
  let records: LrsClient;
  aroundTests(async (parts) => {
    target = parts.use(await startTarget());
    service = parts.use(await startTestService());
    records = await lrsClient(service);
    await subscribeToResults(service, target);
  });

  const register = async (...units: Cmi5Unit[]) =>
    (await registerTo(service, cmi5Course(units))).registrationId;
  const waive = (registrationId: string, body: object) =>
    service.api.post(`/registrations/${registrationId}/waive`, body);

  it('satisfies the unit, its block and the course, even before anybody has opened it', async () => {
    const registrationId = await register({ id: ONE, moveOn: 'CompletedAndPassed' });
    const { status, body, headers } = await waive(registrationId, { unit_id: ONE, reason: 'Tested Out' });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.completion, body.success, body.score], ['Completed', 'PASS', null]);
    assert.ok(headers.get('etag'));
    const [waived, ...others] = await records.statementsOf(registrationId);
    assert.equal(waived.verb.id, 'https://w3id.org/xapi/adl/verbs/waived');
    assert.deepEqual(waived.result, {
      success: true,
      completion: true,
      extensions: { [REASON]: 'Tested Out' },
    });
    assert.deepEqual(
      waived.context.contextActivities.category.map(({ id }: { id: string }) => id),
      [`${CATEGORY}/cmi5`, `${CATEGORY}/moveon`],
    );
    assert.match(waived.context.extensions[SESSION_ID], /^[0-9a-f-]{36}$/);
    assert.equal(others.length, 2);
    assert.deepEqual(await records.verbsOf(registrationId), ['waived', 'satisfied', 'satisfied']);
  });

  it('is shown in the units of the registration, along with whether it is possible', async () => {
    const registrationId = await register(
      { id: ONE, moveOn: 'Passed' },
      { id: TWO, moveOn: 'NotApplicable' },
    );
    const unitsOf = async () => {
      const { units } = (await service.api.get(`/registrations/${registrationId}`)).body;
      return units.map(({ waived, waivable }: Record<string, boolean>) => ({ waived, waivable }));
    };
    const satisfied = { waived: false, waivable: false };
    assert.deepEqual(await unitsOf(), [{ waived: false, waivable: true }, satisfied]);
    assert.equal((await waive(registrationId, { unit_id: ONE })).status, 200);
    assert.deepEqual(await unitsOf(), [{ waived: true, waivable: false }, satisfied]);
    assert.equal((await waive(registrationId, { unit_id: ONE })).status, 409);
    await service.api.post(`/registrations/${registrationId}/reset`);
    assert.deepEqual(await unitsOf(), [{ waived: false, waivable: true }, satisfied]);
  });

  it('neither opens the unit nor changes where the learner continues', async () => {
    const registrationId = await register({ id: ONE }, { id: TWO, moveOn: 'NotApplicable' }, { id: THREE });
    const openedOf = async () => {
      const { units } = (await service.api.get(`/registrations/${registrationId}`)).body;
      return units.map(({ opened_dt }: { opened_dt: string | null }) => opened_dt !== null);
    };
    await launchUnit(service, registrationId, ONE);
    assert.deepEqual(await openedOf(), [true, false, false]);
    await waive(registrationId, { unit_id: THREE });
    assert.deepEqual(await openedOf(), [true, false, false]);
    const player = await Player.open(service, registrationId);
    assert.equal((await player.post('/open')).lastUnit, ONE);
    await player.openUnit(THREE);
    assert.deepEqual(await openedOf(), [true, false, true]);
  });

  it('causes a single event, with the caller as its user', async () => {
    const registrationId = await register({ id: ONE }, { id: TWO });
    await waive(registrationId, { unit_id: ONE });
    await waive(registrationId, { unit_id: TWO });
    const heard = () => receivedStatuses(target, registrationId);
    await until(() => heard().length === 2, 'both changes are heard of');
    assert.deepEqual(
      heard().map(({ completion, success }) => [completion, success]),
      [
        ['Incomplete', 'UNKNOWN'],
        ['Completed', 'PASS'],
      ],
    );
    assert.notEqual(heard()[0]?.user, 'ann@example.com');
  });

  for (const [when, isWaivedFirst] of [
    ['failed before', false],
    ['fails afterwards, which is no news', true],
  ] as const) {
    it(`gives no score to a unit that the learner ${when}`, async () => {
      const registrationId = await register({ id: ONE, moveOn: 'CompletedAndPassed', masteryScore: '0.8' });
      const unit = await Unit.start(await launchUnit(service, registrationId, ONE));
      assert.deepEqual(await unit.send(unit.initialized()), [200]);
      if (isWaivedFirst) await waive(registrationId, { unit_id: ONE });
      assert.deepEqual(await unit.send(unit.failed(0.2)), [200]);
      if (!isWaivedFirst) await waive(registrationId, { unit_id: ONE });
      assert.deepEqual(await unit.send(unit.terminated()), [200]);
      const { completion, success, score } = await resultOf(service, registrationId);
      assert.deepEqual([completion, success, score], ['Completed', 'PASS', null]);
      // Messages of a registration arrive in order, so nothing else came before that of the pass.
      const next = await Unit.start(await launchUnit(service, registrationId, ONE));
      assert.deepEqual(await next.send(next.initialized(), next.passed(0.9)), [200, 200]);
      const results = () =>
        receivedStatuses(target, registrationId)
          .filter((each) => each.success === 'PASS')
          .map((each) => each.score);
      await until(() => results().includes(90), 'the pass is heard of');
      assert.deepEqual(results(), [null, 90]);
    });
  }

  it('works together with results of other units, and after a failure of the same one', async () => {
    const registrationId = await register({ id: ONE, moveOn: 'Passed' }, { id: TWO });
    const player = await Player.open(service, registrationId);
    const one = await Unit.start(await player.openUnit(ONE));
    assert.deepEqual(await one.send(one.initialized(), one.failed(0.2), one.terminated()), [200, 200, 200]);
    assert.equal((await waive(registrationId, { unit_id: ONE, reason: null })).status, 200);
    const two = await Unit.start(await player.openUnit(TWO));
    assert.deepEqual(await two.send(two.initialized(), two.completed(), two.terminated()), [200, 200, 200]);
    const { completion, success } = await resultOf(service, registrationId);
    assert.deepEqual([completion, success], ['Completed', 'PASS']);
    assert.equal((await records.statementsOf(registrationId)).filter(isWaived).length, 1);
  });

  it('is rejected for a satisfied or unknown unit and for other courses, and then stores nothing', async () => {
    const registrationId = await register({ id: ONE });
    assert.equal((await waive(registrationId, { unit_id: TWO })).status, 400);
    assert.equal((await waive(registrationId, { unit_id: '' })).status, 400);
    assert.equal((await waive(registrationId, { unit_id: ONE, reason: 'a\nb' })).status, 400);
    assertInvalid(await waive(registrationId, { unit_id: TWO, reason: '', why: 1 }), [
      '/unit_id',
      '/reason',
      '/why',
    ]);
    assert.equal((await waive('0d0c8c4e-7a55-4f6a-9a63-5d0e3a1f5c11', { unit_id: ONE })).status, 404);
    await waive(registrationId, { unit_id: ONE });
    assert.equal((await waive(registrationId, { unit_id: ONE })).status, 409);
    assert.equal((await records.statementsOf(registrationId)).filter(isWaived).length, 1);
    const { registrationId: scorm } = await registerTo(service, scorm12Course());
    assert.equal((await waive(scorm, { unit_id: 'i1' })).status, 409);
    assert.equal((await service.api.get(`/registrations/${scorm}`)).body.attempt, 0);
  });

  it('is rejected before a language of the equivalent is chosen, since the learner may get another course', async () => {
    const {
      registrationId: english,
      accountId,
      courseId,
    } = await registerTo(service, cmi5Course([{ id: ONE }]));
    const { courseId: german } = await registerTo(service, cmi5Course([{ id: TWO }]));
    assert.equal((await waive(english, { unit_id: ONE })).status, 200);
    const equivalent = await service.api.create('/equivalents', {
      name: 'Both',
      courses: [
        { course_id: courseId, language: 'en' },
        { course_id: german, language: 'de' },
      ],
    });
    await give(service, accountId, 'EQUIVALENT', equivalent.id);
    const body = { account_id: accountId, equivalent_id: equivalent.id, learner_id: 'ann@example.com' };
    const { registration_id: id } = await service.api.create('/registrations', body);
    const refused = await waive(id, { unit_id: ONE });
    assert.equal(refused.status, 409);
    assert.match(refused.body.detail, /no language yet/);
    const { attempt, units } = (await service.api.get(`/registrations/${id}`)).body;
    assert.deepEqual([attempt, units[0].unit_id, units[0].waivable], [0, ONE, false]);
    assert.equal((await service.api.post(`/registrations/${id}/launch`, { language: 'de' })).status, 200);
    assert.equal((await waive(id, { unit_id: TWO })).status, 200);
  });

  it('is undone by a reset', async () => {
    const registrationId = await register({ id: ONE });
    await waive(registrationId, { unit_id: ONE });
    await service.api.post(`/registrations/${registrationId}/reset`);
    assert.equal((await resultOf(service, registrationId)).completion, 'Unknown');
    assert.equal((await waive(registrationId, { unit_id: ONE })).status, 200);
  });
});

function isWaived({ verb }: { verb: { id: string } }): boolean {
  return verb.id.endsWith('/waived');
}
