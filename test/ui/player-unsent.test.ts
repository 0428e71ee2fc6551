import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { receivedResults, receivedStatuses } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import { until } from '../support/service.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { type Classroom, Learner, newLearner, openClassroom } from './support/learner.ts';

const RECOVERED = 'Your work from before the connection was lost is now saved.';

/** A key that a page stores when it is closed, after everything else that it sends and stores then. */
const CLOSED = 'closed';

describe('a course whose tab is closed while the connection is lost', () => {
  let classroom: Classroom;
  let { service, browser, target } = {} as Classroom;
  // The browser's own offline mode ends with a tab, before the last request of the tab is sent.
  let connection: TcpProxy;
  before(async () => {
    const content = { host: '127.0.0.1', port: await freePort() };
    connection = await startTcpProxy(content);
    classroom = await openClassroom({
      content_port: content.port,
      content_base_url: `http://127.0.0.1:${connection.port}`,
    });
    ({ service, browser, target } = classroom);
  });
  after(async () => {
    await connection[Symbol.asyncDispose]();
    await classroom[Symbol.asyncDispose]();
  });

  const set = (learner: Learner, values: Record<string, string>) =>
    learner.course.locator('body').evaluate((_body, pairs) => {
      type Sco = Record<string, (...values: string[]) => string>;
      const { sco } = globalThis as unknown as { sco: Sco };
      for (const [name, value] of Object.entries(pairs)) (sco.LMSSetValue ?? sco.SetValue)?.(name, value);
      (sco.LMSCommit ?? sco.Commit)?.('');
    }, values);
  /** Learns without a connection, and closes the tab, but not the browser. */
  const learnOffline = async (learner: Learner, work: () => Promise<unknown>) => {
    const { page } = learner;
    const context = page.context();
    connection.cut();
    await work();
    await page.getByText('The service cannot be reached.').waitFor();
    await page.evaluate((key) => addEventListener('pagehide', () => localStorage.setItem(key, '')), CLOSED);
    const next = await context.newPage();
    await page.close({ runBeforeUnload: true });
    await until(
      async () =>
        (await context.storageState()).origins.some(({ localStorage: kept }) =>
          kept.some(({ name }) => name === CLOSED),
        ),
      'the page is closed',
    );
    // Connections are refused in their order. So when this one is, the last requests of the page have failed, too.
    await once(
      connect(connection.port, '127.0.0.1').on('error', () => {}),
      'close',
    );
    connection.restore();
    return next;
  };
  const reopened = async (registrationId: string, page: Learner['page']) => {
    const learner = new Learner(page);
    await learner.open(service, registrationId);
    return { learner, given: await learner.given() };
  };

  it('sends everything at the next launch in that browser, before the course starts', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const much = 'ä'.repeat(200_000);
    const next = await learnOffline(learner, async () => {
      await set(learner, { 'cmi.core.lesson_location': 'page-3', 'cmi.suspend_data': much });
      await learner.page.getByText('The service cannot be reached.').waitFor();
      // The last data of the page that is closed counts as well.
      await set(learner, { 'cmi.core.lesson_location': 'page-4', 'cmi.core.exit': 'suspend' });
    });
    const [{ learner: again, given }] = await Promise.all([
      reopened(registrationId, next),
      // It disappears after a while, which may be over on a busy machine once the course is open.
      next.getByText(RECOVERED).waitFor(),
    ]);
    assert.deepEqual(
      [given['core.lesson_location'], given.suspend_data, given['core.entry']],
      ['page-4', `${much.length} characters`, 'resume'],
    );
    await again.page.reload();
    await again.given();
    assert.equal(await again.page.getByText(RECOVERED).count(), 0, 'it is sent once');
  });

  it('causes the events of its result once', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const pass = async () => {
      await learner.course.locator('#pass').click();
      await learner.page.getByText('The service cannot be reached.').waitFor();
      assert.deepEqual(receivedStatuses(target, registrationId), []);
    };
    const next = await learnOffline(learner, pass);
    const { given } = await reopened(registrationId, next);
    assert.equal(given['core.lesson_mode'], 'review');
    await until(() => receivedStatuses(target, registrationId).length > 0, 'the result is heard of');
    assert.deepEqual(receivedResults(target, registrationId), [['Completed', 'PASS', 85]]);
  });

  it('resumes a SCORM 2004 course where it was left', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const next = await learnOffline(learner, () => set(learner, { 'cmi.location': 'page-5' }));
    assert.equal((await reopened(registrationId, next)).given.location, 'page-5');
  });

  it('is not mixed up with another learner who uses the browser next', async () => {
    const ann = await registerTo(service, scorm12Course());
    const bob = await registerTo(service, scorm12Course(), 'bob@example.com');
    await using learner = await newLearner(browser);
    await learner.open(service, ann.registrationId);
    await learner.given();
    const next = await learnOffline(learner, () => set(learner, { 'cmi.core.lesson_location': 'of-ann' }));
    const second = await reopened(bob.registrationId, next);
    assert.deepEqual(
      [second.given['core.student_id'], second.given['core.lesson_location']],
      ['bob@example.com', ''],
    );
    await set(second.learner, { 'cmi.core.lesson_location': 'of-bob' });
    await second.learner.saved();
    const third = await reopened(ann.registrationId, next);
    assert.deepEqual(
      [third.given['core.student_id'], third.given['core.lesson_location']],
      ['ann@example.com', 'of-ann'],
    );
  });

  it('does not overwrite later results from elsewhere', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const next = await learnOffline(learner, () => set(learner, { 'cmi.core.lesson_location': 'at-home' }));
    await using elsewhere = await newLearner(browser);
    await elsewhere.open(service, registrationId);
    await elsewhere.given();
    await set(elsewhere, { 'cmi.core.lesson_location': 'at-work' });
    await elsewhere.saved();
    assert.equal((await reopened(registrationId, next)).given['core.lesson_location'], 'at-work');
    const kept = await next.evaluate(() => Object.keys(localStorage));
    assert.deepEqual(kept, [CLOSED], 'nothing is kept that nobody wants any more');
  });

  it('opens no course until the service accepts the unsent data', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const next = await learnOffline(learner, () => set(learner, { 'cmi.core.lesson_location': 'page-6' }));
    await next.route('**/commit', (route) => route.fulfill({ status: 503, body: '{}' }), { times: 1 });
    const again = new Learner(next);
    await again.open(service, registrationId);
    await next.getByRole('heading', { name: 'The course could not be opened' }).waitFor();
    await next.getByRole('button', { name: 'Try again' }).click();
    assert.equal((await again.given())['core.lesson_location'], 'page-6');
  });

  it('discards unsent data that cannot be sent only if the learner chooses that', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const next = await learnOffline(learner, () => set(learner, { 'cmi.core.lesson_location': 'page-7' }));
    await next.route('**/commit', (route) => route.abort());
    const again = new Learner(next);
    for (let tries = 1; tries < 5; tries++) {
      await again.open(service, registrationId);
      await next.getByRole('heading', { name: 'The course could not be opened' }).waitFor();
    }
    await again.open(service, registrationId);
    await next.getByRole('heading', { name: 'Your earlier work could not be saved' }).waitFor();
    await next.getByRole('button', { name: 'Open without that work' }).click();
    assert.equal((await again.given())['core.lesson_location'], '');
    assert.doesNotMatch(await next.evaluate(() => Object.values(localStorage).join()), /page-7/);
  });
});
