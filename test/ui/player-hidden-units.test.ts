import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { resultOf } from '../player/learner-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startLaunch } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { type Learner, newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

const item = (id: string, resource: string, { isVisible = true, prerequisites = '' } = {}) =>
  `<item identifier="${id}" identifierref="${resource}"${isVisible ? '' : ' isvisible="false"'}><title>${id}</title>${
    prerequisites && `<adlcp:prerequisites type="aicc_script">${prerequisites}</adlcp:prerequisites>`
  }</item>`;
const HIDDEN = { isVisible: false };

/** Waits until the table of contents lists exactly these units. */
async function listed({ page }: Learner, ...ids: string[]): Promise<void> {
  const entries = () =>
    page.locator('nav [data-entry]').evaluateAll((all) => all.map((each) => each.getAttribute('data-entry')));
  await until(async () => String(await entries()) === String(ids), `the contents are ${ids}`);
}

describe('a unit that the manifest hides', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  it('is not in the table of contents, but the course continues to it, and its result counts', async () => {
    const items = item('first', 'r1') + item('reading', 'a1', HIDDEN) + item('last', 'r1');
    const { registrationId } = await registerTo(service, scorm2004Course({ items }));
    const { units } = await (await startLaunch(service, registrationId)).open();
    assert.deepEqual(
      units.map(({ id, isVisible }: { id: string; isVisible: boolean }) => [id, isVisible]),
      [
        ['first', true],
        ['reading', false],
        ['last', true],
      ],
    );
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await listed(learner, 'first', 'last');
    await learner.course.locator('#continue').click();
    await learner.course.getByText('Read this.').waitFor();
    await listed(learner, 'first', 'last');
    await learner.openUnit('last');
    await learner.course.locator('#pass').click();
    await until(
      async () => (await resultOf(service, registrationId)).completion === 'Completed',
      'every unit counts',
    );
    await learner.openUnit('first');
    await learner.openUnit('last');
    await learner.given();
    await learner.calls(['SetValue', 'adl.nav.request', 'previous'], ['Terminate', '']);
    await learner.course.getByText('Read this.').waitFor();
  });

  it('is listed until it is completed, once the learner can do nothing else', async () => {
    const items =
      item('first', 'r1') + item('hidden', 'r1', HIDDEN) + item('last', 'r1', { prerequisites: 'hidden' });
    const { registrationId } = await registerTo(service, scorm12Course({ items }));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await listed(learner, 'first', 'last');
    await learner.course.locator('#pass').click();
    await listed(learner, 'first', 'hidden', 'last');
    await learner.openUnit('hidden');
    await learner.course.locator('#pass').click();
    await listed(learner, 'first', 'last');
  });

  it('is listed if no other unit is', async () => {
    const items = item('first', 'r1', HIDDEN) + item('last', 'r1', HIDDEN);
    const { registrationId } = await registerTo(service, scorm12Course({ items }));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.course.locator('#pass').click();
    await until(
      async () => (await service.api.get(`/registrations/${registrationId}`)).body.score !== null,
      'the first is recorded',
    );
    await listed(learner, 'first', 'last');
  });
});
