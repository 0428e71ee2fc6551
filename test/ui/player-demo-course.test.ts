import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { zipCourse } from '../../demo/course-package.ts';
import { uploadForm } from '../content/packages.ts';
import { give, register } from '../content/registration-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

describe('the demo course in a browser', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  for (const edition of ['scorm-1.2', 'scorm-2004'] as const) {
    it(`is passed by answering its quiz, and shows the result on exit (${edition})`, async () => {
      const { bytes } = await zipCourse(edition);
      const { id: accountId } = await service.api.create('/accounts', { name: 'Contoso' });
      const { id: courseId } = await service.api.create('/courses', uploadForm(new Uint8Array(bytes)));
      await give(service, accountId, 'COURSE', courseId);
      const { registration_id: id } = await register(service, { account_id: accountId, course_id: courseId });
      await using learner = await newLearner(browser);
      await learner.open(service, id);
      const next = learner.course.locator('#next');
      await next.waitFor();
      while (await next.isEnabled()) await next.click();
      for (const question of await learner.course.locator('fieldset').all()) {
        const answer = await question.getAttribute('data-answer');
        await question.locator(`input[value="${answer}"]`).check();
      }
      await learner.course.getByRole('button', { name: 'Check my answers' }).click();
      await learner.course.getByText('Passed!').waitFor();
      await learner.page.getByRole('button', { name: 'Exit' }).click();
      await learner.page.locator('dd', { hasText: 'Passed' }).waitFor();
      const { body } = await service.api.get(`/registrations/${id}`);
      assert.deepEqual([body.completion, body.success, body.score], ['Completed', 'PASS', 100]);
    });
  }

  it('resumes on the page where its tab was closed', async () => {
    const { bytes } = await zipCourse('scorm-1.2');
    const { id: accountId } = await service.api.create('/accounts', { name: 'Contoso' });
    const { id: courseId } = await service.api.create('/courses', uploadForm(new Uint8Array(bytes)));
    await give(service, accountId, 'COURSE', courseId);
    const { registration_id: id } = await register(service, { account_id: accountId, course_id: courseId });
    const left = async () => {
      const { body } = await service.api.get(`/registrations/${id}/runtime`);
      return body.attempts[0]?.units[0]?.data?.cmi.core.exit === 'suspend';
    };
    {
      await using first = await newLearner(browser);
      await first.open(service, id);
      for (let page = 0; page < 2; page++) await first.course.locator('#next').click();
      await first.page.close({ runBeforeUnload: true });
      await until(left, 'the course says that it is suspended');
    }
    await using learner = await newLearner(browser);
    await learner.open(service, id);
    await learner.course.locator('#place', { hasText: /^3 of/ }).waitFor();
  });
});
