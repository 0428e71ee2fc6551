import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { aiccFiles } from '../support/course-packages.ts';
import { followLink, PlayerClient, startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('a page that asks for its units', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

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
    const { attempt, page } = secondPage;
    assert.equal((await second.post('units', { attempt, page })).body.isReset, true);
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

  it('records nothing after a reset, even once its own launch has begun the next attempt', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const launched = await startLaunch(service, registrationId);
    const page = await launched.open();
    const unit = page.units[0].id as string;
    await launched.openUnit(unit);
    const passed = { core: { lesson_status: 'passed', score: { raw: '95' } } };
    await launched.commit(unit, passed);
    await service.api.post(`/registrations/${registrationId}/reset`);
    const reloaded = new PlayerClient(launched.base);
    const nextPage = await reloaded.open();
    assert.deepEqual(
      [await isSuperseded(launched, page), await isSuperseded(reloaded, nextPage)],
      [true, false],
    );
    const late = await launched.commit(unit, passed);
    assert.deepEqual([late.status, late.body], [409, { outcome: 'superseded' }]);
    const { body } = await service.api.get(`/registrations/${registrationId}`);
    assert.deepEqual(
      [body.attempt, body.completion, body.success, body.score],
      [2, 'Unknown', 'UNKNOWN', null],
    );
    await reloaded.openUnit(unit);
    assert.deepEqual((await reloaded.commit(unit, passed)).body, { outcome: 'recorded' });
  });
});
