import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Route } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { aiccFiles } from '../support/course-packages.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { type Learner, newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

/** More than a page that is closed can send. */
const MANY = 100_000;

/** The suspend data that the course stored for its next start. */
async function suspendDataOf({ api }: TestService, registrationId: string): Promise<string> {
  const { body } = await api.get(`/registrations/${registrationId}/runtime`);
  return body.attempts[0].units[0].data.cmi.suspend_data;
}

describe('leaving a course with much suspend data', () => {
  it('keeps its last change even if the previous save has no response yet', async () => {
    await using service = await startTestService();
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(await sharedBrowser());
    await learner.open(service, registrationId);
    await learner.given();
    const add = (text: string, location: string) =>
      learner.course.locator('body').evaluate(
        (_body, [added, at]) => {
          const { sco } = globalThis as unknown as { sco: Record<string, (...values: string[]) => string> };
          const before = sco.LMSGetValue?.('cmi.suspend_data') ?? '';
          sco.LMSSetValue?.('cmi.suspend_data', `${before}${added}`);
          sco.LMSSetValue?.('cmi.core.lesson_location', at ?? '');
          sco.LMSCommit?.('');
        },
        [text, location],
      );
    await add('ä'.repeat(MANY), 'page-1');
    await learner.saved();
    // The next save reaches the service, but its response does not reach the page.
    const arrived = Promise.withResolvers<void>();
    await learner.page.route(
      '**/commit',
      async (route) => {
        await route.fetch();
        arrived.resolve();
      },
      { times: 1 },
    );
    await add('b'.repeat(10), 'page-2');
    await arrived.promise;
    await add('c'.repeat(1_000), 'page-1');
    await learner.page.close({ runBeforeUnload: true });
    await until(
      async () => (await suspendDataOf(service, registrationId)).length === MANY + 1_010,
      'the service receives what the closing page sends',
    );
    await using other = await newLearner(await sharedBrowser());
    await other.open(service, registrationId);
    const given = await other.given();
    assert.deepEqual(
      [given.suspend_data, given['core.lesson_location']],
      [`${MANY + 1_010} characters`, 'page-1'],
    );
  });
});

describe('leaving a course with much suspend data that commits before its end', () => {
  it('records its end, though a page that is closed cannot send all the data twice', async () => {
    await using service = await startTestService();
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(await sharedBrowser());
    await learner.open(service, registrationId);
    await learner.given();
    const data = 'x'.repeat(40_000);
    await learner.calls(['LMSSetValue', 'cmi.suspend_data', data], ['LMSCommit', '']);
    await learner.saved();
    await learner.course.locator('body').evaluate(() => {
      const { sco } = globalThis as unknown as { sco: Record<string, (...values: string[]) => string> };
      addEventListener('unload', () => {
        sco.LMSSetValue?.('cmi.suspend_data', `${sco.LMSGetValue?.('cmi.suspend_data')}!`);
        sco.LMSCommit?.('');
        sco.LMSSetValue?.('cmi.core.score.raw', '90');
        sco.LMSFinish?.('');
      });
    });
    await learner.page.close({ runBeforeUnload: true });
    const found = async () => (await service.api.get(`/registrations/${registrationId}`)).body;
    await until(async () => (await found()).completion === 'Completed', 'the service receives the end');
    assert.equal((await found()).score, 90);
    assert.equal(await suspendDataOf(service, registrationId), `${data}!`);
  });
});

