import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { scorm12Course } from '../support/player-courses.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { launchChromium } from './support/chromium.ts';
import { newLearner, registerTo } from './support/learner.ts';

describe('a SCORM 1.2 course in a browser', () => {
  let service: TestService;
  let browser: Browser;
  let target: Target;
  before(async () => {
    service = await startTestService();
    browser = await launchChromium();
    target = await startTarget();
    await service.api.create('/webhooks', {
      name: 'Results',
      topic: 'REGISTRATION',
      subtopics: ['REGISTRATION_STATUS_UPDATED'],
      target_url: target.url,
    });
  });
  after(async () => {
    await browser.close();
    await service.stop();
    await target.close();
  });

  /** What webhooks heard of a registration, in order. */
  function heardOf(registrationId: string): Record<string, unknown>[] {
    return target.requests
      .map(({ json }) => json as { user: string; resource: { registration: Record<string, unknown> } })
      .filter(({ resource }) => resource.registration.registration_id === registrationId)
      .map(({ user, resource }) => {
        const { completion, success, score, duration } = resource.registration;
        return { user, completion, success, score, duration };
      });
  }

  it('reports a pass to webhooks, once', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    const given = await learner.given();
    assert.deepEqual(given, {
      started: 'true',
      'core.entry': 'ab-initio',
      'core.lesson_mode': 'normal',
      'core.credit': 'credit',
      'core.lesson_status': 'not attempted',
      'core.lesson_location': '',
      'core.total_time': '00:00:00',
      'core.student_id': 'ann@example.com',
      suspend_data: '',
      launch_data: '',
      'student_data.mastery_score': '80',
    });
    await learner.course.locator('#pass').click();
    await learner.saved();
    await until(() => heardOf(registrationId).length > 0, 'webhooks hear of it');
    assert.deepEqual(heardOf(registrationId), [
      { user: 'ann@example.com', completion: 'Completed', success: 'PASS', score: 85, duration: 90 },
    ]);
  });
});
