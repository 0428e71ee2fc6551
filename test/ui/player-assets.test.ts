import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { resultOf } from '../player/learner-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { Learner, newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

const reading = (number: number, sequencing = '') =>
  `<item identifier="i${number}" identifierref="a1"><title>Reading ${number}</title>${sequencing}</item>`;
const DISABLED_ONCE_COMPLETED =
  '<imsss:sequencing><imsss:sequencingRules><imsss:preConditionRule><imsss:ruleConditions>' +
  '<imsss:ruleCondition condition="completed"/></imsss:ruleConditions><imsss:ruleAction action="disabled"/>' +
  '</imsss:preConditionRule></imsss:sequencingRules></imsss:sequencing>';

describe('an asset, which reports nothing itself', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  it('is completed by being opened, even if the service is lost for a moment', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course({ items: reading(1) }));
    await using learner = await newLearner(browser);
    await learner.page.route('**/asset', (route) => route.fulfill({ status: 503, body: '{}' }), { times: 2 });
    await learner.open(service, registrationId);
    await learner.page.getByText('The service cannot be reached.').waitFor();
    await until(
      async () => (await resultOf(service, registrationId)).completion === 'Completed',
      'it is recorded',
    );
    await learner.page.locator('.saving').getByText('Saved', { exact: true }).waitFor();
    await learner.page.locator('.notice').waitFor({ state: 'hidden' });
  });

  it('is completed even if the browser downloads its file instead of showing it', async () => {
    const { 'asset.html': _page, ...files } = scorm2004Course({ items: reading(1) });
    const manifest = String(files['imsmanifest.xml']).replaceAll('asset.html', 'plan.docx');
    const { registrationId } = await registerTo(service, {
      ...files,
      'imsmanifest.xml': manifest,
      'plan.docx': 'a plan',
    });
    await using learner = await newLearner(browser);
    const download = learner.page.waitForEvent('download');
    await learner.open(service, registrationId);
    assert.equal((await download).suggestedFilename(), 'plan.docx');
    await until(
      async () => (await resultOf(service, registrationId)).completion === 'Completed',
      'it is recorded',
    );
  });

  it('is recorded by the next launch if the page is closed before that', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course({ items: reading(1) }));
    await using learner = await newLearner(browser);
    await learner.page.route('**/asset', (route) => route.fulfill({ status: 503, body: '{}' }));
    await learner.open(service, registrationId);
    await learner.page.getByText('The service cannot be reached.').waitFor();
    const next = await learner.page.context().newPage();
    await learner.page.close();
    const again = new Learner(next);
    await again.open(service, registrationId);
    await next.getByText('You have finished this.').waitFor();
    assert.equal((await resultOf(service, registrationId)).completion, 'Completed');
    await until(
      async () => (await next.evaluate(() => localStorage.length)) === 0,
      'nothing is kept that was recorded',
    );
  });

  it('shows that another window has taken over instead of a lost connection', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course({ items: reading(1) }));
    await using learner = await newLearner(browser);
    await learner.page.route('**/asset', (route) =>
      route.fulfill({ status: 409, json: { outcome: 'superseded' } }),
    );
    await learner.open(service, registrationId);
    await learner.page.getByRole('heading', { name: 'The course was opened in another window' }).waitFor();
  });

  it('completes a sequenced course as its last unit, and is the unit that a later launch continues with', async () => {
    const { registrationId } = await registerTo(
      service,
      scorm2004Course({
        items: reading(1) + reading(2),
        sequencing: '<imsss:sequencing><imsss:controlMode choice="true" flow="true"/></imsss:sequencing>',
      }),
    );
    await using learner = await newLearner(browser);
    const isOpen = (number: number) =>
      learner.page
        .locator('nav [aria-current]')
        .filter({ hasText: `Reading ${number}` })
        .waitFor();
    const exit = async (title: string) => {
      await learner.page.getByRole('button', { name: 'Exit' }).click();
      await learner.page.getByRole('heading', { name: title }).waitFor();
    };
    await learner.open(service, registrationId);
    await isOpen(1);
    await exit('You have not finished this course yet');
    await learner.open(service, registrationId);
    await isOpen(1);
    await learner.page.getByRole('button', { name: 'Next' }).click();
    await isOpen(2);
    await until(
      async () => (await resultOf(service, registrationId)).completion === 'Completed',
      'the course is completed',
    );
    await exit('You have finished this course');
    await learner.open(service, registrationId);
    await isOpen(2);
  });

  it('is left behind by a later launch if a rule disables it once it is completed', async () => {
    const { registrationId } = await registerTo(
      service,
      scorm2004Course({
        items: reading(1, DISABLED_ONCE_COMPLETED) + reading(2, DISABLED_ONCE_COMPLETED),
        sequencing: '<imsss:sequencing><imsss:controlMode choice="false" flow="true"/></imsss:sequencing>',
      }),
    );
    await using learner = await newLearner(browser);
    const isOpen = (title: string) =>
      learner.page.locator('nav [aria-current]').filter({ hasText: title }).waitFor();
    await learner.open(service, registrationId);
    await isOpen('Reading 1');
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await learner.page.getByRole('heading', { name: 'You have not finished this course yet' }).waitFor();
    await learner.open(service, registrationId);
    await isOpen('Reading 2');
    await until(
      async () => (await resultOf(service, registrationId)).completion === 'Completed',
      'the course is completed',
    );
  });

  it('leaves the keyboard focus in the contents when the page asks what was recorded', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course({ items: reading(1) + reading(2) }));
    await using learner = await newLearner(browser);
    await learner.page.clock.install();
    await learner.open(service, registrationId);
    await learner.course.locator('#reading').waitFor();
    const entry = (number: number) => learner.page.getByRole('button', { name: `Reading ${number}` });
    await entry(1).getByText('Completed').waitFor();
    await entry(2).focus();
    await learner.page.route('**/units', async (route) => {
      const response = await route.fetch();
      const { units, ...others } = await response.json();
      await route.fulfill({ response, json: { ...others, units: [units[0], { ...units[1], score: 50 }] } });
    });
    await learner.page.clock.fastForward(15_000);
    await entry(2).getByText('50').waitFor();
    assert.equal(await entry(2).evaluate((each) => each === document.activeElement), true);
  });
});
