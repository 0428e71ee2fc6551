import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { problemErrors, uploadForm } from '../content/packages.ts';
import { zipOf } from '../support/course-packages.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { launchChromium } from './support/chromium.ts';
import { hearResults, newLearner } from './support/learner.ts';

describe('a preview of a version', () => {
  let service: TestService;
  let browser: Browser;
  let target: Target;
  before(async () => {
    service = await startTestService();
    browser = await launchChromium();
    target = await startTarget();
    await hearResults(service, target);
  });
  after(async () => {
    await browser.close();
    await service.stop();
    await target.close();
  });

  it('plays one that is not published, and records nothing', async () => {
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

  it('is refused of what is not there', async () => {
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
