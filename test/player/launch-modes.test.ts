import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { aiccFiles, type PackageFiles, xapiFiles } from '../support/course-packages.ts';
import { followLink, startLaunch } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { AiccUnit } from './aicc-helpers.ts';
import { Unit } from './cmi5-helpers.ts';
import { resultOf, xapiCourse } from './learner-helpers.ts';

// Runs on SQLite alone: a mode decides which data is stored, and tests of courses store it on both databases.

const ONE = 'https://example.com/course/one';
const NOTHING = { completion: 'Unknown', success: 'UNKNOWN', score: null, duration: 0 };

describe('a launch in a mode that records no results', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  /** Launches the first unit in a mode, with a registration of its own. */
  const open = async (files: PackageFiles, mode: string) => {
    const { registrationId } = await registerTo(service, files);
    const { status, body } = await service.api.post(`/registrations/${registrationId}/launch`, { mode });
    assert.equal(status, 200, JSON.stringify(body));
    const client = await followLink(body.launch_url);
    const page = await client.open();
    assert.equal(page.mode, mode);
    const unit = page.units[0].id;
    return { registrationId, client, unit, start: await client.openUnit(unit) };
  };

  for (const mode of ['browse', 'review']) {
    it(`gives ${mode} to a SCORM 1.2 course, and records nothing`, async () => {
      const { registrationId, client, unit, start } = await open(scorm12Course(), mode);
      assert.deepEqual(
        [start.data.cmi.core.lesson_mode, start.data.cmi.core.credit, start.isReview],
        [mode, 'no-credit', true],
      );
      const { status, body } = await client.commit(unit, { core: { lesson_status: 'passed' } });
      assert.deepEqual([status, body], [200, { outcome: 'not-recorded' }]);
      assert.deepEqual(await resultOf(service, registrationId), NOTHING);
    });

    it(`gives ${mode} to a SCORM 2004 course`, async () => {
      const { start } = await open(scorm2004Course(), mode);
      assert.deepEqual([start.data.cmi.mode, start.data.cmi.credit], [mode, 'no-credit']);
    });

    it(`gives ${mode} to an AICC course, and records nothing`, async () => {
      const { registrationId, start } = await open(aiccFiles(), mode);
      const unit = new AiccUnit(new URL(start.address));
      assert.match(await unit.send('GetParam'), new RegExp(`Credit=no-credit[^]*Lesson_Mode=${mode}\r\n`));
      await unit.send('PutParam', '[Core]\r\nLesson_Status=passed\r\nScore=90\r\n');
      await unit.send('ExitAU');
      assert.deepEqual(await resultOf(service, registrationId), NOTHING);
    });

    it(`gives ${mode} to a cmi5 course, which may then neither complete nor pass`, async () => {
      const { registrationId, start } = await open(cmi5Course([{ id: ONE }]), mode);
      const unit = await Unit.start(new URL(start.address));
      assert.equal(unit.launchData.launchMode.toLowerCase(), mode);
      assert.deepEqual(
        await unit.send(unit.initialized(), unit.completed(), unit.passed(1), unit.terminated()),
        [200, 403, 403, 200],
      );
      assert.deepEqual(await resultOf(service, registrationId), NOTHING);
    });

    it(`stores the statements of an xAPI course in the mode ${mode}, without a result`, async () => {
      const { registrationId, start } = await open(xapiFiles(), mode);
      const { lrs, actor, activity } = xapiCourse(new URL(start.address));
      const body = { actor, object: activity, verb: { id: 'http://adlnet.gov/expapi/verbs/completed' } };
      assert.equal((await lrs.call('POST', 'statements', { body })).status, 200);
      assert.deepEqual(await resultOf(service, registrationId), NOTHING);
      const { body: list } = await service.api.get(`/registrations/${registrationId}/statements`);
      assert.equal(list.data.length, 1);
    });
  }

  const openIn = async (registrationId: string, mode: string, unit: string) => {
    const { body } = await service.api.post(`/registrations/${registrationId}/launch`, { mode });
    const client = await followLink(body.launch_url);
    await client.open();
    return new URL((await client.openUnit(unit)).address);
  };

  for (const mode of ['browse', 'review']) {
    it(`leaves the documents of a learner in an xAPI course unchanged in the mode ${mode}`, async () => {
      const { registrationId } = await registerTo(service, xapiFiles());
      const unit = (await (await startLaunch(service, registrationId)).open()).units[0].id;
      const documentsIn = async (opened: string) => {
        const { lrs, actor, activity, registration } = xapiCourse(await openIn(registrationId, opened, unit));
        const [activityId, agent] = [activity.id, JSON.stringify(actor)];
        const states = { activityId, agent, registration };
        const state = { ...states, stateId: 'resume' };
        const places = [
          ['activities/state', state],
          ['agents/profile', { agent, profileId: 'settings' }],
          ['activities/profile', { activityId, profileId: 'shared' }],
        ] as const;
        const each = async (method: string, body?: object) => {
          const answers = [];
          for (const [path, query] of places) {
            const headers: Record<string, string> = method === 'PUT' ? { 'If-None-Match': '*' } : {};
            answers.push(
              await lrs.call(method, path, { query, ...(body === undefined ? {} : { body }), headers }),
            );
          }
          return answers;
        };
        const deleteAll = () => lrs.call('DELETE', 'activities/state', { query: states });
        return { each, deleteAll };
      };
      const kept = { page: 20 };
      const learner = await documentsIn('normal');
      const written = await learner.each('PUT', kept);
      assert.deepEqual(
        written.map(({ status }) => status),
        [204, 204, 204],
      );
      const look = await documentsIn(mode);
      assert.deepEqual(
        (await look.each('GET')).map(({ json }) => json),
        [kept, kept, kept],
      );
      for (const answers of [await look.each('POST', { page: 2 }), await look.each('DELETE')])
        assert.deepEqual(
          answers.map(({ status }) => status),
          [204, 204, 204],
        );
      assert.equal((await look.deleteAll()).status, 204);
      const again = await documentsIn('normal');
      assert.deepEqual(
        (await again.each('GET')).map(({ json }) => json),
        [kept, kept, kept],
      );
    });

    it(`leaves the bookmark of a learner in a cmi5 course unchanged in the mode ${mode}`, async () => {
      const { registrationId } = await registerTo(service, cmi5Course([{ id: ONE }]));
      const unitIn = async (opened: string) => {
        const unit = await Unit.start(await openIn(registrationId, opened, ONE));
        await unit.send(unit.initialized());
        const { activityId, registration } = unit;
        const query = { activityId, registration, agent: JSON.stringify(unit.actor), stateId: 'bookmark' };
        const call = async (method: string, body?: object) =>
          await unit.lrs.call(method, 'activities/state', { query, ...(body === undefined ? {} : { body }) });
        return call;
      };
      assert.equal((await (await unitIn('normal'))('PUT', { page: 20 })).status, 204);
      assert.equal((await (await unitIn(mode))('PUT', { page: 2 })).status, 204);
      assert.deepEqual((await (await unitIn('normal'))('GET')).json, { page: 20 });
    });
  }

  it('leaves earlier records unchanged, and shows them to the course', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const launch = async (body?: object) =>
      await followLink(
        (await service.api.post(`/registrations/${registrationId}/launch`, body)).body.launch_url,
      );
    const first = await launch();
    await first.open();
    await first.openUnit('i1');
    await first.commit('i1', { core: { lesson_status: 'incomplete', lesson_location: 'page-3' } });
    const look = await launch({ mode: 'review', return_url: 'https://portal.example/' });
    assert.equal((await look.open()).returnUrl, 'https://portal.example/');
    assert.equal((await look.openUnit('i1')).data.cmi.core.lesson_location, 'page-3');
    await look.commit('i1', { core: { lesson_status: 'passed', lesson_location: 'page-9' } });
    const { completion, success } = await resultOf(service, registrationId);
    assert.deepEqual([completion, success], ['Incomplete', 'UNKNOWN']);
    const again = await launch({ mode: 'normal' });
    await again.open();
    assert.equal((await again.openUnit('i1')).data.cmi.core.lesson_location, 'page-3');
  });

  for (const [standard, files] of [
    ['SCORM 1.2', scorm12Course()],
    ['SCORM 2004', scorm2004Course()],
  ] as const) {
    it(`leaves the window of a learner who is in a ${standard} course alone, and records nothing`, async () => {
      const { registrationId } = await registerTo(service, files);
      const learner = await startLaunch(service, registrationId);
      await learner.open();
      await learner.openUnit('i1');
      const commit = async (location: string) =>
        (await learner.commit('i1', { core: { lesson_location: location }, location })).body.outcome;
      assert.equal(await commit('page-1'), 'recorded');
      for (const mode of ['browse', 'review']) {
        const { body } = await service.api.post(`/registrations/${registrationId}/launch`, { mode });
        const looking = await followLink(body.launch_url);
        assert.equal((await looking.open()).mode, mode);
        const { data } = await looking.openUnit('i1');
        assert.equal(data.cmi.core?.lesson_location ?? data.cmi.location, 'page-1');
        // Nor may it write as the learner's page, although it has that page's number.
        const written = await looking.commit('i1', { location: 'page-9' }, { sequence: 99 });
        assert.deepEqual(written.body, { outcome: 'not-recorded' });
      }
      assert.equal(await commit('page-2'), 'recorded');
      const again = await startLaunch(service, registrationId);
      await again.open();
      const { cmi } = (await again.openUnit('i1')).data;
      assert.equal(cmi.core?.lesson_location ?? cmi.location, 'page-2');
      assert.equal((await learner.commit('i1', {})).status, 409, 'a normal launch still takes over');
    });
  }

  it('is rejected with a mode that does not exist', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    for (const mode of ['preview', 'Normal', '', 1]) {
      const { status } = await service.api.post(`/registrations/${registrationId}/launch`, { mode });
      assert.equal(status, 400, String(mode));
    }
  });
});
