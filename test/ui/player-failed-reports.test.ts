import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { aiccFiles, xapiFiles } from '../support/course-packages.ts';
import { registerTo } from '../support/registered-course.ts';
import { until } from '../support/service.ts';
import { onlyFirst } from './support/first-request.ts';
import { type Classroom, type Learner, newLearner, openClassroom } from './support/learner.ts';

/** How an xAPI course sends a statement. */
type Sending = 'fetch' | 'keepalive' | 'Request' | 'XMLHttpRequest';

/** The page of an xAPI course. `say` sends a statement, and `sayAt` does it at an event of the window. */
const XAPI_PAGE = `<!doctype html><html lang="en"><title>Unit</title><p id="ready">Ready</p><script>
var given = new URLSearchParams(location.search);
var headers = { Authorization: given.get('auth'), 'Content-Type': 'application/json', 'X-Experience-API-Version': '1.0.3' };
function say(verb, result, how, id) {
  var url = given.get('endpoint') + 'statements';
  var body = JSON.stringify({
    id: id, actor: JSON.parse(given.get('actor')), verb: { id: 'http://adlnet.gov/expapi/verbs/' + verb },
    object: { id: given.get('activity_id') }, result: result, context: { registration: given.get('registration') },
  });
  var request = { method: 'POST', headers: headers, body: body, keepalive: how === 'keepalive' };
  if (how === 'Request') return fetch(new Request(url, request)).then(function (r) { return r.json(); });
  if (how !== 'XMLHttpRequest') return fetch(url, request).then(function (r) { return r.json(); });
  return new Promise(function (resolve, reject) {
    var sent = new XMLHttpRequest();
    sent.open('POST', url);
    for (var name in headers) sent.setRequestHeader(name, headers[name]);
    sent.onload = resolve;
    sent.onerror = reject;
    sent.send(body);
  });
}
function sayAt(event, verb, result, how) {
  addEventListener(event, function () { say(verb, result, how).catch(function () {}); });
}
</script></html>`;

/** The page of an AICC course that sends its last message as a beacon. */
const BEACON_PAGE = `<!doctype html><html lang="en"><title>Unit</title><p id="ready">Ready</p><script>
var given = new URLSearchParams(location.search);
addEventListener('pagehide', function () {
  navigator.sendBeacon(given.get('AICC_URL'), new URLSearchParams({ command: 'PutParam', version: '4.0',
    session_id: given.get('AICC_SID'), aicc_data: '[Core]\\r\\nLesson_Status=P\\r\\nScore=91\\r\\nTime=00:02:00\\r\\n' }));
});
</script></html>`;

const PASSED = { completion: true, success: true };
/** The service refuses this. */
const INVALID = { completion: 'yes' };
/** How long a request takes, so that the page is gone before it could arrive. */
const LATENCY_MS = 300;

const RETURN_URL = 'https://portal.example/courses';
const LOST = 'Your last work may not be saved';
const REFUSED = 'Some of your work could not be saved';
const UNFINISHED = 'You have not finished this course yet';

const later = async (route: Route) => {
  await setTimeout(LATENCY_MS);
  await route.continue();
};
const fail = (route: Route) => route.abort();
const failAfterwards = async (route: Route) => {
  await route.fetch();
  await route.abort();
};

