import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { lessons, scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type Learner, newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

const RETURN_URL = 'https://portal.example/courses';
const UNSAVED = 'Your work is not saved yet';

describe('leaving a course while the connection is lost', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  /** Opens a course, which passes after its connection was lost. */
  const passOffline = async (learner: Learner, { count = 1, returns = false } = {}) => {
    const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(count) }));
    const body = returns ? { return_url: RETURN_URL } : {};
    const launched = await service.api.post(`/registrations/${registrationId}/launch`, body);
    await learner.page.route(RETURN_URL, (route) => route.fulfill({ body: 'The portal.' }));
    await learner.page.goto(launched.body.launch_url);
    await learner.given();
    await learner.page.route('**/commit', (route) => route.abort());
    await learner.course.locator('#pass').click();
    await learner.page.locator('.notice', { hasText: 'The service cannot be reached.' }).waitFor();
    return registrationId;
  };
  const click = (learner: Learner, name: string | RegExp) =>
    learner.page.getByRole('button', { name }).click();
  const heading = (learner: Learner, name: string) => learner.page.getByRole('heading', { name }).waitFor();
  const exit = async (learner: Learner) => {
    await click(learner, 'Exit');
    await heading(learner, UNSAVED);
    assert.equal(
      await learner.page.getByText('The service cannot be reached').count(),
      1,
      'only the card says it',
    );
  };
  const connect = async (learner: Learner) => {
    await learner.page.unroute('**/commit');
    await learner.page.evaluate(() => dispatchEvent(new Event('online')));
  };
  const successOf = async (registrationId: string) =>
    (await service.api.get(`/registrations/${registrationId}`)).body.success;

  it('says so, and shows the result once it is saved', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await passOffline(learner);
    await exit(learner);
    assert.equal(await learner.page.getByRole('button').count(), 0);
    assert.equal(await successOf(registrationId), 'UNKNOWN');
    await connect(learner);
    await heading(learner, 'You have finished this course');
    assert.equal(await learner.page.getByText(UNSAVED).count(), 0);
    assert.equal(await successOf(registrationId), 'PASS');
  });

  it('returns to where the course was found only once everything is saved', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await passOffline(learner, { returns: true });
    await exit(learner);
    await connect(learner);
    await learner.page.getByText('The portal.').waitFor();
    assert.equal(await successOf(registrationId), 'PASS');
  });

  it('returns there earlier if the learner chooses that, and the next launch in the browser saves it', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await passOffline(learner, { returns: true });
    await exit(learner);
    await learner.page.getByText('open the course again in this browser first').waitFor();
    await click(learner, 'Leave now');
    await learner.page.getByText('The portal.').waitFor();
    await learner.page.unroute('**/commit');
    await learner.open(service, registrationId);
    assert.equal((await learner.given())['core.lesson_mode'], 'review');
    assert.equal(await successOf(registrationId), 'PASS');
  });

  it('opens no other unit that the learner had chosen before, once everything is saved', async () => {
    await using learner = await newLearner(browser);
    const { registrationId } = await registerTo(service, scorm12Course({ items: lessons(2) }));
    await learner.open(service, registrationId);
    await learner.given();
    await learner.page.route('**/commit', (route) => route.abort());
    await learner.passesAtTheEnd();
    await click(learner, /^Lesson 2/);
    await heading(learner, UNSAVED);
    await learner.page.getByRole('button', { name: 'Try again' }).waitFor();
    await exit(learner);
    assert.equal(await learner.page.getByRole('button', { name: 'Try again' }).count(), 0);
    await connect(learner);
    await heading(learner, 'You have not finished this course yet');
    const { body } = await service.api.get(`/registrations/${registrationId}`);
    const found = body.units.map(({ completion }: { completion: string }) => completion);
    assert.deepEqual(found, ['Completed', 'Unknown']);
  });

  describe('in a browser that keeps nothing', () => {
    /** As if cookies were blocked. */
    const withoutStorage = async () => {
      const learner = await newLearner(browser);
      await learner.page.addInitScript(() => {
        for (const name of ['localStorage', 'sessionStorage']) {
          Object.defineProperty(window, name, {
            get: () => {
              throw new DOMException('The browser allows none.', 'SecurityError');
            },
          });
        }
      });
      return learner;
    };
    /** Lets the browser ask once whether to leave the page. */
    const asked = (learner: Learner, answer: 'accept' | 'dismiss') =>
      learner.page.waitForEvent('dialog').then(async (dialog) => {
        assert.equal(dialog.type(), 'beforeunload');
        await dialog[answer]();
      });

    it('promises nothing, asks before the page is closed, and saves once the connection is back', async () => {
      await using learner = await withoutStorage();
      const registrationId = await passOffline(learner, { returns: true });
      await learner.page
        .getByText('Keep this page open until it can be reached again: this browser cannot')
        .waitFor();
      const question = asked(learner, 'dismiss');
      await learner.page.close({ runBeforeUnload: true });
      await question;
      await exit(learner);
      await learner.page.getByText('you lose your latest work').waitFor();
      assert.equal(await learner.page.getByText('kept in this browser').count(), 0);
      await connect(learner);
      await learner.page.getByText('The portal.').waitFor();
      assert.equal(await successOf(registrationId), 'PASS');
    });

    it('asks once more if the learner leaves nevertheless', async () => {
      await using learner = await withoutStorage();
      await passOffline(learner, { returns: true });
      await exit(learner);
      const question = asked(learner, 'accept');
      await click(learner, 'Leave now');
      await question;
      await learner.page.getByText('The portal.').waitFor();
    });
  });
});

describe('a page to return to that does not replace the player', () => {
  it('leaves the result of the course on the page, and a button that tries again', async () => {
    await using service = await startTestService();
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(await sharedBrowser());
    const path = `/registrations/${registrationId}/launch`;
    const { body } = await service.api.post(path, { return_url: RETURN_URL });
    // As that of an app, which opens outside of the browser.
    await learner.page.route(RETURN_URL, (route) => route.fulfill({ status: 204 }), { times: 1 });
    await learner.page.goto(body.launch_url);
    await learner.course.locator('#pass').click();
    await learner.saved();
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await learner.page.getByRole('heading', { name: 'You have finished this course' }).waitFor();
    await learner.page.route(RETURN_URL, (route) => route.fulfill({ body: 'The portal.' }));
    await learner.page.getByRole('button', { name: 'Continue' }).click();
    await learner.page.getByText('The portal.').waitFor();
  });
});
