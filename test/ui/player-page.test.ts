import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { lessons, scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { assertNoAxeFaults, assertNoColourFaults } from './support/axe.ts';
import { boxOf } from './support/boxes.ts';
import { type Learner, newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

/** Names a folder for screenshots of the states. */
const SCREENSHOTS = process.env.COURSEWIRE_TEST_SCREENSHOTS;
const WINDOWS = { desktop: { width: 1_280, height: 800 }, phone: { width: 390, height: 844 } };

const TWO_LESSONS = { items: lessons(2) };

describe('the player page', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  /** Looks at a state in both schemes, on a desktop and a phone. */
  const lookAt = async ({ page }: Learner, name: string) => {
    for (const [device, size] of Object.entries(WINDOWS)) {
      await page.setViewportSize(size);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await assertNoAxeFaults(page);
        await assertNoColourFaults(page, colorScheme);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${name} is ${wide} px too wide on a ${device}`);
        if (SCREENSHOTS !== undefined) {
          await page.screenshot({ path: path.join(SCREENSHOTS, `${name}-${device}-${colorScheme}.png`) });
        }
      }
    }
    await page.setViewportSize(WINDOWS.desktop);
  };
  const heading = (learner: Learner, name: string) => learner.page.getByRole('heading', { name }).waitFor();
  const exit = (learner: Learner) => learner.page.getByRole('button', { name: 'Exit' }).click();

  for (const [what, files] of [
    ['script', '**/player/assets/*.js'],
    ['style sheet', '**/player/assets/*.css'],
  ] as const) {
    it(`asks the learner to reload it if its ${what} is missing, for example during an upgrade`, async () => {
      const { registrationId } = await registerTo(service, scorm12Course());
      await using learner = await newLearner(browser);
      const { page } = learner;
      await page.route(files, (route) => route.fulfill({ status: 404 }));
      await learner.open(service, registrationId);
      const text = page.getByText('If this text stays, reload the page');
      assert.ok((await boxOf(text)).y < 100, 'the text is at the top');
      assert.equal(await page.locator('iframe').count(), 0);
      await page.unroute(files);
      await page.reload();
      await learner.given();
      assert.equal(await text.count(), 0);
    });
  }

  it('shows that a course has ended, because a course may be blank after its own exit', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const notice = learner.page.locator('.notice');
    assert.equal(await notice.isVisible(), false);
    await learner.course.locator('#suspend').click();
    await notice.getByText('The course has ended and your work is saved').waitFor();
    await lookAt(learner, 'ended');
    await learner.page.reload();
    await learner.given();
    assert.equal(await notice.isVisible(), false, 'it is gone once the course is open again');
  });

  it('shows that a unit has ended, until another one is opened', async () => {
    const { registrationId } = await registerTo(service, scorm12Course(TWO_LESSONS));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    const notice = learner.page.locator('.notice');
    await learner.course.locator('#pass').click();
    await notice.getByText('This unit has ended and your work is saved. Open another unit').waitFor();
    await learner.openUnit('Lesson 2');
    await notice.waitFor({ state: 'hidden' });
    await learner.page.getByRole('button', { name: 'Lesson 1' }).click();
    await notice.getByText('You have finished this. You can look around').waitFor();
  });

  it('shows on exit that an unfinished course continues where the learner left off', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await lookAt(learner, 'open');
    await learner.course.locator('#suspend').click();
    await learner.saved();
    await exit(learner);
    await heading(learner, 'You have not finished this course yet');
    await learner.page.getByText('To continue where you left off').waitFor();
    const card = await boxOf(learner.page.locator('.card'));
    assert.ok(card.height < 500, `the card is ${card.height} px high`);
    await lookAt(learner, 'unfinished');
    await learner.page.getByRole('button', { name: 'Back to the course' }).click();
    assert.equal((await learner.given())['core.lesson_location'], 'page-7');
  });

  it('shows on exit the recorded result of a finished course', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.course.locator('#pass').click();
    await learner.saved();
    await exit(learner);
    await heading(learner, 'You have finished this course');
    const rows = await learner.page.locator('dl div').allInnerTexts();
    assert.deepEqual(
      rows.map((row) => row.split(/\s*\n\s*/)),
      [
        ['Completion', 'Completed'],
        ['Result', 'Passed'],
        ['Score', '85'],
      ],
    );
    await lookAt(learner, 'finished');
  });

  it('shows on exit that a failed course can be tried again, with each unit', async () => {
    const { registrationId } = await registerTo(service, scorm12Course(TWO_LESSONS));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.course.locator('#pass').click();
    await learner.saved();
    await lookAt(learner, 'contents');
    await learner.openUnit('Lesson 2');
    await learner.course.locator('#fail').click();
    await learner.saved();
    await exit(learner);
    await heading(learner, 'You have not passed this course');
    assert.equal(await learner.page.locator('.record li').count(), 2);
    await lookAt(learner, 'failed');
  });

  it('is accessible while it waits for the click that opens a window', async () => {
    const unit = { id: 'https://example.com/course/one', launchMethod: 'OwnWindow' };
    const { registrationId } = await registerTo(service, cmi5Course([unit]));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await heading(learner, 'This course opens in its own window');
    await lookAt(learner, 'own-window');
  });

  it('is accessible when another window has taken over', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await using other = await newLearner(browser);
    await other.open(service, registrationId);
    await other.given();
    await learner.course.locator('#fail').click();
    await heading(learner, 'The course was opened in another window');
    await lookAt(learner, 'superseded');
  });
});