describe('leaving a course that cuts its texts in the middle of a character', () => {
  it('keeps every text exactly as the course set it, and everything else that the course reported', async () => {
    await using service = await startTestService();
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(await sharedBrowser());
    await learner.open(service, registrationId);
    await learner.given();
    /** Adds code units to the suspend data, some of which may be halves of characters. */
    const add = (codes: readonly number[]) =>
      learner.course.locator('body').evaluate((_body, added) => {
        const { sco } = globalThis as unknown as { sco: Record<string, (...values: string[]) => string> };
        const before = sco.LMSGetValue?.('cmi.suspend_data') ?? '';
        sco.LMSSetValue?.('cmi.suspend_data', before + String.fromCharCode(...added));
        sco.LMSCommit?.('');
      }, codes);
    await learner.course.locator('body').evaluate((_body, length) => {
      const { sco } = globalThis as unknown as { sco: Record<string, (...values: string[]) => string> };
      sco.LMSSetValue?.('cmi.interactions.0.id', 'essay');
      sco.LMSSetValue?.('cmi.interactions.0.type', 'fill-in');
      const answer = `${'x'.repeat(254)}😀`.substring(0, 255);
      sco.LMSSetValue?.('cmi.interactions.0.student_response', answer);
      sco.LMSSetValue?.('cmi.core.lesson_status', 'passed');
      sco.LMSSetValue?.('cmi.suspend_data', 'ä'.repeat(length));
    }, MANY);
    const saved = learner.page.waitForResponse(
      (response) =>
        response.url().endsWith('/commit') &&
        response.request().postDataJSON().cmi.suspend_data.length === MANY + 1,
    );
    await add([0xd83d]);
    assert.equal((await saved).status(), 200);
    // Completes the character, and ends in half of another one.
    await add([0xde00, 0x62, 0xd83d]);
    await learner.page.close({ runBeforeUnload: true });
    await until(
      async () => (await suspendDataOf(service, registrationId)).length === MANY + 4,
      'the service receives what the closing page sends',
    );
    assert.equal((await service.api.get(`/registrations/${registrationId}`)).body.success, 'PASS');
    await using other = await newLearner(await sharedBrowser());
    await other.open(service, registrationId);
    await other.given();
    const codes = await other.course.locator('body').evaluate(() => {
      const { sco } = globalThis as unknown as { sco: Record<string, (...values: string[]) => string> };
      const end = sco.LMSGetValue?.('cmi.suspend_data').slice(-5) ?? '';
      return Array.from({ length: end.length }, (_, at) => end.charCodeAt(at));
    });
    assert.deepEqual(codes, [0xe4, 0xd83d, 0xde00, 0x62, 0xd83d]);
  });
});

describe('hiding the page of a course that has ended and is not saved yet', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  /** Ends a course. `answer` decides on each request of the page to save, by its number. */
  const endCourse = async (learner: Learner, answer: (route: Route, number: number) => Promise<unknown>) => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await learner.open(service, registrationId);
    await learner.given();
    let count = 0;
    await learner.page.route('**/commit', (route) => answer(route, ++count));
    await learner.course.locator('#pass').click();
    return registrationId;
  };
  /** Makes the page behave as if another tab were shown. */
  const hide = (learner: Learner) =>
    learner.page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
      document.dispatchEvent(new Event('visibilitychange'));
    });
  const isSaved = async (learner: Learner, registrationId: string) => {
    await learner.page.getByText('The course has ended and your work is saved.').waitFor();
    assert.equal((await service.api.get(`/registrations/${registrationId}`)).body.success, 'PASS');
  };

  it('saves, and the page says that the course has ended', async () => {
    await using learner = await newLearner(await sharedBrowser());
    const failures = Promise.withResolvers<void>();
    let isLost = true;
    const registrationId = await endCourse(learner, async (route, number) => {
      if (!isLost) return await route.continue();
      await route.abort();
      // The next try is some seconds away, so the hidden page is the first to send.
      if (number === 3) failures.resolve();
    });
    await failures.promise;
    isLost = false;
    await hide(learner);
    await isSaved(learner, registrationId);
  });

  it('saves even if its request fails after the time of the next try', async () => {
    await using learner = await newLearner(await sharedBrowser());
    const failures = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<Route>();
    const registrationId = await endCourse(learner, async (route, number) => {
      if (number > 3) return await route.continue();
      if (number === 3) return sent.resolve(route);
      await route.abort();
      if (number === 2) failures.resolve();
    });
    await failures.promise;
    await hide(learner);
    const route = await sent.promise;
    // The next try is due two seconds after the second failure, and finds nothing to send.
    await learner.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 2_500)));
    await route.abort();
    await isSaved(learner, registrationId);
  });

  it('saves even if the response to an earlier save arrives last', async () => {
    await using learner = await newLearner(await sharedBrowser());
    const held = Promise.withResolvers<Route>();
    const hiddenSaved = learner.page.waitForResponse('**/commit');
    const registrationId = await endCourse(learner, async (route, number) => {
      if (number > 1) return await route.continue();
      held.resolve(route);
    });
    const first = await held.promise;
    await hide(learner);
    await hiddenSaved;
    await first.continue();
    await isSaved(learner, registrationId);
  });
});

