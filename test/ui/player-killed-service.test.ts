import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freePorts } from '../support/free-port.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { subscribeToResults } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import {
  Api,
  createClient,
  requestToken,
  type TestService,
  temporaryFolder,
  until,
} from '../support/service.ts';
import { startProcess } from '../support/service-process.ts';
import { startTarget, type Target } from '../support/target.ts';
import { newLearner } from './support/learner.ts';
import { sharedBrowser } from './support/shared-browser.ts';

/** The messages that a target received, without repeated deliveries, which a kill may cause. */
function messagesOf({ requests }: Target) {
  type Message = { resource: { registration: Record<string, unknown> } };
  const messages = new Map(requests.map(({ headers, json }) => [headers['webhook-id'], json as Message]));
  return [...messages.values()].map(({ resource: { registration } }) => {
    const { completion, success, score } = registration;
    return { completion, success, score };
  });
}

describe('a course while the service is killed', () => {
  it('reconnects after the restart, loses nothing, and causes each event once', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    const ports = await freePorts();
    const settings = { data_dir: folder.path, ...ports };
    await using first = await startProcess(settings);
    const { clientId, clientSecret } = await createClient(folder.path);
    const api = new Api(first.url, await requestToken(first.url, clientId, clientSecret));
    const service = { api, url: first.url, settings } as unknown as TestService;
    await subscribeToResults(service, target);
    const { registrationId } = await registerTo(service, scorm12Course());
    await using learner = await newLearner(await sharedBrowser());
    await learner.open(service, registrationId);
    await learner.given();
    const set = (...pairs: [string, string][]) =>
      learner.course.locator('body').evaluate((_body, values) => {
        const { sco } = globalThis as unknown as { sco: Record<string, (...values: string[]) => string> };
        for (const [name, value] of values) sco.LMSSetValue?.(name, value);
        sco.LMSCommit?.('');
      }, pairs);

    await set(['cmi.core.lesson_status', 'incomplete']);
    await learner.saved();
    // The service records this save, and is killed before its response reaches the page.
    const recorded = Promise.withResolvers<void>();
    await learner.page.route(
      '**/commit',
      async (route) => {
        await route.fetch();
        await first.end('SIGKILL');
        recorded.resolve();
        await route.abort();
      },
      { times: 1 },
    );
    await set(['cmi.core.score.raw', '85'], ['cmi.core.lesson_status', 'passed']);
    await recorded.promise;
    await learner.page.getByText('The service cannot be reached.').waitFor();
    await set(['cmi.core.lesson_location', 'page-9']);

    await using _second = await startProcess(settings);
    await learner.saved();
    await until(() => messagesOf(target).some(({ success }) => success === 'PASS'), 'the pass is heard of');
    await learner.page.getByText('The service cannot be reached.').waitFor({ state: 'hidden' });
    const { body } = await api.get(`/registrations/${registrationId}/runtime`);
    assert.match(JSON.stringify(body), /"lesson_location":"page-9"/);
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await learner.page.getByRole('heading', { name: 'You have finished this course' }).waitFor();
    assert.deepEqual(messagesOf(target), [
      { completion: 'Incomplete', success: 'UNKNOWN', score: null },
      { completion: 'Completed', success: 'PASS', score: 85 },
    ]);
  });
});
