import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '../../src/time/units.ts';
import { uploadForm } from '../content/packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { aiccFiles, cmi5Files, type PackageFiles, xapiFiles, zipOf } from '../support/course-packages.ts';
import { runSql } from '../support/database.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { AiccUnit } from './aicc-helpers.ts';
import { Unit } from './cmi5-helpers.ts';
import { Player, xapiCourse } from './learner-helpers.ts';
import { lrsClient } from './lrs-helpers.ts';

describe('a preview', () => {
  let service: TestService;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  /** Previews a course and opens its first unit. */
  const preview = async (files: PackageFiles, { api } = service): Promise<URL> => {
    const course = await api.create('/courses', uploadForm(new Uint8Array(await zipOf(files))));
    const { body } = await api.post(`/courses/${course.id}/versions/0/preview`);
    const player = new Player(body.preview_url.replace(/\/player\/$/, ''));
    const { units } = await player.post('/open');
    return await player.openUnit(units[0].id);
  };

  const nothingIsRecorded = async () => {
    const records = await lrsClient(service);
    assert.deepEqual(await records.find(), []);
    assert.deepEqual((await service.api.get('/registrations')).body.data, []);
  };

  test('of an xAPI course accepts statements and documents, and stores none', async () => {
    const { lrs, actor, activity: object } = xapiCourse(await preview(xapiFiles()));
    const verb = { id: 'http://adlnet.gov/expapi/verbs/passed' };
    assert.equal((await lrs.store({ actor, object, verb })).length, 1);
    const query = { activityId: object.id, agent: JSON.stringify(actor), stateId: 's' };
    assert.equal((await lrs.call('PUT', 'activities/state', { query, body: {} })).status, 204);
    assert.equal((await lrs.call('GET', 'activities/state', { query })).status, 404);
    assert.deepEqual(await lrs.find(), []);
    assert.equal((await lrs.call('POST', 'statements', { body: { actor, object } })).status, 400);
    await nothingIsRecorded();
  });

  test('of a cmi5 course is launched like a real one, and stores nothing', async () => {
    const unit = await Unit.start(await preview(cmi5Files()));
    assert.equal(unit.launchData.launchMode, 'Normal');
    assert.deepEqual(
      await unit.send(unit.initialized(), unit.completed(), unit.terminated()),
      [200, 200, 200],
    );
    await nothingIsRecorded();
  });

  test('of an AICC course answers its messages, and stores nothing', async () => {
    const unit = new AiccUnit(await preview(aiccFiles()));
    assert.match(await unit.send('GetParam'), /Lesson_Status=not attempted, ab-initio/);
    assert.match(await unit.send('PutParam', '[core]\nlesson_status=passed'), /^error=0/);
    assert.match(await unit.send('GetParam'), /Lesson_Status=not attempted, ab-initio/);
    await nothingIsRecorded();
  });

  test('keeps its sessions for two days, until another preview is opened', async () => {
    let skipped = 0;
    const begun = Date.now();
    await using other = await startTestService({
      now: () => begun + skipped,
      settings: { access_token_lifetime: 60 * 3_600 },
    });
    const sessions = async () =>
      (await runSql(other.settings.data_dir, 'select 1 from player_sessions')).length;
    await preview(xapiFiles(), other);
    skipped = 47 * HOUR_MS;
    await preview(cmi5Files(), other);
    assert.equal(await sessions(), 2);
    skipped = 49 * HOUR_MS;
    await preview(aiccFiles(), other);
    assert.equal(await sessions(), 2);
  });

  test('of an unknown version says so, and of an unknown course that there is none', async () => {
    const course = await service.api.create('/courses', uploadForm(new Uint8Array(await zipOf(xapiFiles()))));
    const detailOf = async (path: string) => {
      const { status, body } = await service.api.post(`/courses/${path}/preview`);
      assert.equal(status, 404);
      return body.detail;
    };
    assert.equal(await detailOf(`${course.id}/versions/9`), 'There is no version 9');
    assert.equal(await detailOf('900/versions/0'), 'There is no course 900');
  });
});
