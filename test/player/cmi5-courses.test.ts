import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { RunningClock } from '../support/clock.ts';
import { type Cmi5Unit, cmi5Course } from '../support/cmi5-course.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { SESSION_ID, Unit } from './cmi5-helpers.ts';
import { launchUnit, Player, resultOf } from './learner-helpers.ts';
import { type LrsClient, lrsClient } from './lrs-helpers.ts';

// Runs on SQLite alone: statements are judged before they are stored, and the tests of learning records store them.

const ONE = 'https://example.com/course/one';
const TWO = 'https://example.com/course/two';

describe('a cmi5 course', () => {
  let service: TestService;
  let records: LrsClient;
  const clock = new RunningClock();

  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ now: clock.now }));
    records = await lrsClient(service);
  });

  const register = async (...units: Cmi5Unit[]) => {
    const { registrationId } = await registerTo(service, cmi5Course(units));
    return registrationId;
  };
  const start = async (player: Player, unit = ONE) => await Unit.start(await player.openUnit(unit));
  const open = async (registrationId: string, unit = ONE) =>
    await start(await Player.open(service, registrationId), unit);

  test('is launched as cmi5 requires, and its credential can be fetched once', async () => {
    const registrationId = await register({ id: ONE, masteryScore: '0.8', moveOn: 'Passed' });
    const address = await launchUnit(service, registrationId, ONE);
    const unit = await Unit.start(address);
    assert.equal(unit.registration, registrationId);
    assert.notEqual(unit.activityId, ONE);
    assert.deepEqual(unit.launchData, {
      contextTemplate: {
        contextActivities: { grouping: [{ objectType: 'Activity', id: ONE }] },
        extensions: { [SESSION_ID]: unit.sessionId },
      },
      launchMode: 'Normal',
      launchMethod: 'AnyWindow',
      moveOn: 'Passed',
      masteryScore: 0.8,
      launchParameters: 'a&b',
      returnURL: unit.launchData.returnURL,
    });
    const again = await fetch(address.searchParams.get('fetch')!, { method: 'POST' });
    assert.equal(again.status, 200);
    assert.deepEqual(await again.json(), {
      'error-code': '1',
      'error-text': 'The credential was fetched already',
    });
    const page = await fetch(unit.launchData.returnURL);
    assert.equal(page.status, 200);
  });

  test('gives its credential to its own launch alone', async () => {
    const registrationId = await register({ id: ONE });
    const address = await (await Player.open(service, registrationId)).openUnit(ONE);
    const own = address.searchParams.get('fetch')!;
    const { base } = await Player.open(service, registrationId);
    const another = await fetch(base + own.slice(own.indexOf('/cmi5/')), { method: 'POST' });
    assert.equal(((await another.json()) as Record<string, string>)['error-code'], '3');
    assert.match(await (await fetch(own, { method: 'POST' })).text(), /auth-token/);
  });

  test('is completed, passed and timed by its statements, and the service adds its own', async () => {
    const registrationId = await register({ id: ONE, moveOn: 'CompletedAndPassed', masteryScore: '0.5' });
    const unit = await open(registrationId);
    assert.deepEqual(await unit.send(unit.initialized(), unit.completed()), [200, 200]);
    assert.deepEqual(await resultOf(service, registrationId), {
      completion: 'Incomplete',
      success: 'UNKNOWN',
      score: null,
      duration: 0,
    });
    assert.deepEqual(await unit.send(unit.passed(0.85), unit.terminated('PT2M10S')), [200, 200]);
    assert.deepEqual(await resultOf(service, registrationId), {
      completion: 'Completed',
      success: 'PASS',
      score: 85,
      duration: 130,
    });
    assert.deepEqual(await records.verbsOf(registrationId), [
      'launched',
      'initialized',
      'completed',
      'passed',
      'satisfied',
      'satisfied',
      'terminated',
    ]);
  });

  test('that failed may pass in a later session, but not the other way round', async () => {
    const registrationId = await register({ id: ONE, moveOn: 'CompletedAndPassed', masteryScore: '0.8' });
    const first = await open(registrationId);
    assert.deepEqual(
      await first.send(first.initialized(), first.failed(0.4), first.passed(0.9)),
      [200, 200, 403],
    );
    await first.send(first.terminated());
    assert.deepEqual(await resultOf(service, registrationId), {
      completion: 'Incomplete',
      success: 'FAIL',
      score: 40,
      duration: 60,
    });
    const second = await open(registrationId);
    assert.equal(second.activityId, first.activityId);
    await second.send(second.initialized(), second.passed(0.9), second.terminated());
    const third = await open(registrationId);
    assert.deepEqual(
      await third.send(third.initialized(), third.failed(0.1), third.passed(1)),
      [200, 403, 403],
    );
    assert.deepEqual(await resultOf(service, registrationId), {
      completion: 'Incomplete',
      success: 'PASS',
      score: 90,
      duration: 120,
    });
  });

  test('that failed has the score of its pass afterwards, or none', async () => {
    const registrationId = await register({ id: ONE, moveOn: 'Passed' });
    const first = await open(registrationId);
    await first.send(first.initialized(), first.failed(0.4), first.terminated());
    const second = await open(registrationId);
    await second.send(second.initialized(), second.passed());
    const { success, score } = await resultOf(service, registrationId);
    assert.deepEqual([success, score], ['PASS', null]);
  });

  test('that was passed opens for review, which changes no result', async () => {
    const registrationId = await register({ id: ONE, moveOn: 'Passed', masteryScore: '0.8' });
    const first = await open(registrationId);
    await first.send(first.initialized(), first.passed(0.9), first.terminated());
    const second = await open(registrationId);
    assert.equal(second.launchData.launchMode, 'Review');
    assert.deepEqual(
      await second.send(second.initialized(), second.completed(), second.passed(1), second.terminated()),
      [200, 403, 403, 200],
    );
    assert.deepEqual(await resultOf(service, registrationId), {
      completion: 'Completed',
      success: 'PASS',
      score: 90,
      duration: 60,
    });
  });

  test('whose session never ended is abandoned by the next one, and can report nothing more', async () => {
    const registrationId = await register({ id: ONE });
    const first = await open(registrationId);
    await first.send(first.initialized());
    const second = await open(registrationId);
    assert.deepEqual(await first.send(first.completed()), [403]);
    assert.equal((await first.lrs.call('GET', 'statements')).status, 403);
    await second.send(second.initialized(), second.terminated());
    assert.deepEqual(await records.verbsOf(registrationId), [
      'launched',
      'initialized',
      'abandoned',
      'launched',
      'initialized',
      'terminated',
    ]);
  });

  for (const [name, mode] of [
    ['opens for review because the unit is final', 'normal'],
    ['a launch in the mode review opens', 'review'],
    ['a launch in the mode browse opens', 'browse'],
  ] as const) {
    test(`keeps the time of a session that another one abandons, which ${name}`, async () => {
      const registrationId = await register(
        { id: ONE, moveOn: 'Passed', masteryScore: '0.8' },
        { id: TWO, moveOn: 'Completed' },
      );
      const player = await Player.open(service, registrationId);
      const [one, two] = [await start(player, ONE), await start(player, TWO)];
      assert.deepEqual(await one.send(one.initialized()), [200]);
      assert.deepEqual(await two.send(two.initialized()), [200]);
      clock.aheadMs += 90_000;
      assert.deepEqual(await one.send(one.passed(0.9)), [200]);
      assert.deepEqual(await two.send(two.failed(0.3)), [200]);
      const { duration: _before, ...result } = await resultOf(service, registrationId);
      const { body } = await service.api.post(`/registrations/${registrationId}/launch`, { mode });
      const looking = await start(await Player.follow(body.launch_url));
      assert.notEqual(looking.launchData.launchMode, 'Normal');
      const { duration, ...unchanged } = await resultOf(service, registrationId);
      assert.deepEqual(unchanged, result);
      assert.ok(duration >= 180 && duration < 270, String(duration));
      await looking.send(looking.initialized(), looking.terminated('PT1H'));
      assert.equal((await resultOf(service, registrationId)).duration, duration, 'a look takes no time');
    });
  }

  test('loses no time if the clock is set back during a session that another one abandons', async () => {
    const registrationId = await register({ id: ONE });
    const player = await Player.open(service, registrationId);
    const first = await start(player);
    clock.aheadMs -= 3_600_000;
    assert.deepEqual(await first.send(first.initialized()), [200]);
    const second = await start(player);
    clock.aheadMs += 3_600_000;
    assert.deepEqual(await second.send(second.initialized(), second.terminated('PT30M')), [200, 200]);
    assert.equal((await resultOf(service, registrationId)).duration, 1_800);
  });

  test('of several units is satisfied when all are, and those that need nothing are from the beginning', async () => {
    const registrationId = await register(
      { id: ONE },
      { id: TWO, moveOn: 'CompletedOrPassed' },
      { id: 'https://example.com/course/three', moveOn: 'NotApplicable' },
    );
    const player = await Player.open(service, registrationId);
    const one = await start(player, ONE);
    await one.send(one.initialized(), one.completed());
    const { units } = await player.post('/units');
    assert.deepEqual(
      units.map((each: { completion: string }) => each.completion),
      ['Completed', 'Unknown', 'Completed'],
    );
    const two = await start(player, TWO);
    // The page opens the next unit before the last statement of the previous one has arrived.
    assert.deepEqual(await one.send(one.terminated()), [200]);
    assert.equal((await resultOf(service, registrationId)).completion, 'Incomplete');
    await two.send(two.initialized(), two.passed(0.6), two.terminated());
    assert.deepEqual(await resultOf(service, registrationId), {
      completion: 'Completed',
      success: 'PASS',
      score: 60,
      duration: 120,
    });
    const verbs = await records.verbsOf(registrationId);
    assert.equal(verbs.filter((verb: string) => verb === 'satisfied').length, 2, 'the block and the course');
  });

  test('of several units is no longer failed once its failed unit is passed', async () => {
    const registrationId = await register({ id: ONE, moveOn: 'Passed' }, { id: TWO, moveOn: 'Passed' });
    const first = await open(registrationId);
    await first.send(first.initialized(), first.failed(0.4), first.terminated());
    assert.equal((await resultOf(service, registrationId)).success, 'FAIL');
    const second = await open(registrationId);
    await second.send(second.initialized(), second.passed(0.9), second.terminated());
    const { completion, success, score } = await resultOf(service, registrationId);
    assert.deepEqual([completion, success, score], ['Incomplete', 'UNKNOWN', 90]);
  });

  test('whose units all need nothing is satisfied before it is launched', async () => {
    const registrationId = await register({ id: ONE, moveOn: 'NotApplicable' });
    await open(registrationId);
    assert.deepEqual(await records.verbsOf(registrationId), ['satisfied', 'satisfied', 'launched']);
    assert.equal((await resultOf(service, registrationId)).completion, 'Completed');
  });

  test('whose thousands of blocks all need nothing can be launched', async () => {
    const files = cmi5Course([{ id: ONE, moveOn: 'NotApplicable' }]);
    const [block = ''] = /<block.*<\/block>/s.exec(files['cmi5.xml']) ?? [];
    const blocks = Array.from({ length: 1_700 }, (_, n) =>
      block.replace('course/block', `course/block-${n}`).replace('course/one', `course/unit-${n}`),
    );
    const manifest = files['cmi5.xml'].replace(block, block + blocks.join(''));
    const { registrationId } = await registerTo(service, { ...files, 'cmi5.xml': manifest });
    await open(registrationId);
    assert.equal((await resultOf(service, registrationId)).completion, 'Completed');
  });

  for (const [moveOn, isFinal] of [
    ['NotApplicable', false],
    ['Completed', false],
    ['CompletedAndPassed', true],
  ] as const) {
    test(`of moveOn ${moveOn} says that nothing counts exactly if it opens for review`, async () => {
      const registrationId = await register({ id: ONE, moveOn });
      const first = await open(registrationId);
      await first.send(first.initialized(), first.completed(), ...(isFinal ? [first.passed()] : []));
      await first.send(first.terminated());
      const player = await Player.open(service, registrationId);
      const { address, isReview } = await player.post('/unit', { unit: ONE });
      const again = await Unit.start(new URL(address));
      assert.deepEqual([again.launchData.launchMode, isReview], [isFinal ? 'Review' : 'Normal', isFinal]);
      const { success } = await resultOf(service, registrationId);
      assert.equal(success, isFinal ? 'PASS' : 'UNKNOWN');
      await again.send(again.initialized(), again.passed(0.9));
      assert.equal((await resultOf(service, registrationId)).score, isFinal ? null : 90);
    });
  }

  test('may repeat the parameters of its own address in each request, but no others', async () => {
    const unit = await open(await register({ id: ONE, url: 'start.html?level=2' }));
    const send = async (repeated: Record<string, string>, body: object) =>
      (await unit.lrs.call('POST', 'statements', { query: repeated, body })).status;
    assert.equal(await send({ level: '2', auth: 'x' }, unit.initialized()), 400);
    assert.equal(await send({ level: '2', fetch: 'x', activityId: 'x' }, unit.initialized()), 200);
  });

  test('stores documents, and cannot write those of the launch', async () => {
    const unit = await open(await register({ id: ONE }));
    const query = (stateId: string) => ({
      activityId: unit.activityId,
      agent: JSON.stringify(unit.actor),
      registration: unit.registration,
      stateId,
    });
    assert.equal(
      (await unit.lrs.call('PUT', 'activities/state', { query: query('bookmark'), body: { page: 3 } }))
        .status,
      204,
    );
    for (const method of ['PUT', 'POST', 'DELETE']) {
      const reply = await unit.lrs.call(method, 'activities/state', {
        query: query('LMS.LaunchData'),
        ...(method === 'DELETE' ? {} : { body: { launchMode: 'Normal' } }),
      });
      assert.equal(reply.status, 403, method);
    }
    const { stateId: _, ...all } = query('x');
    const list = await unit.lrs.call('GET', 'activities/state', { query: all });
    assert.deepEqual(list.json.sort(), ['LMS.LaunchData', 'bookmark']);
    const changed = { ...all, since: '2020-01-01T00:00:00Z' };
    assert.deepEqual((await unit.lrs.call('GET', 'activities/state', { query: changed })).json, ['bookmark']);
  });

  test('may change one of the learner’s preferences, if they are valid together', async () => {
    const registrationId = await register({ id: ONE });
    const unit = await open(registrationId);
    const send = async ({ lrs, actor }: Unit, method: string, preferences?: object) => {
      const query = { agent: JSON.stringify(actor), profileId: 'cmi5LearnerPreferences' };
      return await lrs.call(method, 'agents/profile', {
        query,
        ...(preferences === undefined ? {} : { body: preferences }),
      });
    };
    const on = { audioPreference: 'on' };
    assert.equal((await send(unit, 'POST', on)).status, 403, 'there is no language yet');
    const both = { languagePreference: 'en-US,fr', ...on };
    assert.equal((await send(unit, 'PUT', both)).status, 204);
    const off = { audioPreference: 'off' };
    assert.equal((await send(unit, 'POST', off)).status, 204);
    assert.equal((await send(unit, 'POST', { audioPreference: 'loud' })).status, 403);
    assert.deepEqual((await send(unit, 'GET')).json, { ...both, ...off });
    const { body } = await service.api.post(`/registrations/${registrationId}/launch`, { mode: 'review' });
    const looking = await start(await Player.follow(body.launch_url));
    assert.equal((await send(looking, 'POST', on)).status, 204);
    assert.equal((await send(looking, 'POST', { audioPreference: 'loud' })).status, 403);
    assert.deepEqual((await send(looking, 'GET')).json, { ...both, ...off }, 'a look changes nothing');
  });

  test('reveals no credentials to readers of its records', async () => {
    const registrationId = await register({ id: ONE });
    const player = await Player.open(service, registrationId);
    await start(player);
    const { text } = await records.call('GET', 'statements', { query: { registration: registrationId } });
    assert.doesNotMatch(text, /cwp1_/);
  });
});
