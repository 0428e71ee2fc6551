import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { aiccFiles } from '../support/course-packages.ts';
import { receivedStatuses } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import { until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { type Classroom, type Learner, newLearner, openClassroom } from './support/learner.ts';

/** An AICC unit whose last requests are synchronous. */
const AICC_PAGE = `<!doctype html><html lang="en"><title>Unit</title><p id="ready">Ready</p><script>
var given = new URLSearchParams(location.search);
function hacp(command, data) {
  var request = new XMLHttpRequest();
  request.open('POST', given.get('AICC_URL'), false);
  request.setRequestHeader('Content-Type', 'application/x-www-form-urlencoded');
  request.send('command=' + command + '&version=4.0&session_id=' + encodeURIComponent(given.get('AICC_SID')) +
    (data ? '&aicc_data=' + encodeURIComponent(data) : ''));
  return request.status;
}
hacp('GetParam');
addEventListener('unload', function () {
  hacp('PutParam', '[Core]\\r\\nLesson_Location=last-page\\r\\nLesson_Status=P\\r\\nScore=91\\r\\nTime=00:02:00\\r\\n');
  hacp('ExitAU');
});
</script></html>`;

/** A unit whose last requests are synchronous, go to another server, and record the statuses of the responses. */
const reportingTo = (
  server: string,
  beforeThat = '',
) => `<!doctype html><html lang="en"><title>Unit</title><p id="ready">Ready</p><script>
addEventListener('unload', function () {
  ${beforeThat}
  parent.statuses = [40000, 40000, 10000].map(function (length, at) {
    var request = new XMLHttpRequest();
    request.open('POST', '${server}/' + (at + 1), false);
    try {
      request.send('x'.repeat(length));
    } catch (error) {}
    return request.status;
  });
});
</script></html>`;

/** Shows the unit in a frame that is added only once the page has been there for a while. */
const FRAME_PAGE = `<!doctype html><html lang="en"><title>Unit</title><script>
setTimeout(function () {
  var frame = document.createElement('iframe');
  frame.src = 'unit.html' + location.search;
  document.body.append(frame);
});
</script><body></body></html>`;

/** A cmi5 unit in its own window, whose last request is synchronous. */
const CMI5_PAGE = `<!doctype html><html lang="en"><title>Unit</title><p id="started"></p><script>
var given = new URLSearchParams(location.search);
function ask(method, url, body, headers) {
  var request = new XMLHttpRequest();
  request.open(method, url, false);
  for (var name in headers) request.setRequestHeader(name, headers[name]);
  request.send(body);
  return request;
}
var token = JSON.parse(ask('POST', given.get('fetch')).responseText)['auth-token'];
var headers = { Authorization: 'Basic ' + token, 'Content-Type': 'application/json', 'X-Experience-API-Version': '1.0.3' };
var who = 'agent=' + encodeURIComponent(given.get('actor'));
var data = JSON.parse(ask('GET', given.get('endpoint') + 'activities/state?' + who + '&stateId=LMS.LaunchData&activityId=' +
  encodeURIComponent(given.get('activityId')) + '&registration=' + given.get('registration'), null, headers).responseText);
ask('GET', given.get('endpoint') + 'agents/profile?profileId=cmi5LearnerPreferences&' + who, null, headers);
function statement(verb, result, categories) {
  var context = JSON.parse(JSON.stringify(data.contextTemplate));
  context.registration = given.get('registration');
  context.contextActivities.category = ['cmi5'].concat(categories || []).map(function (name) {
    return { id: 'https://w3id.org/xapi/cmi5/context/categories/' + name };
  });
  return {
    id: crypto.randomUUID(), actor: JSON.parse(given.get('actor')), verb: { id: 'http://adlnet.gov/expapi/verbs/' + verb },
    object: { id: given.get('activityId') }, timestamp: new Date().toISOString(), result: result, context: context,
  };
}
var say = function (statements) { return ask('POST', given.get('endpoint') + 'statements', JSON.stringify(statements), headers).status; };
document.getElementById('started').textContent = say([statement('initialized')]) === 200 ? 'started' : 'failed';
addEventListener('unload', function () {
  say([
    statement('completed', { completion: true, duration: 'PT30S' }, ['moveon']),
    statement('passed', { success: true, duration: 'PT30S', score: { scaled: 0.9 } }, ['moveon']),
    statement('terminated', { duration: 'PT1M' }),
  ]);
});
</script></html>`;

/** How long a request takes, so that the page is gone before it could arrive. */
const LATENCY_MS = 300;

describe('the last data of a course that sends it in a synchronous request', () => {
  let classroom: Classroom;
  let { service, browser, target } = {} as Classroom;
  aroundTests(async (parts) => {
    classroom = parts.use(await openClassroom());
    ({ service, browser, target } = classroom);
  });

  const aiccCourse = (page: string) => ({ ...aiccFiles(), 'index.html': page, 'unit.html': AICC_PAGE });
  const passes = async (registrationId: string, score: number) => {
    const recorded = async () => (await service.api.get(`/registrations/${registrationId}`)).body;
    await until(async () => (await recorded()).success === 'PASS', 'the last words are recorded');
    const { completion, score: found } = await recorded();
    assert.deepEqual([completion, found], ['Completed', score]);
  };

  for (const [when, end, leave] of [
    ['unload', 'is closed', (page: Page) => page.close({ runBeforeUnload: true })],
    ['pagehide', 'is closed', (page: Page) => page.close({ runBeforeUnload: true })],
    ['beforeunload', 'goes elsewhere', (page: Page) => page.goto('about:blank')],
  ] as const) {
    it(`arrives when the tab ${end} and it is sent at ${when}`, async () => {
      const page = AICC_PAGE.replace("'unload'", `'${when}'`);
      const { registrationId } = await registerTo(service, aiccCourse(page));
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      // Without a click, browsers may ignore a page's listeners for leaving it.
      await learner.course.locator('#ready').click();
      await leave(learner.page);
      await passes(registrationId, 91);
    });
  }

  it('arrives when the learner leaves through the exit', async () => {
    const { registrationId } = await registerTo(service, aiccCourse(AICC_PAGE));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.course.locator('#ready').waitFor();
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await passes(registrationId, 91);
    await learner.page.getByRole('heading', { name: /You have .*finished/ }).waitFor();
  });

  it('arrives through the exit even if it is asynchronous and sent at pagehide', async () => {
    const page = AICC_PAGE.replace("'unload'", "'pagehide'").replace(
      "given.get('AICC_URL'), false",
      "given.get('AICC_URL'), true",
    );
    const { registrationId } = await registerTo(service, aiccCourse(page));
    await using learner = await newLearner(browser);
    // Without the player, the browser would abort a request that takes a while.
    await learner.page.route('**/aicc', async (route) => {
      await setTimeout(LATENCY_MS);
      await route.continue();
    });
    await learner.open(service, registrationId);
    await learner.course.locator('#ready').waitFor();
    await exit(learner);
    await heading(learner, 'You have finished this course');
    await passes(registrationId, 91);
  });

  /** Opens an AICC unit that suspends with this data. `answer` responds to its requests. */
  const openSuspending = async (
    learner: Learner,
    answer: (route: Route, command: string) => Promise<unknown>,
    data = '',
  ) => {
    const page = AICC_PAGE.replace('Lesson_Status=P', 'Lesson_Status=i,s').replace(
      'Time=00:02:00\\r\\n',
      `Time=00:02:00\\r\\n${data}`,
    );
    const { registrationId } = await registerTo(service, aiccCourse(page));
    await learner.open(service, registrationId);
    await learner.course.locator('#ready').waitFor();
    await learner.page.route('**/aicc', (route) =>
      answer(route, new URLSearchParams(route.request().postData() ?? '').get('command') ?? ''),
    );
    return registrationId;
  };
  const exit = ({ page }: Learner) => page.getByRole('button', { name: 'Exit' }).click();
  const heading = ({ page }: Learner, name: string | RegExp) => page.getByRole('heading', { name }).waitFor();

  it('arrives in its order when the learner leaves through the exit', async () => {
    await using learner = await newLearner(browser);
    const held = Promise.withResolvers<Route>();
    const commands: string[] = [];
    const registrationId = await openSuspending(learner, async (route, command) => {
      commands.push(command);
      if (command === 'PutParam') held.resolve(route);
      else await route.continue();
    });
    await exit(learner);
    const first = await held.promise;
    // Requests that the page sent before this one have arrived as well.
    await learner.page.evaluate(async () => (await fetch(location.href)).text());
    assert.deepEqual(commands, ['PutParam']);
    // On a busy machine, it may already be overdue.
    await heading(learner, /^(The course is closing|Your work is not saved yet)/);
    await first.continue();
    await heading(learner, 'You have not finished this course yet');
    assert.deepEqual(commands, ['PutParam', 'ExitAU']);
    assert.equal((await service.api.get(`/registrations/${registrationId}`)).body.score, 91);
    const heard = () => receivedStatuses(target, registrationId).map(({ score }) => score);
    await until(() => heard().includes(91), 'the target hears of the result');
    assert.deepEqual(heard(), [null, 91], 'and of no other one since the unit was opened');
  });

  it('is numbered when the tab goes elsewhere', async () => {
    await using learner = await newLearner(browser);
    // In every page, before the player replaces it.
    await learner.page.addInitScript(() => {
      const { fetch: send } = window;
      window.fetch = (url, init) => {
        const number = new Headers(init?.headers).get('Coursewire-Last-Request');
        if (number !== null)
          localStorage.setItem('numbers', `${localStorage.getItem('numbers') ?? ''}${number},`);
        return send(url, init);
      };
    });
    const registrationId = await openSuspending(learner, (route) => route.continue());
    await learner.course.locator('#ready').click();
    await learner.page.goto('about:blank');
    await learner.open(service, registrationId);
    const numbers = (await learner.page.evaluate(() => localStorage.getItem('numbers'))) ?? '';
    assert.match(numbers, /^([0-9a-f]{24}) 1,\1 2,$/);
    const { api } = service;
    const recorded = async () => (await api.get(`/registrations/${registrationId}`)).body.score;
    await until(async () => (await recorded()) === 91, 'the last words are recorded');
  });

  it('arrives through the exit even if it is more than a page that is closed can send', async () => {
    await using learner = await newLearner(browser);
    const registrationId = await openSuspending(
      learner,
      (route) => route.continue(),
      `[Core_Lesson]\\r\\n${'x'.repeat(100_000)}\\r\\n`,
    );
    await exit(learner);
    await heading(learner, 'You have not finished this course yet');
    const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
    assert.match(JSON.stringify(body.attempts[0].units[0].data), /x{100000}/);
  });

  it('is not shown as saved if it does not arrive, and what follows it is not sent', async () => {
    await using learner = await newLearner(browser);
    const commands: string[] = [];
    const registrationId = await openSuspending(learner, async (route, command) => {
      commands.push(command);
      await route.fulfill({ status: 502, contentType: 'text/html', body: 'bad gateway' });
    });
    await exit(learner);
    await heading(learner, 'Your last work may not be saved');
    assert.deepEqual(commands, ['PutParam']);
    assert.equal((await service.api.get(`/registrations/${registrationId}`)).body.score, null);
  });

  for (const [what, beforeThat, expected, paths] of [
    ['', (_url: string) => '', [200, 0, 200], ['/1', '/3']],
    [
      ' after a beacon',
      (url: string) => `navigator.sendBeacon('${url}/beacon', 'x'.repeat(40000));`,
      [0, 0, 200],
      ['/3', '/beacon'],
    ],
  ] as const) {
    it(`is not called received by another server if the browser has no room to send it${what}`, async () => {
      // A route of Playwright may miss requests that outlive their page.
      await using records = await startTarget();
      const unit = reportingTo(records.url, beforeThat(records.url));
      const { registrationId } = await registerTo(service, aiccCourse(unit));
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      await learner.course.locator('#ready').waitFor();
      await exit(learner);
      await heading(learner, 'You have not finished this course yet');
      const statuses = await learner.page.evaluate(
        () => (globalThis as unknown as { statuses: number[] }).statuses,
      );
      assert.deepEqual(statuses, expected);
      const arrived = () => records.requests.map(({ path }) => path).sort();
      await until(() => arrived().length >= 2, 'the requests arrive, for which the page does not wait');
      assert.deepEqual(arrived(), paths);
    });
  }

  it('arrives from a frame that the course added itself', async () => {
    const { registrationId } = await registerTo(service, aiccCourse(FRAME_PAGE));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.course.frameLocator('iframe').locator('#ready').waitFor();
    await learner.page.close({ runBeforeUnload: true });
    await passes(registrationId, 91);
  });

  it('arrives from a course in its own window', async () => {
    const unit = {
      id: 'https://example.com/course/one',
      moveOn: 'CompletedAndPassed',
      launchMethod: 'OwnWindow',
    };
    const { registrationId } = await registerTo(service, {
      ...cmi5Course([unit]),
      'start.html': CMI5_PAGE,
    });
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    const [opened] = await Promise.all([
      learner.page.waitForEvent('popup'),
      learner.page.getByRole('button', { name: 'Open the course' }).click(),
    ]);
    await opened.getByText('started').waitFor();
    await exit(learner);
    await heading(learner, 'You have finished this course');
    await passes(registrationId, 90);
  });
});
