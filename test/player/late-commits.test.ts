import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { followLink, type PlayerClient, startLaunch, startUnit } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';

// Runs on SQLite in `npm test`: the process decides about late writes. The tests of attempts store their records on
// both.

const PASSED = { core: { lesson_status: 'passed', score: { raw: '85' } } };

describe('a write that its page could not send', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const start = async () => {
    const { registrationId, client } = await startUnit(service, scorm12Course(), 'i1');
    const unsent = client.commitOf('i1', PASSED);
    return { registrationId, client, unsent };
  };
  const attemptOf = async ({ base }: PlayerClient) =>
    (await (await fetch(`${base}/attempt`)).json()) as { registration: string | null; attempt: number };
  const success = async (registrationId: string) =>
    (await service.api.get(`/registrations/${registrationId}`)).body.success;

  it('is recorded once when a later launch sends it before its page opens', async () => {
    const { registrationId, unsent } = await start();
    const later = await startLaunch(service, registrationId);
    assert.deepEqual(await attemptOf(later), { registration: registrationId, attempt: 1 });
    const send = () => later.post('commit', { ...unsent, lateOf: 1 });
    assert.deepEqual((await send()).body, { outcome: 'recorded' });
    assert.equal(await success(registrationId), 'PASS');
    assert.deepEqual((await send()).body, { outcome: 'stale' });
  });

  it('may be the opening of an asset', async () => {
    const items = '<item identifier="i1" identifierref="a1"><title>Reading</title></item>';
    const { registrationId } = await startUnit(service, scorm2004Course({ items }), 'i1');
    const later = await startLaunch(service, registrationId);
    const opening = { unit: 'i1', page: 1, visit: 1, sequence: 1 };
    assert.equal((await later.post('asset', opening)).status, 409);
    assert.deepEqual((await later.post('asset', { ...opening, lateOf: 1 })).body, { outcome: 'recorded' });
    assert.equal((await service.api.get(`/registrations/${registrationId}`)).body.completion, 'Completed');
  });

  it('is dropped once a newer page has opened, or if it belongs to another attempt', async () => {
    const { registrationId, unsent } = await start();
    const later = await startLaunch(service, registrationId);
    for (const lateOf of [0, 2]) {
      assert.equal((await later.post('commit', { ...unsent, lateOf })).status, 409);
    }
    await later.open();
    assert.equal((await later.post('commit', { ...unsent, lateOf: 1 })).status, 409);
    assert.equal(await success(registrationId), 'UNKNOWN');
  });

  it('is still recorded if the learner has only looked around in the meantime', async () => {
    const { registrationId, unsent } = await start();
    for (const mode of ['review', 'browse']) {
      const { body } = await service.api.post(`/registrations/${registrationId}/launch`, { mode });
      const looking = await followLink(body.launch_url);
      await looking.open();
      await looking.openUnit('i1');
    }
    const later = await startLaunch(service, registrationId);
    assert.deepEqual((await later.post('commit', { ...unsent, lateOf: 1 })).body, { outcome: 'recorded' });
    assert.equal(await success(registrationId), 'PASS');
  });

  it('is dropped after a reset, though pages of the new attempt are counted from the beginning', async () => {
    const { registrationId, unsent } = await start();
    await service.api.post(`/registrations/${registrationId}/reset`);
    const later = await startLaunch(service, registrationId);
    assert.deepEqual(await attemptOf(later), { registration: registrationId, attempt: 2 });
    assert.equal((await later.post('commit', { ...unsent, lateOf: 1 })).status, 409);
    await later.open();
    assert.equal((await later.post('commit', { ...unsent, lateOf: 1 })).status, 409);
    assert.equal(await success(registrationId), 'UNKNOWN');
  });

  it('must be marked as such: otherwise a launch writes only for its own pages', async () => {
    const { registrationId, unsent } = await start();
    const later = await startLaunch(service, registrationId);
    assert.equal((await later.post('commit', unsent)).status, 409);
    assert.equal(await success(registrationId), 'UNKNOWN');
  });

  it('cannot be sent by the launch of another learner', async () => {
    const { unsent, registrationId } = await start();
    const { registrationId: others } = await registerTo(service, scorm12Course(), 'bob@example.com');
    const bob = await startLaunch(service, others);
    await bob.open();
    await bob.post('commit', { ...unsent, page: 2, lateOf: 1 });
    assert.deepEqual([await success(others), await success(registrationId)], ['UNKNOWN', 'UNKNOWN']);
  });
});
