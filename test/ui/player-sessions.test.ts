import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

/** The elements and values of a session, in each standard. */
const STANDARDS = [
  {
    name: 'SCORM 1.2',
    course: scorm12Course(),
    calls: ['LMSInitialize', 'LMSGetValue', 'LMSSetValue', 'LMSFinish'],
    total: 'cmi.core.total_time',
    session: 'cmi.core.session_time',
    timeOf: (minutes: number) => `00:${String(minutes).padStart(2, '0')}:00`,
    totals: ['00:10:00', '00:20:00', '00:25:00'],
  },
  {
    name: 'SCORM 2004',
    course: scorm2004Course(),
    calls: ['Initialize', 'GetValue', 'SetValue', 'Terminate'],
    total: 'cmi.total_time',
    session: 'cmi.session_time',
    timeOf: (minutes: number) => `PT${minutes}M`,
    totals: ['PT10M', 'PT20M', 'PT25M'],
  },
] as const;

describe('several sessions of a course in one page', () => {
  let service: TestService;
  let browser: Browser;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    browser = await sharedBrowser();
  });

  for (const { name, course, calls, total, session, timeOf, totals } of STANDARDS) {
    it(`add up their times (${name})`, async () => {
      const { registrationId } = await registerTo(service, course);
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      await learner.given();
      await learner.page.evaluate(() => {
        const page = globalThis as unknown as { passed: number };
        const begun = performance.now();
        page.passed = 0;
        performance.now = () => begun + page.passed;
      });
      /** Ends the open session after minutes, with a time, and begins another one. Returns its total time. */
      const nextSession = async (passed: number, reported: number) => {
        await learner.page.evaluate((minutes) => {
          (globalThis as unknown as { passed: number }).passed += minutes * 60_000;
        }, passed);
        const given = { calls, total, session, time: timeOf(reported) };
        return await learner.course.locator('body').evaluate((_body, names) => {
          const { sco } = globalThis as unknown as { sco: Record<string, (...given: string[]) => string> };
          const [initialize, get, set, finish] = names.calls.map((call) => sco[call]);
          set!(names.session, names.time);
          finish!('');
          initialize!('');
          return get!(names.total);
        }, given);
      };
      const durationIs = (seconds: number) =>
        until(
          async () => (await service.api.get(`/registrations/${registrationId}`)).body.duration === seconds,
          `${seconds} seconds are recorded`,
        );
      assert.equal(await nextSession(10, 10), totals[0]);
      assert.equal(await nextSession(10, 10), totals[1]);
      await durationIs(20 * 60);
      assert.equal(await nextSession(5, 5), totals[2]);
      await durationIs(25 * 60);
      // Some courses end twice while they are closed, and report the time since they were loaded both times.
      assert.equal(await nextSession(0, 25), totals[2]);
      await learner.page.getByRole('button', { name: 'Exit' }).click();
      await learner.page.getByRole('button', { name: 'Back to the course' }).waitFor();
      await durationIs(25 * 60);
    });
  }
});
