import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { launch } from '../content/registration-helpers.ts';
import { AiccUnit } from '../player/aicc-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { RunningClock } from '../support/clock.ts';
import { aiccFiles } from '../support/course-packages.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { statusOf } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type Learner, newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

/** Longer than a test takes, even on a busy machine. */
const LIFETIME_S = 300;
const UNSURE = 'Your latest work may not be saved. Please check your work when you open the course again.';
const RESET = 'Your course was reset';
const SUPERSEDED = 'The course was opened in another window';

describe('a window with a course that calls the service itself', () => {
  let service: TestService;
  let browser: Browser;
  const clock = new RunningClock();
  aroundTests(async (parts) => {
    service = parts.use(
      await startTestService({
        settings: { launch_lifetime: LIFETIME_S },
        now: clock.now,
      }),
    );
    browser = await sharedBrowser();
  });

  const open = async (learner: Learner, registrationId: string) => {
    await learner.page.clock.install();
    await learner.open(service, registrationId);
    await learner.course.getByText('A lesson.').waitFor();
  };
  const shows = (learner: Learner, name: string) => learner.page.getByRole('heading', { name }).waitFor();

  /** Lets a window ask whether it is the newest, and handle the answer. */
  const pollOf = async ({ page }: Learner) => {
    const answered = page.waitForResponse('**/units');
    await page.clock.fastForward(15_000);
    // Its end is not waited for: Chromium may report a request as aborted whose body the page has read.
    await answered;
    // Once another request has its response, the page has handled that of the first.
    await page.evaluate(async () => (await fetch(location.href)).text());
  };

  it('shows without any action that another window has taken over', async () => {
    const { registrationId } = await registerTo(service, aiccFiles());
    await using learner = await newLearner(browser);
    await open(learner, registrationId);
    await using other = await newLearner(browser);
    await open(other, registrationId);
    await learner.page.clock.fastForward(15_000);
    await shows(learner, SUPERSEDED);
    assert.equal(await learner.page.locator('iframe').count(), 0);
    await pollOf(other);
    assert.equal(await other.page.locator('iframe').count(), 1);
  });

  it('records what a window of its course sends after a reload, until its address is opened elsewhere', async () => {
    const { registrationId } = await registerTo(service, aiccFiles());
    await using learner = await newLearner(browser);
    await open(learner, registrationId);
    const address = await learner.page.locator('iframe').getAttribute('src');
    const courseWindow = new AiccUnit(new URL(address ?? ''));
    await learner.page.reload();
    await learner.course.getByText('A lesson.').waitFor();
    assert.match(await courseWindow.send('PutParam', '[Core]\r\nLesson_Location=7\r\n'), /^error=0/);
    await using other = await newLearner(browser);
    await other.page.goto(learner.page.url());
    await other.course.getByText('A lesson.').waitFor();
    assert.match(await courseWindow.send('PutParam', '[Core]\r\nLesson_Location=8\r\n'), /^error=3/);
  });

  it('takes nothing over if its browser loads it again, until the learner wants to continue there', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using phone = await newLearner(browser);
    await phone.open(service, registrationId);
    await phone.given();
    await using computer = await newLearner(browser);
    await computer.open(service, registrationId);
    await computer.given();
    for (const times of [1, 2]) {
      await phone.page.reload();
      await shows(phone, SUPERSEDED);
      assert.equal(await phone.page.locator('iframe').count(), 0, `loaded again ${times} times`);
    }
    await computer.course.locator('#pass').click();
    await computer.saved();
    assert.deepEqual(await statusOf(service, registrationId), ['Completed', 'PASS', 85]);
    await phone.page.getByRole('button', { name: 'Continue here' }).click();
    await phone.given();
    await computer.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await shows(computer, SUPERSEDED);
    await computer.page.getByRole('button', { name: 'Continue here' }).click();
    await computer.given();
  });

  it('shows on Exit that another window has taken over, instead of a saved result', async () => {
    const { registrationId } = await registerTo(service, aiccFiles());
    await using learner = await newLearner(browser);
    await open(learner, registrationId);
    await using other = await newLearner(browser);
    await open(other, registrationId);
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await shows(learner, SUPERSEDED);
  });

  it('shows when it is visible again that a reset has ended its attempt', async () => {
    const { registrationId } = await registerTo(service, aiccFiles());
    await using learner = await newLearner(browser);
    await open(learner, registrationId);
    await service.api.post(`/registrations/${registrationId}/reset`);
    await learner.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await shows(learner, RESET);
    await learner.page.getByRole('button', { name: 'Start again' }).click();
    await learner.course.getByText('A lesson.').waitFor();
  });

  it('shows that another window has taken over if one was opened after a reset', async () => {
    const { registrationId } = await registerTo(service, aiccFiles());
    await using learner = await newLearner(browser);
    await open(learner, registrationId);
    await service.api.post(`/registrations/${registrationId}/reset`);
    await using other = await newLearner(browser);
    await open(other, registrationId);
    await learner.page.clock.fastForward(15_000);
    await shows(learner, SUPERSEDED);
  });

  it('shows that its registration was deleted', async () => {
    const { registrationId } = await registerTo(service, aiccFiles());
    await using learner = await newLearner(browser);
    await open(learner, registrationId);
    await service.api.delete(`/registrations/${registrationId}`);
    clock.aheadMs += 11_000;
    await learner.page.clock.fastForward(15_000);
    await shows(learner, 'This course is no longer available');
  });

  it('shows on Exit that a reset has ended its attempt, if it reports to the page', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await service.api.post(`/registrations/${registrationId}/reset`);
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await shows(learner, RESET);
  });

  it('shows when it is visible again that another window has taken over, if its course reports to the page', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await using other = await newLearner(browser);
    await other.open(service, registrationId);
    await other.given();
    await learner.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await shows(learner, SUPERSEDED);
    assert.equal(await learner.page.locator('iframe').count(), 0);
  });

  describe('whose connection was lost while the learner worked', () => {
    const LOST = 'What you did here without a connection is not saved.';
    const PERHAPS_LOST =
      'What you did here without a connection may not be saved. Please check your work in the other window.';
    const work = async (learner: Learner, registrationId: string) => {
      await learner.open(service, registrationId);
      await learner.given();
      await learner.page.context().setOffline(true);
      await learner.calls(['LMSSetValue', 'cmi.core.lesson_location', 'page-9'], ['LMSCommit', '']);
      await learner.page.getByText('Your work is kept in this browser').waitFor();
    };
    const openElsewhere = async (registrationId: string) => {
      await using other = await newLearner(browser);
      await other.open(service, registrationId);
      await other.given();
    };

    it('shows that this work may not be saved, if another window has taken over', async () => {
      const { registrationId } = await registerTo(service, scorm12Course());
      await using learner = await newLearner(browser);
      await work(learner, registrationId);
      await openElsewhere(registrationId);
      await learner.page.context().setOffline(false);
      await shows(learner, SUPERSEDED);
      await learner.page.getByText(PERHAPS_LOST).waitFor();
    });

    it('shows that this work may not be saved, if its browser loads it again after another window has taken over', async () => {
      const { registrationId } = await registerTo(service, scorm12Course());
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      await learner.given();
      await learner.page.route('**/commit', (route) => route.abort());
      await learner.calls(['LMSSetValue', 'cmi.core.lesson_location', 'page-9'], ['LMSCommit', '']);
      await learner.page.getByText('Your work is kept in this browser').waitFor();
      await openElsewhere(registrationId);
      await learner.page.unroute('**/commit');
      for (const _ of ['first', 'again']) {
        await learner.page.reload();
        await shows(learner, SUPERSEDED);
        await learner.page.getByText(PERHAPS_LOST).waitFor();
      }
    });

    it('does not show that this work is lost, if another window of its browser has saved it', async () => {
      const { registrationId } = await registerTo(service, scorm12Course());
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      await learner.given();
      await learner.page.route('**/commit', (route) => route.abort());
      await learner.calls(['LMSSetValue', 'cmi.core.lesson_location', 'page-9'], ['LMSCommit', '']);
      await learner.page.getByText('Your work is kept in this browser').waitFor();
      const other = await learner.page.context().newPage();
      await other.goto(await launch(service, registrationId));
      await other.getByText('Your work from before the connection was lost is now saved.').waitFor();
      await learner.page.unroute('**/commit');
      await learner.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await shows(learner, SUPERSEDED);
      await learner.page.getByText(PERHAPS_LOST).waitFor();
    });

    it('shows that this work is not saved, if a reset has ended its attempt', async () => {
      const { registrationId } = await registerTo(service, scorm12Course());
      await using learner = await newLearner(browser);
      await work(learner, registrationId);
      await service.api.post(`/registrations/${registrationId}/reset`);
      await learner.page.context().setOffline(false);
      await shows(learner, RESET);
      await learner.page.getByText(LOST).waitFor();
    });

    it('shows in its browser later that this work could not be saved, if it was closed before', async () => {
      const { registrationId } = await registerTo(service, scorm12Course());
      await using learner = await newLearner(browser);
      await work(learner, registrationId);
      await learner.page.close();
      await openElsewhere(registrationId);
      await learner.page.context().setOffline(false);
      const page = await learner.page.context().newPage();
      await page.goto(await launch(service, registrationId));
      await page.getByText('Work from an earlier visit in this browser could not be saved').waitFor();
      const kept = await page.evaluate(() => Object.keys(localStorage).join());
      assert.doesNotMatch(kept, /coursewire-lost/, 'it is shown once');
    });
  });

  it('shows that its launch has expired', async () => {
    const { registrationId } = await registerTo(service, aiccFiles());
    await using learner = await newLearner(browser);
    await open(learner, registrationId);
    clock.aheadMs += (LIFETIME_S + 1) * 1_000;
    await learner.page.clock.fastForward(15_000);
    await shows(learner, 'This launch has expired');
    assert.equal(await learner.page.getByText('may not be saved').count(), 0);
  });

  for (const [when, goOn] of [
    ['a moment later', ({ page }: Learner) => page.clock.fastForward(15_000)],
    ['as the learner exits', ({ page }: Learner) => page.getByRole('button', { name: 'Exit' }).click()],
  ] as const)
    it(`shows ${when} that its launch has expired, and that the work may not be saved which was refused`, async () => {
      const { registrationId } = await registerTo(service, aiccFiles());
      await using learner = await newLearner(browser);
      await open(learner, registrationId);
      clock.aheadMs += (LIFETIME_S + 1) * 1_000;
      await learner.course.locator('body').evaluate(async () => {
        const given = new URLSearchParams(location.search);
        const body = new URLSearchParams({
          command: 'PutParam',
          session_id: given.get('AICC_SID') ?? '',
          aicc_data: '[Core]\r\nLesson_Status=passed\r\n',
        });
        await (await fetch(given.get('AICC_URL') ?? '', { method: 'POST', body })).text();
      });
      await goOn(learner);
      await shows(learner, 'This launch has expired');
      await learner.page.getByText(UNSURE).waitFor();
    });

  it('keeps recording if a proxy responds with 404 in place of the service', async () => {
    const { registrationId } = await registerTo(service, aiccFiles());
    await using learner = await newLearner(browser);
    await open(learner, registrationId);
    await learner.page.route(
      '**/units',
      (route) => route.fulfill({ status: 404, contentType: 'text/plain', body: 'default backend - 404' }),
      { times: 1 },
    );
    await pollOf(learner);
    assert.equal(await learner.page.locator('iframe').count(), 1);
  });
});
