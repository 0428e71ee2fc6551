import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { CMI5_PAGE, cmi5Course } from '../support/cmi5-course.ts';
import { lessons, scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { boxOf } from './support/boxes.ts';
import { coveredControls } from './support/covered-controls.ts';
import { nextFrames } from './support/frames.ts';
import { type Learner, newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

const PHONE = { width: 375, height: 667 };
const PHONE_ON_ITS_SIDE = { width: 844, height: 390 };
/** The size of a window of 1,280 by 1,024 pixels at a zoom of 400 %. */
const ZOOMED = { width: 320, height: 256 };
const DESKTOP = { width: 1_280, height: 800 };
const NAME = 'Safety at work for everyone who drives, loads or repairs vehicles';

/** A course with the buttons Contents, Previous, Next and Exit. */
const SEQUENCED = {
  items: lessons(2),
  sequencing: '<imsss:sequencing><imsss:controlMode choice="true" flow="true"/></imsss:sequencing>',
};

describe('the player page in a small window', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  const registerScorm = async (units: number) => {
    const { registrationId } = await registerTo(
      service,
      scorm12Course({ title: NAME, items: lessons(units) }),
    );
    return registrationId;
  };
  const newLearnerIn = async (size: { width: number; height: number }) => {
    const learner = await newLearner(browser);
    await learner.page.setViewportSize(size);
    return learner;
  };
  const button = ({ page }: Learner, name: string) => page.getByRole('button', { name, exact: true });
  const contents = ({ page }: Learner) => page.getByRole('navigation', { name: 'Contents' });
  const frame = ({ page }: Learner) => page.locator('iframe[name=course]');
  const heading = ({ page }: Learner, name: string) => page.getByRole('heading', { name }).waitFor();
  const assertNothingCovered = async ({ page }: Learner) => {
    assert.deepEqual((await page.evaluate(coveredControls)).covered, []);
  };
  const isFocused = async ({ page }: Learner, selector: string) =>
    await page.evaluate((given) => document.activeElement?.matches(given), selector);

  describe('that is so narrow that the table of contents covers the course', () => {
    it('shows the button that opens the window of a unit, and not the contents', async () => {
      const units = ['one', 'two'].map((each) => ({
        id: `https://example.com/${each}`,
        launchMethod: 'OwnWindow',
      }));
      const course = { ...cmi5Course(units), 'start.html': CMI5_PAGE };
      const { registrationId } = await registerTo(service, course);
      await using learner = await newLearnerIn(PHONE);
      await learner.open(service, registrationId);
      await heading(learner, 'This course opens in its own window');
      await assertNothingCovered(learner);
      const opened = learner.page.waitForEvent('popup');
      await button(learner, 'Open the course').click();
      await (await opened).getByText('Normal').waitFor();
      await heading(learner, 'The course is open in its own window');
      await assertNothingCovered(learner);
      assert.equal(await button(learner, 'Contents').getAttribute('aria-expanded'), 'false');
    });

    it('shows the button that tries again, also if the learner chose the unit in the contents', async () => {
      const registrationId = await registerScorm(2);
      await using learner = await newLearnerIn(PHONE);
      await learner.page.route('**/unit', (route) => route.abort());
      await learner.open(service, registrationId);
      await heading(learner, 'The course could not be opened');
      await assertNothingCovered(learner);
      await learner.page.unroute('**/unit');
      await button(learner, 'Try again').click();
      await learner.given();
      await learner.page.route('**/unit', (route) => route.abort());
      await button(learner, 'Contents').click();
      await contents(learner).getByRole('button', { name: 'Lesson 2' }).click();
      await heading(learner, 'The course could not be opened');
      await assertNothingCovered(learner);
      assert.equal(await isFocused(learner, 'h2'), true);
    });

    it('keeps the keyboard focus out of the course that the contents cover, until Escape closes them', async () => {
      const registrationId = await registerScorm(2);
      await using learner = await newLearnerIn(PHONE);
      await learner.open(service, registrationId);
      await learner.given();
      const { keyboard } = learner.page;
      await button(learner, 'Contents').click();
      const last = () => isFocused(learner, '[data-entry=i2]');
      for (let tabs = 0; !(await last()); tabs++) {
        assert.ok(tabs < 8, 'the last entry is reached');
        assert.equal(await isFocused(learner, 'iframe'), false);
        await keyboard.press('Tab');
      }
      await keyboard.press('Tab');
      assert.equal(await isFocused(learner, 'iframe'), false);
      await keyboard.press('Shift+Tab');
      assert.equal(await last(), true);
      await keyboard.press('Escape');
      assert.equal(await contents(learner).isVisible(), false);
      assert.equal(await button(learner, 'Contents').getAttribute('aria-expanded'), 'false');
      assert.equal(await isFocused(learner, 'header button[aria-expanded]'), true);
      await learner.course.locator('#pass').click();
      await learner.saved();
    });

    it('shows the course when it becomes narrow, and the contents again when it becomes wide', async () => {
      const registrationId = await registerScorm(2);
      await using learner = await newLearnerIn(DESKTOP);
      await learner.open(service, registrationId);
      await learner.given();
      await contents(learner).getByRole('button', { name: 'Lesson 1' }).focus();
      await learner.page.setViewportSize(PHONE);
      await contents(learner).waitFor({ state: 'hidden' });
      assert.equal(await isFocused(learner, 'header button[aria-expanded]'), true);
      await learner.course.locator('#pass').click();
      await button(learner, 'Contents').click();
      await learner.page.setViewportSize(DESKTOP);
      await contents(learner).waitFor();
      await until(async () => (await frame(learner).getAttribute('inert')) === null, 'the course is usable');
      await button(learner, 'Contents').click();
      for (const size of [PHONE, DESKTOP]) {
        await learner.page.setViewportSize(size);
        await nextFrames(learner.page);
      }
      assert.equal(await contents(learner).isVisible(), false, 'the learner has closed them');
    });

    it('shows a short name of a course in the row of the buttons, whatever the state of saving', async () => {
      const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(1) }));
      await using learner = await newLearnerIn(PHONE);
      await learner.open(service, registrationId);
      await learner.given();
      const name = learner.page.getByRole('heading', { name: 'Fire safety' });
      const assertOneRow = async () => {
        const { y, height } = await boxOf(learner.page.getByRole('banner'));
        assert.ok(height < 50, `the header has ${height} px`);
        const box = await boxOf(name);
        assert.ok(box.y > y && box.width > 80, `the name is at ${box.y} px and has ${box.width} px`);
      };
      await assertOneRow();
      await learner.page.route('**/commit', (route) => route.abort());
      await learner.calls(['LMSSetValue', 'cmi.core.lesson_location', '5'], ['LMSCommit', '']);
      await learner.page.getByText('Not saved yet').waitFor();
      await assertOneRow();
      const clipped = await learner.page
        .locator('.saving')
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
      assert.equal(clipped, false);
    });

    for (const width of [PHONE.width, 320])
      it(`shows the whole state of saving beside four buttons at a width of ${width} pixels`, async () => {
        const { registrationId } = await registerTo(service, scorm2004Course(SEQUENCED));
        await using learner = await newLearnerIn({ ...PHONE, width });
        await learner.open(service, registrationId);
        await learner.given();
        const heightOfHeader = async () => (await boxOf(learner.page.getByRole('banner'))).height;
        const height = await heightOfHeader();
        await learner.page.route('**/commit', (route) => route.abort());
        await learner.calls(['SetValue', 'cmi.location', '5'], ['Commit', '']);
        const state = learner.page.getByText('Not saved yet');
        await state.waitFor();
        const room = await state.evaluate((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          const text = range.getBoundingClientRect();
          const header = document.querySelector('header')!.getBoundingClientRect();
          return {
            beside: element.getBoundingClientRect().width - text.width,
            above: text.top - header.top,
            below: header.bottom - text.bottom,
          };
        });
        assert.ok(Math.min(...Object.values(room)) >= 0, JSON.stringify(room));
        await assertNothingCovered(learner);
        assert.equal(await heightOfHeader(), height, 'the rows stay');
      });

    it('gives the name of the course a row of its own', async () => {
      const registrationId = await registerScorm(2);
      await using learner = await newLearnerIn(ZOOMED);
      await learner.open(service, registrationId);
      const { width } = await boxOf(learner.page.getByRole('heading', { name: NAME }));
      assert.ok(width > 280, `${width} px are left for the name`);
    });
  });

  describe('that is low', () => {
    it('scrolls instead of leaving a strip of the course below a notice', async () => {
      const registrationId = await registerScorm(1);
      await using learner = await newLearnerIn(ZOOMED);
      await learner.open(service, registrationId);
      await learner.given();
      await learner.page.route('**/commit', (route) => route.abort());
      await learner.calls(['LMSSetValue', 'cmi.core.lesson_location', '5'], ['LMSCommit', '']);
      await learner.page.getByText('The service cannot be reached').waitFor();
      const { height } = await boxOf(frame(learner));
      assert.ok(height >= 0.75 * ZOOMED.height, `the course has ${height} px`);
      await learner.page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      const { y } = await boxOf(frame(learner));
      assert.ok(y >= 0 && y + height <= ZOOMED.height + 1, `it is at ${y} px, below what scrolls`);
    });

    it('scrolls a long table of contents beside the course, which fills the window', async () => {
      const registrationId = await registerScorm(60);
      await using learner = await newLearnerIn(PHONE_ON_ITS_SIDE);
      await learner.open(service, registrationId);
      await learner.given();
      await contents(learner).getByRole('button', { name: 'Lesson 60' }).scrollIntoViewIfNeeded();
      const course = await boxOf(frame(learner));
      assert.ok(course.height < PHONE_ON_ITS_SIDE.height, `the course has ${course.height} px`);
      assert.ok(course.height > 0.75 * PHONE_ON_ITS_SIDE.height, `the course has ${course.height} px`);
      assert.equal((await boxOf(contents(learner))).height, course.height);
      assert.equal(await learner.page.evaluate(() => scrollY), 0);
    });
  });
});
