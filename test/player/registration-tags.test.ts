import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { Player } from './learner-helpers.ts';

// Runs on SQLite in `npm test`: tags are made from the data that other requests of a registration read. The test of
// every change waives a unit and changes registrations on both.

const ONE = 'https://example.com/course/one';
const TWO = 'https://example.com/course/two';
const THREE = 'https://example.com/course/three';

describe('the ETag of a registration', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const registerToUnits = async (...ids: string[]) =>
    (await registerTo(service, cmi5Course(ids.map((id) => ({ id }))))).registrationId;
  const tagOf = (answer: { headers: Headers }) => answer.headers.get('etag') ?? '';
  const read = async (registrationId: string) => {
    const answer = await service.api.get(`/registrations/${registrationId}`);
    return { tag: tagOf(answer), record: answer.body };
  };
  const waive = async (registrationId: string, unitId: string) => {
    const answer = await service.api.post(`/registrations/${registrationId}/waive`, { unit_id: unitId });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return tagOf(answer);
  };
  const reset = async (registrationId: string, tag: string) =>
    (await service.api.post(`/registrations/${registrationId}/reset`, undefined, { 'If-Match': tag })).status;
  const remove = async (registrationId: string, tag: string) =>
    (await service.api.delete(`/registrations/${registrationId}`, { 'If-Match': tag })).status;

  it('changes when the learner begins an attempt, so that no reset or deletion with If-Match discards it', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const client = await startLaunch(service, registrationId);
    const unbegun = await read(registrationId);
    assert.equal(unbegun.record.attempt, 0);
    await client.open();
    const begun = await read(registrationId);
    assert.equal(begun.record.attempt, 1);
    assert.ok(begun.record.updated_dt >= unbegun.record.updated_dt);
    assert.equal(await reset(registrationId, unbegun.tag), 412);
    assert.equal(await remove(registrationId, unbegun.tag), 412);
    assert.equal(await reset(registrationId, begun.tag), 200);
    const afterReset = await read(registrationId);
    await client.open();
    assert.equal(await remove(registrationId, afterReset.tag), 412);
    assert.equal(await remove(registrationId, (await read(registrationId)).tag), 204);
  });

  it('changes with each waiver, so that no reset with If-Match discards one', async () => {
    const registrationId = await registerToUnits(ONE, TWO, THREE);
    const first = await waive(registrationId, ONE);
    const second = await waive(registrationId, TWO);
    assert.notEqual(second, first);
    assert.equal(await reset(registrationId, first), 412);
    assert.equal((await read(registrationId)).tag, second);
    assert.equal(await reset(registrationId, second), 200);
  });

  it('changes when a unit is opened that was waived before', async () => {
    const registrationId = await registerToUnits(ONE, TWO);
    const player = await Player.open(service, registrationId);
    const waived = await waive(registrationId, TWO);
    await player.openUnit(TWO);
    const opened = await read(registrationId);
    assert.ok(opened.record.units[1].opened_dt);
    assert.notEqual(opened.tag, waived);
  });

  it('changes with the result of a unit even if the status stays the same, but not with each save', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const client = await startLaunch(service, registrationId);
    await client.open();
    await client.openUnit('i1');
    const credited = { completion: 'Completed', success: 'PASS', score: 100, duration: 3_600 };
    const put = await service.api.put(`/registrations/${registrationId}/status`, credited);
    const commit = async (suspendData: string, sessionTime: string) => {
      const core = { lesson_status: 'incomplete', session_time: sessionTime };
      await client.commit('i1', { core, suspend_data: suspendData });
      return await read(registrationId);
    };
    const began = await commit('1', '00:00:10.00');
    assert.notEqual(began.tag, tagOf(put));
    assert.equal((await commit('2', '00:00:10.00')).tag, began.tag);
    const later = await commit('3', '00:00:11.00');
    assert.equal(later.record.units[0].duration, 11);
    assert.notEqual(later.tag, began.tag);
    assert.equal(later.record.score, 100);
  });
});
