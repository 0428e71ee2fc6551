import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { aiccFiles, type PackageFiles, xapiFiles } from '../support/course-packages.ts';
import { followLink, PlayerClient, startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { AiccUnit } from './aicc-helpers.ts';
import { Unit } from './cmi5-helpers.ts';
import { resultOf, xapiCourse } from './learner-helpers.ts';

// Runs on SQLite in `npm test`: what a page may record is decided in the process. The tests of attempts and of
// reloaded pages store who has taken over on both.

const ONE = 'https://example.com/course/one';
const TWO = 'https://example.com/course/two';
const COMPLETED = 'http://adlnet.gov/expapi/verbs/completed';

describe('a page that asks for its units', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const isSuperseded = async (client: PlayerClient, { attempt, page }: { attempt: number; page: number }) => {
    const { status, body } = await client.post('units', { attempt, page });
    assert.equal(status, 200);
    return body.isSuperseded as boolean;
  };

  it('learns that a newer page has taken over, or that a reset has ended its attempt', async () => {
    const { registrationId } = await registerTo(service, aiccFiles());
    const first = await startLaunch(service, registrationId);
    const firstPage = await first.open();
    assert.equal(await isSuperseded(first, firstPage), false);
    const second = await startLaunch(service, registrationId);
    const secondPage = await second.open();
    assert.deepEqual(
      [await isSuperseded(first, firstPage), await isSuperseded(second, secondPage)],
      [true, false],
    );
    await service.api.post(`/registrations/${registrationId}/reset`);
    assert.equal(await isSuperseded(second, secondPage), true);
    const { attempt, page } = secondPage;
    assert.equal((await second.post('units', { attempt, page })).body.isReset, true);
    const third = await startLaunch(service, registrationId);
    const thirdPage = await third.open();
    assert.deepEqual(
      [await isSuperseded(second, secondPage), await isSuperseded(third, thirdPage)],
      [true, false],
    );
  });

  it('is not superseded if it records nothing, or does not say which page it is', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const { body } = await service.api.post(`/registrations/${registrationId}/launch`, { mode: 'review' });
    const looking = await followLink(body.launch_url);
    const lookingPage = await looking.open();
    const learning = await startLaunch(service, registrationId);
    await learning.open();
    assert.equal(await isSuperseded(looking, lookingPage), false);
    assert.equal((await looking.post('units')).body.isSuperseded, false);
  });

  it('records nothing after a reset, even once its own launch has begun the next attempt', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const launched = await startLaunch(service, registrationId);
    const page = await launched.open();
    const unit = page.units[0].id as string;
    await launched.openUnit(unit);
    const passed = { core: { lesson_status: 'passed', score: { raw: '95' } } };
    await launched.commit(unit, passed);
    await service.api.post(`/registrations/${registrationId}/reset`);
    const reloaded = new PlayerClient(launched.base);
    const nextPage = await reloaded.open();
    assert.deepEqual(
      [await isSuperseded(launched, page), await isSuperseded(reloaded, nextPage)],
      [true, false],
    );
    const late = await launched.commit(unit, passed);
    assert.deepEqual([late.status, late.body], [409, { outcome: 'superseded' }]);
    const { body } = await service.api.get(`/registrations/${registrationId}`);
    assert.deepEqual(
      [body.attempt, body.completion, body.success, body.score],
      [2, 'Unknown', 'UNKNOWN', null],
    );
    await reloaded.openUnit(unit);
    assert.deepEqual((await reloaded.commit(unit, passed)).body, { outcome: 'recorded' });
  });
});

