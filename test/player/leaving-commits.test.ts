import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unknownProgress } from '../../src/player/scorm/sequencing/tracking.ts';
import { textDigest } from '../../src/player/scorm/text-digest.ts';
import { aroundTests } from '../support/around-tests.ts';
import { type PlayerClient, startUnit } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { startTestService, type TestService } from '../support/service.ts';

// Runs on SQLite in `npm test`: changes of texts are applied in the process. The tests of attempts and the attacks store the results on both.

/** The state of a sequenced course whose root activity is completed. */
const COMPLETED = {
  sequencing: {
    format: 2,
    current: null,
    suspended: null,
    activities: {
      o1: {
        attempts: 1,
        isActive: false,
        isSuspended: false,
        hasOldObjectives: false,
        hasOldProgress: false,
        hasSetSuccess: false,
        hasSetCompletion: false,
        hasEnded: false,
        attemptMs: 0,
        objectives: [{ ...unknownProgress(), completed: true }],
        available: null,
      },
    },
    objectives: {},
    stores: {},
  },
};

describe('a commit that changes the suspend data of an earlier one', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const start = () => startUnit(service, scorm12Course(), 'i1');
  const addTo = (text: string, added: string) => ({
    of: textDigest(text),
    start: text.length,
    end: 0,
    text: added,
  });
  const change = (client: PlayerClient, status: string, splices: object[]) =>
    client.commitOf('i1', { core: { lesson_status: status } }, { isChange: true, splices });
  const left = async (registrationId: string) => {
    const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
    const { cmi } = body.attempts[0].units[0].data;
    return [cmi.core.lesson_status, cmi.suspend_data];
  };

  it('is applied to whichever of the earlier texts has arrived', async () => {
    for (const arrived of ['one', 'one two']) {
      const { registrationId, client } = await start();
      await client.commit('i1', { suspend_data: arrived });
      const splices = [addTo('one', ' two three'), addTo('one two', ' three')];
      const { body } = await client.post('commit', change(client, 'incomplete', splices));
      assert.deepEqual(body, { outcome: 'recorded' });
      assert.deepEqual(await left(registrationId), ['incomplete', 'one two three']);
    }
  });

  it('is reported as partly recorded if none has arrived, and is accepted again once it is complete', async () => {
    const { registrationId, client } = await start();
    await client.commit('i1', { suspend_data: 'another' });
    const commit = change(client, 'completed', [addTo('one', ' two')]);
    const { status, body } = await client.post('commit', commit);
    assert.deepEqual([status, body], [200, { outcome: 'recorded-in-part' }]);
    assert.deepEqual(await left(registrationId), ['completed', 'another']);
    const { isChange: _isChange, splices: _splices, ...others } = commit;
    const whole = { ...others, cmi: { core: { lesson_status: 'completed' }, suspend_data: 'one two' } };
    assert.deepEqual((await client.post('commit', whole)).body, { outcome: 'recorded' });
    assert.deepEqual(await left(registrationId), ['completed', 'one two']);
    assert.deepEqual((await client.post('commit', whole)).body, { outcome: 'stale' });
  });

  it('is not applied twice', async () => {
    const { registrationId, client } = await start();
    await client.commit('i1', { suspend_data: 'one' });
    const commit = change(client, 'incomplete', [addTo('one', ' two')]);
    await client.post('commit', commit);
    assert.deepEqual((await client.post('commit', commit)).body, { outcome: 'stale' });
    assert.deepEqual(await left(registrationId), ['incomplete', 'one two']);
  });

  it('is reported as partly recorded if it omits the state of a sequenced course', async () => {
    const sequenced = scorm2004Course({
      items: ['i1', 'i2']
        .map((id) => `<item identifier="${id}" identifierref="r1"><title>Lesson</title></item>`)
        .join(''),
      sequencing: '<imsss:sequencing><imsss:controlMode flow="true"/></imsss:sequencing>',
    });
    const { registrationId, client } = await startUnit(service, sequenced, 'i1');
    const outcomeOf = async (commit: object) => (await client.post('commit', commit)).body.outcome;
    const cmi = { completion_status: 'completed', success_status: 'passed' };
    const { state, ...withoutState } = client.commitOf('i1', cmi, { state: COMPLETED });
    assert.equal(await outcomeOf({ ...withoutState, isChange: true }), 'recorded-in-part');
    const { completion } = (await service.api.get(`/registrations/${registrationId}`)).body;
    assert.notEqual(completion, 'Completed');
    assert.equal(await outcomeOf({ ...withoutState, state }), 'recorded', 'the same write, once it is whole');
    assert.equal((await service.api.get(`/registrations/${registrationId}`)).body.completion, 'Completed');
    assert.equal(await outcomeOf({ ...withoutState, isChange: true }), 'stale');
  });

  it('is complete without a state if the course has no sequencing', async () => {
    const { client } = await startUnit(service, scorm2004Course(), 'i1');
    const { body } = await client.commit('i1', { completion_status: 'completed' }, { isChange: true });
    assert.deepEqual(body, { outcome: 'recorded' });
  });
});
