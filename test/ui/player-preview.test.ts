import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemErrors, uploadForm } from '../content/packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { zipOf } from '../support/course-packages.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { type Classroom, newLearner, openClassroom } from './support/learner.ts';

describe('a preview of a version', () => {
  let classroom: Classroom;
  let { service, browser, target } = {} as Classroom;
  aroundTests(async (parts) => {
    classroom = parts.use(await openClassroom());
    ({ service, browser, target } = classroom);
  });

  it('plays an unpublished version, and records nothing', async () => {
    const { courseId, registrationId } = await registerTo(service, scorm12Course());
    const next = uploadForm(new Uint8Array(await zipOf(scorm12Course())));
    await service.api.create(`/courses/${courseId}/versions`, next);
    const { status, body } = await service.api.post(`/courses/${courseId}/versions/1/preview`);
    assert.equal(status, 200);
    assert.ok(Date.parse(body.expires_dt) > Date.now());
    const before = (await service.api.get(`/registrations/${registrationId}`)).body;

    await using learner = await newLearner(browser);
    await learner.page.goto(body.preview_url);
    assert.equal((await learner.given())['core.student_id'], 'integration@example.com');
    await learner.page.getByText('Preview: nothing is recorded.').waitFor();
    await learner.course.locator('#pass').click();
    await learner.page.reload();
    assert.equal((await learner.given())['core.entry'], 'ab-initio');

    assert.deepEqual((await service.api.get(`/registrations/${registrationId}`)).body, before);
    assert.deepEqual((await service.api.get(`/registrations/${registrationId}/runtime`)).body.attempts, []);
    assert.deepEqual(target.requests, []);
  });

  it('is rejected for an unknown course or version', async () => {
    const { courseId } = await registerTo(service, scorm12Course());
    for (const path of [
      `${courseId}/versions/7`,
      `${courseId}/versions/x`,
      '99/versions/0',
      'x/versions/0',
    ]) {
      problemErrors(await service.api.post(`/courses/${path}/preview`), 404);
    }
  });
});
