import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { CMI5_PAGE, type Cmi5Unit, cmi5Course } from '../support/cmi5-course.ts';
import { receivedStatuses } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import { until } from '../support/service.ts';
import { holdRequests } from './support/held-requests.ts';
import { type Classroom, type Learner, newLearner, openClassroom } from './support/learner.ts';

const USER = 'ann@example.com';
const STARTED = { user: USER, completion: 'Incomplete', success: 'UNKNOWN', score: null, duration: 0 };
const ONE: Cmi5Unit = { id: 'https://example.com/course/one', moveOn: 'CompletedAndPassed' };

describe('a cmi5 course in a browser', () => {
  let classroom: Classroom;
  let { service, browser, target } = {} as Classroom;
  aroundTests(async (parts) => {
    classroom = parts.use(await openClassroom());
    ({ service, browser, target } = classroom);
  });

  const register = async (...units: Cmi5Unit[]) => {
    const course = { ...cmi5Course(units), 'start.html': CMI5_PAGE };
    return (await registerTo(service, course)).registrationId;
  };
  const heading = (learner: Learner, name: string) => learner.page.getByRole('heading', { name }).waitFor();
  const button = (learner: Learner, name: string) => learner.page.getByRole('button', { name });
  const openWindow = async (learner: Learner, name: string) => {
    const [opened] = await Promise.all([learner.page.waitForEvent('popup'), button(learner, name).click()]);
    await opened.getByText('Normal').waitFor();
    return opened;
  };

  describe('that insists on its own window', () => {
    const ownWindow: Cmi5Unit = { ...ONE, launchMethod: 'OwnWindow' };

    it('is closed if another launch has taken over, though it hides the page that opened it', async () => {
      const registrationId = await register(ownWindow);
      await using learner = await newLearner(browser);
      await learner.page.clock.install();
      await learner.page.addInitScript(() => {
        Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
      });
      await learner.open(service, registrationId);
      const course = await openWindow(learner, 'Open the course');
      // On a busy machine, the page may ask before the test lets the time pass.
      const closed = course.waitForEvent('close');
      await using other = await newLearner(browser);
      await other.open(service, registrationId);
      await heading(other, 'This course opens in its own window');
      await learner.page.clock.fastForward(15_000);
      await heading(learner, 'The course was opened in another window');
      await closed;
    });

    it('opens from a click, and its results are recorded and shown once it is closed', async () => {
      const registrationId = await register(ownWindow);
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      await heading(learner, 'This course opens in its own window');
      const course = await openWindow(learner, 'Open the course');
      await heading(learner, 'The course is open in its own window');
      assert.equal(await course.locator('#opener').textContent(), 'opened by a page');
      await course.locator('#pass').click();
      await course.getByText('done', { exact: true }).waitFor();
      await course.close();
      await heading(learner, 'You have closed the course');
      await learner.page.getByText('Passed').waitFor();
      await button(learner, 'Exit').click();
      await heading(learner, 'You have finished this course');
      const found = () => receivedStatuses(target, registrationId).find(({ success }) => success === 'PASS');
      await until(found, 'the pass is heard of');
      assert.deepEqual([found()?.completion, found()?.score], ['Completed', 90]);
      assert.deepEqual(receivedStatuses(target, registrationId)[0], STARTED);
    });

    it('keeps recording if the page that opened it is loaded again, until the learner opens it there', async () => {
      const registrationId = await register(ownWindow);
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      const course = await openWindow(learner, 'Open the course');
      await learner.page.reload();
      await heading(learner, 'This course opens in its own window');
      await learner.page
        .getByText('If the course is still open in another window, continue there.')
        .waitFor();
      await course.locator('#pass').click();
      await course.getByText('done', { exact: true }).waitFor();
      const { body } = await service.api.get(`/registrations/${registrationId}`);
      assert.deepEqual([body.completion, body.success, body.score], ['Completed', 'PASS', 90]);
      const verbs = async () =>
        (await service.api.get(`/registrations/${registrationId}/statements`)).body.data.map(
          (each: { statement: { verb: { id: string } } }) => each.statement.verb.id.split('/').at(-1),
        );
      assert.deepEqual(
        (await verbs()).filter((verb: string) => /launched|abandoned/.test(verb)),
        ['launched'],
      );
      await button(learner, 'Open the course').click();
      await heading(learner, 'The course is open in its own window');
      await until(
        async () => (await verbs()).filter((verb: string) => verb === 'launched').length === 2,
        'the second launch is recorded',
      );
    });

    it('is shown as no longer saved if the page that opened it takes over from another launch', async () => {
      const registrationId = await register(ownWindow);
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      await openWindow(learner, 'Open the course');
      await using other = await newLearner(browser);
      await other.open(service, registrationId);
      await heading(other, 'This course opens in its own window');
      await learner.page.reload();
      await heading(learner, 'The course was opened in another window');
      await button(learner, 'Continue here').click();
      await heading(learner, 'This course opens in its own window');
      await learner.page
        .getByText(
          'If the course is still open in another window, close it: what you do there is no longer saved.',
        )
        .waitFor();
    });

    it('begins no session before the learner has opened it', async () => {
      const registrationId = await register(ownWindow);
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      await heading(learner, 'This course opens in its own window');
      const { body } = await service.api.get(`/registrations/${registrationId}/statements`);
      assert.deepEqual(body.data, []);
    });

    it('opens again after it was closed, in a session of its own', async () => {
      const registrationId = await register(ownWindow);
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      const first = await openWindow(learner, 'Open the course');
      await first.close();
      await heading(learner, 'You have closed the course');
      await learner.page.getByText('Not completed yet').waitFor();
      await learner.page.route('**/unit', (route) => route.abort(), { times: 1 });
      const popup = learner.page.waitForEvent('popup');
      await button(learner, 'Open the course again').click();
      await heading(learner, 'The course could not be opened');
      await until(async () => (await popup).isClosed(), 'its empty window does not stay');
      await button(learner, 'Try again').click();
      const second = await openWindow(learner, 'Open the course');
      await second.locator('#pass').click();
      await second.getByText('done', { exact: true }).waitFor();
      // It closes itself on the page that it returns to.
      await second.locator('#return').click();
      await heading(learner, 'You have closed the course');
      await learner.page.getByText('Passed').waitFor();
    });

    it('is not called saved if it is closed after it reported something while the connection was lost', async () => {
      await using learner = await newLearner(browser);
      await learner.open(service, await register(ownWindow));
      const course = await openWindow(learner, 'Open the course');
      await learner.page.context().setOffline(true);
      await course.locator('#pass').click();
      await course.close();
      await heading(learner, 'You have closed the course');
      await learner.page.getByText('Your last work may not be saved.').waitFor();
      await learner.page.context().setOffline(false);
      await button(learner, 'Exit').click();
      await heading(learner, 'Your last work may not be saved');
    });

    it('is called saved if it reported nothing more after the connection was lost', async () => {
      await using learner = await newLearner(browser);
      await learner.open(service, await register(ownWindow));
      const course = await openWindow(learner, 'Open the course');
      await learner.page.context().setOffline(true);
      await course.close();
      await learner.page.getByText('Your work is saved. Open the course again').waitFor();
      await button(learner, 'Exit').click();
      await heading(learner, 'Your work is saved');
    });

    it('shows the open window instead of opening another', async () => {
      await using learner = await newLearner(browser);
      await learner.open(service, await register(ownWindow));
      await openWindow(learner, 'Open the course');
      await button(learner, 'Show the window').click();
      assert.equal(learner.page.context().pages().length, 2);
    });

    it('shows that the browser blocked the window, and opens once that is allowed', async () => {
      const registrationId = await register(ownWindow);
      await using learner = await newLearner(browser);
      await learner.page.addInitScript(() => {
        const { open } = window;
        // The result that browsers return if they block pop-ups.
        window.open = () => {
          window.open = open;
          return null;
        };
      });
      await learner.open(service, registrationId);
      await button(learner, 'Open the course').click();
      await learner.page.getByRole('alert').filter({ hasText: 'Allow pop-ups for this site' }).waitFor();
      const course = await openWindow(learner, 'Open the course');
      await learner.page.getByRole('alert').waitFor({ state: 'hidden' });
      assert.equal(await course.locator('#started').textContent(), 'Normal');
    });

    /** Makes the browser block further windows, as in-app browsers do. */
    const block = (learner: Learner) =>
      learner.page.evaluate(() => {
        window.open = () => null;
      });

    it('opens in the page where the browser allows no window', async () => {
      const registrationId = await register(ownWindow, {
        ...ownWindow,
        id: 'https://example.com/course/two',
      });
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      await heading(learner, 'This course opens in its own window');
      await block(learner);
      await button(learner, 'Open the course').click();
      await button(learner, 'Open it here').click();
      await learner.course.getByText('Normal').waitFor();
      await learner.course.locator('#pass').click();
      await learner.course.getByText('done', { exact: true }).waitFor();
      // The learner has chosen that for all units.
      await button(learner, 'course/two').click();
      await learner.course.getByText('Normal').waitFor();
      await button(learner, 'Exit').click();
      await heading(learner, 'You have not finished this course yet');
      const { units } = (await service.api.get(`/registrations/${registrationId}`)).body;
      assert.deepEqual([units[0].success, units[0].score], ['PASS', 90]);
    });

    it('opens in the page where the browser shows the window in place of the page', async () => {
      await using learner = await newLearner(browser);
      // As in a WebView of Android by default. Playwright would wait for a navigation that is stopped.
      await learner.page.addInitScript(() => {
        let leaving = 0;
        window.open = () => {
          leaving = window.setTimeout(() => location.replace('about:blank'));
          return window;
        };
        window.stop = () => clearTimeout(leaving);
      });
      await learner.open(service, await register(ownWindow));
      await button(learner, 'Open the course').click();
      await button(learner, 'Open it here').click();
      await learner.course.getByText('Normal').waitFor();
    });

    it('leaves a window from before the page was loaded again at once, when the learner opens it there', async () => {
      await using learner = await newLearner(browser);
      await learner.open(service, await register(ownWindow));
      const course = await openWindow(learner, 'Open the course');
      await learner.page.reload();
      const held = await holdRequests(learner.page, '**/unit');
      await button(learner, 'Open the course').click();
      await held.begun;
      await course.waitForURL('about:blank');
      held.release();
      await course.getByText('Normal').waitFor();
      assert.equal(learner.page.context().pages().length, 2);
    });

    it('opens in the page, in a session of its own, where the browser allows no second window', async () => {
      await using learner = await newLearner(browser);
      await learner.open(service, await register(ownWindow));
      const first = await openWindow(learner, 'Open the course');
      await first.close();
      await heading(learner, 'You have closed the course');
      await block(learner);
      await button(learner, 'Open the course again').click();
      await button(learner, 'Open it here').click();
      await learner.course.getByText('Normal').waitFor();
    });
  });

  describe('that insists on its own window and is on another site', () => {
    const SITE = 'https://publisher.example';
    const openThere = async (learner: Learner) => {
      const registrationId = await register({ ...ONE, launchMethod: 'OwnWindow', url: `${SITE}/unit` });
      await learner.page.context().route(`${SITE}/**`, (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<!doctype html><html lang="en"><title>Unit</title><p id="opener"></p><a>Return</a><script>
            document.querySelector('p').textContent = opener ? 'opened by a page' : 'opened by nobody';
            const fetched = new URLSearchParams(location.search).get('fetch');
            document.querySelector('a').href = new URL('../../return', fetched);
          </script></html>`,
        }),
      );
      await learner.open(service, registrationId);
      const [course] = await Promise.all([
        learner.page.waitForEvent('popup'),
        button(learner, 'Open the course').click(),
      ]);
      await course.getByText('opened by').waitFor();
      return course;
    };

    it('cannot reach the page that opened it, which still sees that it is closed', async () => {
      await using learner = await newLearner(browser);
      const course = await openThere(learner);
      assert.equal(await course.locator('#opener').textContent(), 'opened by nobody');
      await heading(learner, 'The course is open in its own window');
      await course.close();
      await heading(learner, 'You have closed the course');
    });

    it('counts as closed where it returns to', async () => {
      await using learner = await newLearner(browser);
      const course = await openThere(learner);
      await course.getByText('Return').click();
      await heading(learner, 'You have closed the course');
      await course.getByRole('heading', { name: 'You have left the course' }).waitFor();
    });

    it('stays open when the learner exits, because browsers let only the learner close it', async () => {
      await using learner = await newLearner(browser);
      const course = await openThere(learner);
      await button(learner, 'Exit').click();
      await heading(learner, 'You have not finished this course yet');
      assert.equal(course.isClosed(), false);
    });
  });

  it('ends where its only unit returns to the player', async () => {
    await using learner = await newLearner(browser);
    await learner.open(service, await register(ONE));
    await learner.course.getByText('Normal').waitFor();
    await learner.course.locator('#return').click();
    await heading(learner, 'You have not finished this course yet');
  });

  describe('whose unit sends the whole window to where it returns', () => {
    const leave = async (learner: Learner) => {
      await learner.course.getByText('Normal').waitFor();
      await learner.course.locator('body').evaluate(() => {
        const all = top as Window;
        all.location.href = new URL('../cmi5/return', all.location.href).href;
      });
    };

    it('leads to the page that the launch returns to', async () => {
      const returnUrl = 'https://portal.example/courses?a=1&b="2"';
      const path = `/registrations/${await register(ONE)}/launch`;
      const { body } = await service.api.post(path, { return_url: returnUrl });
      await using learner = await newLearner(browser);
      await learner.page.route('https://portal.example/**', (route) =>
        route.fulfill({ body: 'The portal.' }),
      );
      await learner.page.goto(body.launch_url);
      await leave(learner);
      await learner.page.getByText('The portal.').waitFor();
      assert.equal(learner.page.url(), new URL(returnUrl).href);
    });

    it('leads back to the course if the launch returns nowhere', async () => {
      await using learner = await newLearner(browser);
      await learner.open(service, await register(ONE));
      await leave(learner);
      await heading(learner, 'You have left the course');
      await learner.page.getByRole('link', { name: 'Back to the course' }).click();
      await learner.course.getByText('Normal').waitFor();
    });
  });

  it('is shown as saved though its unit ends its session once more', async () => {
    const registrationId = await register(ONE);
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.course.getByText('Normal').waitFor();
    await learner.course.locator('#pass').click();
    await learner.course.getByText('done').waitFor();
    const refusal = await learner.course.locator('body').evaluate(async () => {
      const unit = globalThis as unknown as Record<'say' | 'statement', (...given: unknown[]) => unknown>;
      const said = unit.say([unit.statement('terminated', { duration: 'PT1M' })]) as Promise<unknown>;
      return await said.then(() => '', String);
    });
    assert.match(refusal, /session has ended/);
    await button(learner, 'Exit').click();
    await heading(learner, 'You have finished this course');
  });

  it('offers the other units where one returns to the player', async () => {
    await using learner = await newLearner(browser);
    await learner.open(service, await register(ONE, { ...ONE, id: 'https://example.com/course/two' }));
    await learner.course.getByText('Normal').waitFor();
    await learner.course.locator('#return').click();
    await heading(learner, 'You have left this unit');
    await learner.page.getByRole('button', { name: 'course/two' }).click();
    await learner.course.getByText('Normal').waitFor();
  });
});
