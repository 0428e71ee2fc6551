import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser, Route } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type Learner, newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

describe('a save that gets no response', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  /** Opens a course whose first save gets no response, then passes the course. */
  const pass = async (learner: Learner) => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await learner.open(service, registrationId);
    await learner.given();
    await learner.page.route('**/commit', () => {}, { times: 1 });
    const arrived = learner.page.waitForRequest('**/commit');
    await learner.calls(['LMSCommit', '']);
    await arrived;
    await learner.course.locator('#pass').click();
    return registrationId;
  };
  const isPassed = async (learner: Learner, registrationId: string) => {
    await learner.page.locator('.saving').getByText('Saved', { exact: true }).waitFor();
    assert.equal((await service.api.get(`/registrations/${registrationId}`)).body.success, 'PASS');
  };

  it('is repeated after a while, and the page shows that the connection is lost', async () => {
    await using learner = await newLearner(browser);
    await learner.page.clock.install();
    const registrationId = await pass(learner);
    await learner.page.clock.fastForward(20_000);
    await learner.page.getByText('The service cannot be reached.').waitFor();
    await learner.page.clock.fastForward(1_000);
    await isPassed(learner, registrationId);
  });

  it('is repeated once the browser is online again', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await pass(learner);
    await learner.page.evaluate(() => dispatchEvent(new Event('online')));
    await isPassed(learner, registrationId);
  });

  it('does not prevent the browser from keeping what the course reports next', async () => {
    await using learner = await newLearner(browser);
    await pass(learner);
    await learner.page.waitForFunction(() => Object.values(localStorage).join('').includes('"passed"'));
  });

  it('but a refusal while the course reports more does not keep the learner from leaving', async () => {
    await using learner = await newLearner(browser);
    const held = Promise.withResolvers<Route>();
    await learner.page.route('**/commit', (route) => held.resolve(route), { times: 1 });
    const { registrationId } = await registerTo(service, scorm12Course());
    await learner.open(service, registrationId);
    await learner.given();
    const read = (place: string) =>
      learner.calls(['LMSSetValue', 'cmi.core.lesson_location', place], ['LMSCommit', '']);
    await read('page 1');
    const refused = await held.promise;
    await read('page 2');
    const answered = learner.page.waitForResponse('**/commit');
    await refused.fulfill({ status: 422, contentType: 'application/problem+json', body: '{}' });
    await answered;
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await learner.page.getByRole('heading', { name: /finished this course/ }).waitFor();
  });

  it('but a refusal: then the page does not say that the work is saved, neither at its end nor after Exit', async () => {
    await using learner = await newLearner(browser);
    await learner.page.clock.install();
    await learner.page.route('**/commit', (route) =>
      route.fulfill({ status: 422, contentType: 'application/problem+json', body: '{}' }),
    );
    const { registrationId } = await registerTo(service, scorm12Course());
    await learner.open(service, registrationId);
    await learner.given();
    const text = 'Some of your work could not be saved';
    await learner.course.locator('#pass').click();
    const notice = learner.page.locator('.notice');
    await notice.getByText(text).waitFor();
    // By then, the page has noticed that the course has ended.
    await learner.page.clock.fastForward(2_000);
    await learner.page.evaluate(() => Promise.resolve());
    assert.match((await notice.textContent()) ?? '', /could not be saved/);
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await learner.page.getByRole('heading', { name: text }).waitFor();
  });
});
