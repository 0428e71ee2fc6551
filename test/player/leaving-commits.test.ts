import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { textDigest } from '../../src/player/scorm/text-digest.ts';
import { type PlayerClient, startUnit } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('a commit that changes the suspend data of an earlier one', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());

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
});
