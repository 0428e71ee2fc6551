import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { aiccFiles } from '../support/course-packages.ts';
import { followLink, type PlayerClient, startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('a page that asks for its units', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());

  const isSuperseded = async (client: PlayerClient, { attempt, page }: { attempt: number; page: number }) => {
    const { status, body } = await client.post('units', { attempt, page });
    assert.equal(status, 200);
    return body.isSuperseded as boolean;
  };

  it('learns that a newer page has taken over, or that a reset has ended its attempt', async () => {
    const { registrationId } = await registerTo(service, aiccFiles());
    const first = await startLaunch(service, registrationId);
    const firstPage = await first.open();
    assert.equal(await isSuperseded(first, firstPage), false);
    const second = await startLaunch(service, registrationId);
    const secondPage = await second.open();
    assert.deepEqual(
      [await isSuperseded(first, firstPage), await isSuperseded(second, secondPage)],
      [true, false],
    );
    await service.api.post(`/registrations/${registrationId}/reset`);
    assert.equal(await isSuperseded(second, secondPage), true);
    const third = await startLaunch(service, registrationId);
    const thirdPage = await third.open();
    assert.deepEqual(
      [await isSuperseded(second, secondPage), await isSuperseded(third, thirdPage)],
      [true, false],
    );
  });

  it('is not superseded if it records nothing, or does not say which page it is', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const { body } = await service.api.post(`/registrations/${registrationId}/launch`, { mode: 'review' });
    const looking = await followLink(body.launch_url);
    const lookingPage = await looking.open();
    const learning = await startLaunch(service, registrationId);
    await learning.open();
    assert.equal(await isSuperseded(looking, lookingPage), false);
    assert.equal((await looking.post('units')).body.isSuperseded, false);
  });
});
