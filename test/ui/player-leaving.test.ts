import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

/** More than a page that is closed can send. */
const MANY = 100_000;

/** What the registration's course left for its next start. */
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
    // The next save reaches the service, and its answer does not reach the page.
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
