import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { RunningClock } from '../support/clock.ts';
import type { PackageFiles } from '../support/course-packages.ts';
import { followLink, type PlayerClient, startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';

const LIFETIME_S = 300;

describe('a page that is loaded again', () => {
  let service: TestService;
  const clock = new RunningClock();
  aroundTests(async (parts) => {
    service = parts.use(
      await startTestService({ settings: { launch_lifetime: LIFETIME_S }, now: clock.now }),
    );
  });

  /** Opens the course on a phone, and then by another launch on a computer. */
  const openTwice = async (files: PackageFiles = scorm12Course()) => {
    const { registrationId } = await registerTo(service, files);
    const phone = await startLaunch(service, registrationId);
    await phone.open();
    clock.aheadMs += 60_000;
    const computer = await startLaunch(service, registrationId);
    const page = await computer.open();
    return { registrationId, phone, computer, unit: page.units[0].id as string };
  };
  const load = async (client: PlayerClient, continues?: number) =>
    await client.post('open', continues === undefined ? {} : { continues });

  it('takes nothing over after another launch, which still records', async () => {
    const { phone, computer, unit } = await openTwice();
    const { status, body } = await load(phone, 1);
    assert.deepEqual([status, body.reason], [403, 'superseded']);
    await computer.openUnit(unit);
    const passed = { core: { lesson_status: 'passed', score: { raw: '95' } } };
    assert.deepEqual((await computer.commit(unit, passed)).body, { outcome: 'recorded' });
  });

  it('takes over if the learner wants that, so that it does not say what it continues', async () => {
    const { phone, computer, unit } = await openTwice();
    assert.equal((await load(phone)).status, 200);
    await computer.openUnit(unit);
    assert.equal((await computer.commit(unit, {})).status, 409);
  });

  it('takes over once the other launch has expired, or a reset has ended it', async () => {
    const { registrationId, phone } = await openTwice();
    await service.api.post(`/registrations/${registrationId}/reset`);
    assert.equal((await load(phone, 1)).status, 200);
    const { registrationId: other, computer } = await openTwice();
    clock.aheadMs += (LIFETIME_S - 30) * 1_000;
    const next = await startLaunch(service, other);
    assert.equal((await load(next, 1)).status, 403);
    clock.aheadMs += 60_000;
    const { status, body } = await load(next, 1);
    assert.deepEqual([status, body.isContinued], [200, false]);
    assert.equal((await load(computer, 2)).status, 410);
  });

  it('opens as before if it records nothing', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const { body } = await service.api.post(`/registrations/${registrationId}/launch`, { mode: 'review' });
    const looking = await followLink(body.launch_url);
    await (await startLaunch(service, registrationId)).open();
    await (await startLaunch(service, registrationId)).open();
    assert.equal((await load(looking, 1)).status, 200);
  });
});
