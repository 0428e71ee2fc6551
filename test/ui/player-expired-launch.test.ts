import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { RunningClock } from '../support/clock.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { statusOf } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type Learner, newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

/** Longer than a test takes, even on a busy machine. */
const LIFETIME_S = 300;
const EXPIRED = { name: 'This launch has expired' };

describe('a launch that expires while the course is open', () => {
  let service: TestService;
  const clock = new RunningClock();
  aroundTests(async (parts) => {
    service = parts.use(
      await startTestService({
        settings: { launch_lifetime: LIFETIME_S },
        now: clock.now,
      }),
    );
  });

  const expire = () => {
    clock.aheadMs += (LIFETIME_S + 1) * 1_000;
  };
  const open = async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const learner = await newLearner(await sharedBrowser());
    await learner.open(service, registrationId);
    await learner.given();
    return { learner, registrationId };
  };
  const expired = (learner: Learner) => learner.page.getByRole('heading', EXPIRED).waitFor();

  it('leaves the result in the browser, and the next launch records it', async () => {
    const { learner: opened, registrationId } = await open();
    await using learner = opened;
    expire();
    await learner.course.locator('#pass').click();
    await expired(learner);
    await learner.page.getByText('Your latest work is kept in this browser').waitFor();
    assert.deepEqual(await statusOf(service, registrationId), ['Unknown', 'UNKNOWN', null]);
    await learner.open(service, registrationId);
    assert.equal((await learner.given())['core.lesson_mode'], 'review');
    assert.deepEqual(await statusOf(service, registrationId), ['Completed', 'PASS', 85]);
    assert.deepEqual(await learner.page.evaluate(() => Object.keys(localStorage)), []);
  });

  it('leaves in the browser what the course reports while it is closed', async () => {
    const { learner: opened, registrationId } = await open();
    await using learner = opened;
    expire();
    await learner.passesAtTheEnd();
    await learner.calls(['LMSCommit', '']);
    await expired(learner);
    await learner.open(service, registrationId);
    await learner.given();
    assert.deepEqual(await statusOf(service, registrationId), ['Completed', 'PASS', 90]);
  });

  it('says on the next page in that browser that the promised work was lost after all', async () => {
    const { learner: opened, registrationId } = await open();
    await using learner = opened;
    expire();
    await learner.course.locator('#pass').click();
    await learner.page.getByText('Your work is then saved.').waitFor();
    await using elsewhere = await newLearner(await sharedBrowser());
    await elsewhere.open(service, registrationId);
    await elsewhere.given();
    await learner.open(service, registrationId);
    await learner.page.getByText('Work from an earlier visit in this browser could not be saved.').waitFor();
  });

  for (const [when, ms] of [
    ['just now', 0],
    // By then, the service has forgotten the launch.
    ['a while ago', 11_000],
  ] as const) {
    it(`promises nothing and keeps nothing if the registration was deleted ${when}`, async () => {
      const { learner: opened, registrationId } = await open();
      await using learner = opened;
      await service.api.delete(`/registrations/${registrationId}`);
      clock.aheadMs += ms;
      await learner.course.locator('#pass').click();
      await learner.page.getByRole('heading', { name: 'This course is no longer available' }).waitFor();
      assert.equal(await learner.page.getByText('kept in this browser').count(), 0);
      assert.deepEqual(await learner.page.evaluate(() => Object.keys(localStorage)), []);
    });
  }

  it('promises nothing if the browser could not keep the latest work', async () => {
    const { learner: opened } = await open();
    await using learner = opened;
    await learner.page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('The storage is full.', 'QuotaExceededError');
      };
    });
    expire();
    await learner.course.locator('#pass').click();
    await learner.page.getByText('Your latest work is not saved.').waitFor();
    await expired(learner);
    assert.equal(await learner.page.getByText('kept in this browser').count(), 0);
  });

  it('says, if the page is loaded again, that this browser may keep work', async () => {
    const { learner: opened } = await open();
    await using learner = opened;
    expire();
    await learner.page.reload();
    await learner.page.getByText('Use this browser: it may keep work').waitFor();
  });
});