describe('a unit that calls the service itself', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const learnIn = async (files: PackageFiles) => {
    const { registrationId } = await registerTo(service, files);
    const client = await startLaunch(service, registrationId);
    await client.open();
    return { registrationId, client };
  };
  const addressIn = async (client: PlayerClient, unit: string) =>
    new URL((await client.openUnit(unit)).address);
  const aiccIn = async (client: PlayerClient) => new AiccUnit(await addressIn(client, 'A1'));
  const cmi5In = async (client: PlayerClient, unit: string) =>
    await Unit.start(await addressIn(client, unit));
  const xapiIn = async (client: PlayerClient, { units }: { units: { id: string }[] }) => {
    const { lrs, actor, activity, registration } = xapiCourse(await addressIn(client, units[0]!.id));
    const query = {
      activityId: activity.id,
      agent: JSON.stringify(actor),
      registration,
      stateId: 'resume',
    };
    return {
      complete: async () =>
        (
          await lrs.call('POST', 'statements', {
            body: { actor, object: activity, verb: { id: COMPLETED } },
          })
        ).status,
      keep: async (page: number) =>
        (await lrs.call('PUT', 'activities/state', { query, body: { page } })).status,
      kept: async () => (await lrs.call('GET', 'activities/state', { query })).json.page,
    };
  };
  /** Another window of the same launch, such as a duplicated tab, or one that was sent to another device. */
  const openElsewhere = async (client: PlayerClient) => {
    const other = new PlayerClient(client.base);
    return { other, page: await other.open() };
  };

  describe('in an older window of the same launch', () => {
    it('of AICC changes nothing, and gets the error of a session that is not valid', async () => {
      const { registrationId, client } = await learnIn(aiccFiles());
      const older = await aiccIn(client);
      assert.match(await older.send('PutParam', '[Core]\r\nLesson_Location=3\r\n'), /^error=0/);
      const { other } = await openElsewhere(client);
      const newer = await aiccIn(other);
      const suspended = '[Core]\r\nLesson_Location=20\r\nLesson_Status=completed,suspend\r\nScore=90\r\n';
      assert.match(await newer.send('PutParam', suspended), /^error=0/);
      assert.match(await older.send('PutParam', '[Core]\r\nLesson_Status=failed\r\nScore=1\r\n'), /^error=3/);
      assert.match(await older.send('ExitAU'), /^error=3/);
      assert.equal((await newer.parameters()).values.Lesson_Location, '20');
      const { completion, success, score } = await resultOf(service, registrationId);
      assert.deepEqual([completion, success, score], ['Completed', 'PASS', 90]);
    });

    it('of AICC changes nothing after a newer launch, even if it did not say which page it was', async () => {
      const { registrationId, client } = await learnIn(aiccFiles());
      const { status, body } = await client.post('unit', { unit: 'A1' });
      assert.equal(status, 200, JSON.stringify(body));
      const older = new AiccUnit(new URL(body.address));
      assert.match(await older.send('PutParam', '[Core]\r\nLesson_Location=3\r\n'), /^error=0/);
      const newer = await startLaunch(service, registrationId);
      await newer.open();
      assert.match(await older.send('PutParam', '[Core]\r\nLesson_Status=passed\r\n'), /^error=3/);
      assert.equal((await resultOf(service, registrationId)).success, 'UNKNOWN');
    });

    it('of xAPI may store neither statements nor documents', async () => {
      const { client } = await learnIn(xapiFiles());
      const older = await xapiIn(client, await client.open());
      const { other, page } = await openElsewhere(client);
      const newer = await xapiIn(other, page);
      assert.equal(await newer.keep(30), 204);
      assert.deepEqual([await older.keep(3), await older.complete()], [403, 403]);
      assert.deepEqual([await newer.kept(), await newer.complete()], [30, 200]);
    });

    it('of cmi5 may store nothing, and does not end the one in the newest window', async () => {
      const { registrationId, client } = await learnIn(cmi5Course([{ id: ONE }]));
      const older = await cmi5In(client, ONE);
      const { other } = await openElsewhere(client);
      const newer = await cmi5In(other, ONE);
      assert.deepEqual(await older.send(older.initialized()), [403]);
      assert.deepEqual(await newer.send(newer.initialized()), [200]);
      assert.equal((await client.askForUnit(ONE)).status, 403);
      assert.deepEqual(await newer.send(newer.completed(), newer.passed(0.9)), [200, 200]);
      assert.equal((await resultOf(service, registrationId)).success, 'PASS');
    });

    it('of cmi5 is abandoned when the newest window opens another unit', async () => {
      const { registrationId, client } = await learnIn(cmi5Course([{ id: ONE }, { id: TWO }]));
      const older = await cmi5In(client, ONE);
      assert.deepEqual(await older.send(older.initialized()), [200]);
      const { other } = await openElsewhere(client);
      await cmi5In(other, TWO);
      const { body } = await service.api.get(`/registrations/${registrationId}/statements`);
      const verbs = body.data.map((each: { statement: { verb: { id: string } } }) => each.statement.verb.id);
      assert.ok(
        verbs.some((id: string) => id.endsWith('/abandoned')),
        verbs.join(),
      );
    });

    it('cannot be opened', async () => {
      for (const [files, unit] of [
        [aiccFiles(), 'A1'],
        [cmi5Course([{ id: ONE }]), ONE],
      ] as const) {
        const { client } = await learnIn(files);
        await openElsewhere(client);
        assert.equal((await client.askForUnit(unit)).status, 403, unit);
      }
    });
  });

  it('is reported as continued only if the page that was loaded again continues the newest one', async () => {
    const { registrationId, client } = await learnIn(cmi5Course([{ id: ONE }]));
    const again = async (tab: PlayerClient) => (await tab.reloaded().open()).isContinued;
    assert.equal((await client.open()).isContinued, false);
    assert.deepEqual([await again(client), await again(client)], [true, true]);
    await openElsewhere(client);
    assert.equal(await again(client), false);
    await client.open();
    await service.api.post(`/registrations/${registrationId}/reset`);
    assert.equal(await again(client), false, 'after a reset');
  });

  describe('in a window of its own', () => {
    it('still records when the page that opened it is loaded again', async () => {
      const { registrationId, client } = await learnIn(aiccFiles());
      const unit = await aiccIn(client);
      const once = client.reloaded();
      await once.open();
      await aiccIn(once);
      const twice = once.reloaded();
      await twice.open();
      assert.match(await unit.send('PutParam', '[Core]\r\nLesson_Status=passed\r\nScore=90\r\n'), /^error=0/);
      assert.equal((await resultOf(service, registrationId)).success, 'PASS');
    });

    it('still records when the response to the page that was loaded again is lost, and it is loaded once more', async () => {
      const aicc = await learnIn(aiccFiles());
      const unit = await aiccIn(aicc.client);
      const cmi5 = await learnIn(cmi5Course([{ id: ONE }]));
      const other = await cmi5In(cmi5.client, ONE);
      assert.deepEqual(await other.send(other.initialized()), [200]);
      for (const { client } of [aicc, cmi5]) {
        await client.reloaded().open();
        await client.reloaded().open();
      }
      assert.match(await unit.send('PutParam', '[Core]\r\nLesson_Status=passed\r\nScore=90\r\n'), /^error=0/);
      assert.deepEqual(await other.send(other.completed(), other.passed(0.9)), [200, 200]);
      for (const { registrationId } of [aicc, cmi5])
        assert.equal((await resultOf(service, registrationId)).success, 'PASS');
    });

    it('records nothing more if another window was opened between two loads of the page', async () => {
      const { client } = await learnIn(aiccFiles());
      const unit = await aiccIn(client);
      await client.reloaded().open();
      await openElsewhere(client);
      await client.reloaded().open();
      assert.match(await unit.send('PutParam', '[Core]\r\nLesson_Status=passed\r\n'), /^error=3/);
    });

    it('records nothing more if another window was opened before that', async () => {
      const { client } = await learnIn(aiccFiles());
      const unit = await aiccIn(client);
      const { other } = await openElsewhere(client);
      await aiccIn(other);
      await client.reloaded().open();
      assert.match(await unit.send('PutParam', '[Core]\r\nLesson_Status=passed\r\n'), /^error=3/);
    });

    it('records nothing more if the page is loaded again after a reset', async () => {
      const { registrationId, client } = await learnIn(xapiFiles());
      const unit = await xapiIn(client, await client.open());
      await service.api.post(`/registrations/${registrationId}/reset`);
      const reloaded = client.reloaded();
      await reloaded.open();
      assert.equal(await unit.complete(), 403);
    });
  });
});
