import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

const SEQUENCED = scorm2004Course({
  items: ['i1', 'i2']
    .map((id) => `<item identifier="${id}" identifierref="r1"><title>${id}</title></item>`)
    .join(''),
  sequencing: '<imsss:sequencing><imsss:controlMode choice="true" flow="true"/></imsss:sequencing>',
});

describe('a script of the player that cannot be loaded', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  for (const [what, script, course] of [
    ['the runtime of SCORM 1.2', 'scorm12', scorm12Course()],
    ['the runtime of SCORM 2004', 'scorm2004', SEQUENCED],
    ['the sequencing', 'sequencer', SEQUENCED],
  ] as const) {
    it(`leaves a page on which the learner can try again, and the course then opens: ${what}`, async () => {
      const { registrationId } = await registerTo(service, course);
      await using learner = await newLearner(browser);
      await learner.page.route(`**/assets/${script}-*`, (route) => route.abort());
      await learner.open(service, registrationId);
      await learner.page.getByRole('heading', { name: 'The course could not be opened' }).waitFor();
      const { body } = await service.api.get(`/registrations/${registrationId}`);
      assert.equal(body.completion, 'Unknown');
      await learner.page.unroute(`**/assets/${script}-*`);
      await learner.page.getByRole('button', { name: 'Try again' }).click();
      await learner.given();
      await learner.course.locator('#pass').click();
      await learner.saved();
    });
  }
});
