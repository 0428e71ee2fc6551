import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { textDigest } from '../../src/player/scorm/text-digest.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startLaunch, startUnit } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import type { TestService } from '../support/service.ts';
import { ANN, activity, type LrsClient, openStore, statement, withSignature } from './lrs-helpers.ts';

/** An answer that a course cuts at 255 code units, in the middle of an emoji. */
const CUT = `${'x'.repeat(254)}😀`.slice(0, 255);
const SHOWN = `${'x'.repeat(254)}\ufffd`;

describe('texts that a course cuts in the middle of a character', () => {
  let service: TestService;
  let lrs: LrsClient;
  aroundTests(async (parts) => {
    ({ service, lrs } = await openStore(parts));
  });

  const start = () => startUnit(service, scorm12Course(), 'i1');
  const runtimeOf = async (registrationId: string) =>
    (await service.api.get(`/registrations/${registrationId}/runtime`)).body.attempts[0];

  it('are recorded with everything else that a unit of SCORM reports', async () => {
    const { registrationId, client } = await start();
    const cmi = {
      core: { lesson_status: 'passed', score: { raw: '90' }, exit: 'suspend' },
      suspend_data: CUT,
      interactions: { 0: { id: 'q1', student_response: CUT } },
    };
    const { status, body } = await client.commit('i1', cmi, { terminated: true });
    assert.deepEqual([status, body], [200, { outcome: 'recorded' }]);
    const { completion, success, score } = (await service.api.get(`/registrations/${registrationId}`)).body;
    assert.deepEqual([completion, success, score], ['Completed', 'PASS', 90]);
  });

  it('are given back to a unit of SCORM exactly as it left them', async () => {
    const { client } = await start();
    // Data that a course compressed may contain any code units.
    const compressed = Array.from({ length: 3_000 }, (_, n) => String.fromCharCode(0xd000 + n)).join('');
    await client.commit('i1', { core: { exit: 'suspend' }, suspend_data: compressed }, { terminated: true });
    const { data } = await client.openUnit('i1');
    assert.equal(data.cmi.suspend_data, compressed);
  });

  it('are valid Unicode for readers of the API, who may refuse anything else', async () => {
    const { registrationId, client } = await start();
    const state = { [CUT]: [CUT] };
    await client.commit('i1', { suspend_data: CUT, comments: { [CUT]: 1 } }, { state });
    const { units, state: found } = await runtimeOf(registrationId);
    assert.deepEqual(
      [units[0].data.cmi, found],
      [{ suspend_data: SHOWN, comments: { [SHOWN]: 1 } }, { [SHOWN]: [SHOWN] }],
    );
  });

  it('are changed by a page that is being closed', async () => {
    const { client } = await start();
    await client.commit('i1', { suspend_data: CUT });
    const splices = [{ of: textDigest(CUT), start: 255, end: 0, text: '\ude00 and \ud83d' }];
    const { body } = await client.commit('i1', { core: { exit: 'suspend' } }, { isChange: true, splices });
    assert.deepEqual(body, { outcome: 'recorded' });
    assert.equal((await client.openUnit('i1')).data.cmi.suspend_data, `${CUT}\ude00 and \ud83d`);
  });

  it('are recorded if the browser kept them for the next launch', async () => {
    const { registrationId, client } = await start();
    const kept = client.commitOf('i1', { suspend_data: CUT, core: { exit: 'suspend' } });
    const later = await startLaunch(service, registrationId);
    assert.deepEqual((await later.post('commit', { ...kept, lateOf: 1 })).body, { outcome: 'recorded' });
    await later.open();
    assert.equal((await later.openUnit('i1')).data.cmi.suspend_data, CUT);
  });

  it('are kept in documents byte for byte, and when documents are merged', async () => {
    const query = {
      activityId: activity('cut').id,
      agent: JSON.stringify({ ...ANN, name: CUT }),
      stateId: 's',
    };
    const body = JSON.stringify({ answer: CUT });
    assert.equal((await lrs.call('PUT', 'activities/state', { query, body })).status, 204);
    assert.equal((await lrs.call('GET', 'activities/state', { query })).text, body);
    const merged = await lrs.call('POST', 'activities/state', { query, body: { [CUT]: 1 } });
    assert.equal(merged.status, 204);
    assert.deepEqual((await lrs.call('GET', 'activities/state', { query })).json, { answer: CUT, [CUT]: 1 });
  });

  it('are stored in statements, with a replacement character in place of the half', async () => {
    const extension = `https://example.com/${CUT}`;
    const sent = statement({
      id: randomUUID(),
      result: { response: CUT, extensions: { [extension]: [CUT] } },
    });
    const query = { statementId: String(sent.id) };
    const put = () => lrs.call('PUT', 'statements', { query, body: sent });
    assert.deepEqual([(await put()).status, (await put()).status], [204, 204], 'it may be sent again');
    const { json } = await lrs.call('GET', 'statements', { query });
    const shown = `https://example.com/${SHOWN}`;
    assert.deepEqual(json.result, { response: SHOWN, extensions: { [shown]: [SHOWN] } });
  });

  it('do not make the signature of a statement invalid', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const body = statement({ id: randomUUID(), result: { response: CUT } });
    const parts = [{ alg: 'RS256' }, body].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const signature = sign('sha256', Buffer.from(parts.join('.')), privateKey).toString('base64url');
    const { status, text } = await lrs.call(
      'POST',
      'statements',
      withSignature(body, `${parts.join('.')}.${signature}`),
    );
    assert.equal(status, 200, text);
  });
});