describe('leaving a course that calls the service itself', () => {
  it('does not show that everything is saved if the connection is lost', async () => {
    await using service = await startTestService();
    const { registrationId } = await registerTo(service, aiccFiles());
    await using learner = await newLearner(await sharedBrowser());
    await learner.open(service, registrationId);
    await learner.course.getByText('A lesson.').waitFor();
    await learner.page.context().setOffline(true);
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await learner.page.getByRole('heading', { name: 'Your last work may not be saved' }).waitFor();
    assert.equal(await learner.page.getByText('Your work is saved').count(), 0);
  });

  it('shows that work may be lost before the learner returns to where the course was found', async () => {
    await using service = await startTestService();
    const { registrationId } = await registerTo(service, aiccFiles());
    await using learner = await newLearner(await sharedBrowser());
    const returnUrl = 'https://portal.example/courses';
    const path = `/registrations/${registrationId}/launch`;
    const { body } = await service.api.post(path, { return_url: returnUrl });
    await learner.page.goto(body.launch_url);
    await learner.course.getByText('A lesson.').waitFor();
    await learner.page.context().setOffline(true);
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await learner.page.getByRole('heading', { name: 'Your last work may not be saved' }).waitFor();
    await learner.page.context().setOffline(false);
    await learner.page.route(returnUrl, (route) => route.fulfill({ body: 'The portal.' }));
    await learner.page.getByRole('button', { name: 'Continue' }).click();
    await learner.page.getByText('The portal.').waitFor();
  });
});

describe('closing the tab of a course that has begun and reported nothing', () => {
  it('saves that it was opened, and for how long', async () => {
    await using service = await startTestService();
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(await sharedBrowser());
    await learner.page.clock.install();
    await learner.open(service, registrationId);
    await learner.given();
    await learner.page.clock.fastForward(40 * 60_000);
    await learner.page.close({ runBeforeUnload: true });
    const found = async () => (await service.api.get(`/registrations/${registrationId}`)).body;
    await until(async () => (await found()).completion === 'Incomplete', 'the service receives the time');
    assert.equal(Math.floor((await found()).duration / 60), 40);
  });
});

describe('closing the tab while the course that the learner exits is still being saved', () => {
  it('sends what the course reported last', async () => {
    await using service = await startTestService();
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(await sharedBrowser());
    await learner.open(service, registrationId);
    await learner.given();
    // The first save has no response, so the last one cannot begin.
    const arrived = learner.page.waitForRequest('**/commit');
    const held = Promise.withResolvers<void>();
    await learner.page.route('**/commit', (route) => held.promise.then(() => route.abort()), { times: 1 });
    await learner.passesAtTheEnd();
    await learner.calls(['LMSCommit', '']);
    await arrived;
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    // On a busy machine, the save may already be overdue.
    await learner.page.getByRole('heading', { name: /is closing|not saved yet/ }).waitFor();
    await learner.page.close({ runBeforeUnload: true });
    await until(
      async () => (await service.api.get(`/registrations/${registrationId}`)).body.completion === 'Completed',
      'the service receives what the course reported',
    );
    held.resolve();
  });
});