describe('the reports of a course that calls the service itself', () => {
  let classroom: Classroom;
  let { service, browser } = {} as Classroom;
  aroundTests(async (parts) => {
    classroom = parts.use(await openClassroom());
    ({ service, browser } = classroom);
  });

  /** Opens a course that reports to the service itself. Returns its registration. */
  const open = async (
    learner: Learner,
    files: Record<string, string> = { ...xapiFiles(), 'index.html': XAPI_PAGE },
  ) => {
    const { registrationId } = await registerTo(service, files);
    await learner.open(service, registrationId);
    await learner.course.locator('#ready').waitFor();
    return registrationId;
  };
  const route = ({ page }: Learner, handle: (route: Route) => Promise<unknown>, path = '**/xapi/**') =>
    page.context().route(path, handle);
  const restore = ({ page }: Learner) => page.context().unrouteAll();
  const exit = ({ page }: Learner) => page.getByRole('button', { name: 'Exit' }).click();
  const heading = ({ page }: Learner, name: string) => page.getByRole('heading', { name }).waitFor();
  const notice = ({ page }: Learner, text: string) => page.locator('.notice', { hasText: text }).waitFor();
  const recorded = async (registrationId: string) =>
    (await service.api.get(`/registrations/${registrationId}`)).body.completion;
  const untilCompleted = (id: string) =>
    until(async () => (await recorded(id)) === 'Completed', 'the last statement is recorded');

  /** Lets the course send a statement. Returns whether it got a response. */
  const say = (
    { course }: Learner,
    ...statement: [verb: string, result?: object, how?: Sending, id?: string]
  ) =>
    course.locator('body').evaluate(async (_, given) => {
      const { say } = globalThis as unknown as { say: (...given: unknown[]) => Promise<unknown> };
      return await say(...given).then(
        () => true,
        () => false,
      );
    }, statement);
  const sayAt = (
    { course }: Learner,
    ...given: [event: string, verb: string, result: object, how: Sending]
  ) =>
    course.locator('body').evaluate((_, statement) => {
      const { sayAt } = globalThis as unknown as { sayAt: (...given: unknown[]) => void };
      sayAt(...statement);
    }, given);

  // Each way of sending at each moment, once.
  for (const [how, event, failing] of [
    ['fetch', 'pagehide', 'unload'],
    ['keepalive', 'unload', 'pagehide'],
    ['Request', 'unload', 'pagehide'],
    ['XMLHttpRequest', 'pagehide', 'unload'],
  ] as const) {
    it(`arrive before the page says so, if they are sent with ${how} at ${event}`, async () => {
      await using learner = await newLearner(browser);
      const registrationId = await open(learner);
      await sayAt(learner, event, 'completed', PASSED, how);
      await route(learner, later);
      await exit(learner);
      await heading(learner, 'You have finished this course');
      assert.equal(await recorded(registrationId), 'Completed');
    });

    it(`are not shown as saved if they fail and are sent with ${how} at ${failing}`, async () => {
      await using learner = await newLearner(browser);
      await open(learner);
      await sayAt(learner, failing, 'completed', PASSED, how);
      await route(learner, fail);
      await exit(learner);
      await heading(learner, LOST);
    });
  }

  it('arrive in their order if they are sent with fetch', async () => {
    await using learner = await newLearner(browser);
    await open(learner);
    const verbs: string[] = [];
    await sayAt(learner, 'pagehide', 'answered', {}, 'fetch');
    await sayAt(learner, 'pagehide', 'completed', PASSED, 'XMLHttpRequest');
    await route(learner, async (each) => {
      verbs.push(/verbs\/(\w+)/.exec(each.request().postData() ?? '')?.[1] ?? '');
      if (verbs.length === 1) await setTimeout(LATENCY_MS);
      verbs.push('sent');
      await each.continue();
    });
    await exit(learner);
    await heading(learner, 'You have finished this course');
    assert.deepEqual(verbs, ['answered', 'sent', 'completed', 'sent']);
  });

  for (const [what, handle, title] of [
    ['arrive', later, 'You have finished this course'],
    ['are not called saved', fail, LOST],
  ] as const) {
    it(`${what} if they are beacons${handle === fail ? ' that fail' : ''}`, async () => {
      await using learner = await newLearner(browser);
      await open(learner, { ...aiccFiles(), 'index.html': BEACON_PAGE });
      await route(learner, handle, '**/aicc');
      await exit(learner);
      await heading(learner, title);
    });
  }

  it('are awaited if the learner exits before they have a response', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await open(learner);
    await route(learner, later);
    void say(learner, 'completed', PASSED).catch(() => {});
    await learner.page.waitForRequest('**/xapi/statements');
    await exit(learner);
    await heading(learner, 'You have finished this course');
    assert.equal(await recorded(registrationId), 'Completed');
  });

  it('are not shown as saved if one was lost before, though others arrive', async () => {
    await using learner = await newLearner(browser);
    await open(learner);
    await route(learner, fail);
    assert.equal(await say(learner, 'completed', PASSED), false);
    await restore(learner);
    await notice(learner, LOST);
    assert.equal(await say(learner, 'experienced'), true);
    await exit(learner);
    await heading(learner, LOST);
  });

  for (const [how, what, lose] of [
    ['fetch', 'was stored although its response was lost', failAfterwards],
    ['Request', 'was lost', fail],
    ['XMLHttpRequest', 'was lost', fail],
  ] as const) {
    it(`are saved once the course has sent again what ${what} (${how})`, async () => {
      await using learner = await newLearner(browser);
      await open(learner);
      const statement = ['experienced', {}, how, crypto.randomUUID()] as const;
      await route(learner, lose);
      assert.equal(await say(learner, ...statement), false);
      await restore(learner);
      assert.equal(await say(learner, ...statement), true);
      await exit(learner);
      await heading(learner, UNFINISHED);
    });
  }

  it('are announced again if further ones are lost, and not if the same one fails again', async () => {
    await using learner = await newLearner(browser);
    await learner.page.clock.install();
    await open(learner);
    const said = learner.page.getByRole('alert');
    const texts: string[] = [];
    await learner.page.exposeFunction('heard', (text: string) => texts.push(text));
    await said.evaluate((region) => {
      const { heard } = globalThis as unknown as { heard(text: string | null): void };
      new MutationObserver(() => heard(region.textContent)).observe(region, { childList: true });
    });
    const lose = async (id: string) => {
      await route(learner, fail, '**/xapi/**');
      await say(learner, 'experienced', {}, 'fetch', id);
      await restore(learner);
      const polled = learner.page.waitForResponse('**/units');
      await learner.page.clock.fastForward(3_000);
      // Not until its end, which Playwright sometimes misses after another tab was closed.
      await polled;
    };
    const [first, second, third] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
    await lose(first);
    await lose(first);
    await lose(second);
    const announced = () => texts.filter(Boolean).length;
    await until(async () => announced() >= 2, 'the second loss is announced');
    await learner.page.clock.fastForward(60_000);
    await learner.page.locator('.notice').waitFor({ state: 'hidden' });
    assert.equal(announced(), 2, 'the library of the course only tries the first one again');
    await lose(third);
    await notice(learner, LOST);
  });

  /** Opens a course from a portal, to which the learner returns, and completes it. */
  const completeFromPortal = async (learner: Learner) => {
    const { registrationId } = await registerTo(service, { ...xapiFiles(), 'index.html': XAPI_PAGE });
    const path = `/registrations/${registrationId}/launch`;
    const { body } = await service.api.post(path, { return_url: RETURN_URL });
    await learner.page.route(RETURN_URL, (each) => each.fulfill({ body: 'The portal.' }));
    await learner.page.goto(body.launch_url);
    await learner.course.locator('#ready').waitFor();
    assert.equal(await say(learner, 'completed', PASSED), true);
  };

  it('are called saved if the service has responded to all of them, though the connection is lost at the exit', async () => {
    await using learner = await newLearner(browser);
    await completeFromPortal(learner);
    await route(learner, fail, '**/units');
    await exit(learner);
    await heading(learner, 'Your work is saved');
    assert.equal(await learner.page.getByText('Not completed yet').count(), 0, 'the page does not know');
    await learner.page.getByRole('button', { name: 'Continue' }).click();
    await learner.page.getByText('The portal.').waitFor();
  });

  it('do not keep the learner from the portal if only the first question for the result fails at the exit', async () => {
    await using learner = await newLearner(browser);
    await completeFromPortal(learner);
    await route(learner, onlyFirst(fail), '**/units');
    await exit(learner);
    await learner.page.getByText('The portal.').waitFor();
  });

  it('may not be saved while the connection is lost, as the page says without one of them', async () => {
    await using learner = await newLearner(browser);
    await learner.page.clock.install();
    await open(learner);
    await route(learner, fail, '**/units');
    await learner.page.clock.fastForward(15_000);
    await notice(learner, 'The service cannot be reached. What you do now may not be saved.');
    await restore(learner);
    await learner.page.clock.fastForward(15_000);
    await learner.page.locator('.notice').waitFor({ state: 'hidden' });
    await exit(learner);
    await heading(learner, UNFINISHED);
  });

  it('may not be saved if they were sent while the connection was lost, as the page says once it is back', async () => {
    await using learner = await newLearner(browser);
    await learner.page.clock.install();
    await open(learner);
    await route(learner, fail, '**/units');
    await learner.page.clock.fastForward(15_000);
    await notice(learner, 'The service cannot be reached.');
    await route(learner, fail);
    await say(learner, 'experienced');
    await restore(learner);
    await learner.page.clock.fastForward(15_000);
    await notice(learner, 'The service can be reached again. What you did meanwhile may not be saved.');
  });

  it('are not shown as saved if the service refuses one, and the page says so at once', async () => {
    await using learner = await newLearner(browser);
    await open(learner);
    await say(learner, 'completed', INVALID);
    await notice(learner, REFUSED);
    await exit(learner);
    await heading(learner, REFUSED);
  });

  it('are not shown as saved if the service refuses the last one', async () => {
    await using learner = await newLearner(browser);
    await open(learner);
    await sayAt(learner, 'pagehide', 'completed', INVALID, 'XMLHttpRequest');
    await exit(learner);
    await heading(learner, REFUSED);
  });

  it('are not shown as saved if a login page of a network responds in place of the service', async () => {
    await using learner = await newLearner(browser);
    await open(learner);
    await sayAt(learner, 'pagehide', 'completed', PASSED, 'fetch');
    await route(learner, (each) => each.fulfill({ contentType: 'text/html', body: '<html>Sign in' }));
    await exit(learner);
    await heading(learner, LOST);
  });

  for (const how of ['fetch', 'XMLHttpRequest'] as const)
    it(`are not shown as saved if a proxy responds to one (${how}), and the course then goes to its next page`, async () => {
      await using learner = await newLearner(browser);
      await open(learner);
      await route(learner, (each) =>
        each.fulfill({ status: 503, contentType: 'text/html', body: '<html>Deploying' }),
      );
      await learner.course.locator('body').evaluate(
        async (_, given) => {
          const { say } = globalThis as unknown as { say: (...given: unknown[]) => Promise<unknown> };
          await say(...given).catch(() => {});
          window.setTimeout(() => location.reload());
        },
        ['completed', PASSED, how] as const,
      );
      await learner.course.locator('#ready').waitFor();
      await restore(learner);
      await exit(learner);
      await heading(learner, LOST);
    });

  it('are those of the course even if it replaces fetch', async () => {
    await using learner = await newLearner(browser);
    await open(learner);
    const calls = await learner.course.locator('body').evaluate(async () => {
      const course = globalThis as unknown as { say: (verb: string) => Promise<unknown>; calls: number };
      const { fetch: send } = window;
      course.calls = 0;
      window.fetch = (...given) => {
        course.calls += 1;
        return send(...given);
      };
      await course.say('experienced');
      return course.calls;
    });
    assert.equal(calls, 1);
    await exit(learner);
    await heading(learner, UNFINISHED);
  });

  for (const [how, where, leave] of [
    ['fetch', 'goes elsewhere', (page: Page) => page.goto('about:blank')],
    ['Request', 'is closed', (page: Page) => page.close({ runBeforeUnload: true })],
  ] as const) {
    it(`arrive when the tab ${where} while they are sent with ${how}`, async () => {
      await using learner = await newLearner(browser);
      const registrationId = await open(learner);
      await learner.course.locator('#ready').click();
      await sayAt(learner, 'pagehide', 'completed', PASSED, how);
      await leave(learner.page);
      await untilCompleted(registrationId);
    });
  }

  it('all arrive when the tab is closed while a course sends more of them than a browser has connections', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await open(learner);
    await learner.course.locator('#ready').click();
    for (let n = 0; n < 10; n++) await sayAt(learner, 'beforeunload', 'experienced', {}, 'fetch');
    await sayAt(learner, 'beforeunload', 'completed', PASSED, 'fetch');
    await learner.page.close({ runBeforeUnload: true });
    await untilCompleted(registrationId);
  });
});
