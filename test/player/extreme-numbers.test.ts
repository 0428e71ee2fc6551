import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { xapiFiles } from '../support/course-packages.ts';
import { startUnit } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { Player, registerTo, resultOf, xapiCourse } from './learner-helpers.ts';
import { type LrsClient, lrsClient, PASSED, statement } from './lrs-helpers.ts';

const COURSE = 'https://example.com/courses/golf';
/** Numbers whose differences are larger than any number. */
const WIDEST = { raw: 1.7e308, min: -1.7e308, max: 1.7e308 };

describe('numbers at the limits of what computers count with', () => {
  let service: TestService;
  let lrs: LrsClient;
  before(async () => {
    service = await startTestService();
    lrs = await lrsClient(service);
  });
  after(() => service.stop());

  it('are no score if a unit of SCORM reports them, and the rest is recorded', async () => {
    const { registrationId, client } = await startUnit(service, scorm12Course(), 'i1');
    const { raw, min, max } = WIDEST;
    const score = { raw: String(raw), min: String(min), max: String(max) };
    const { status } = await client.commit('i1', { core: { lesson_status: 'passed', score } });
    assert.equal(status, 200);
    const { success, score: recorded } = await resultOf(service, registrationId);
    assert.deepEqual([success, recorded], ['PASS', null]);
  });

  it('are no score if a statement of a course reports them, and the rest is recorded', async () => {
    const { registrationId } = await registerTo(service, xapiFiles({ identifier: COURSE }));
    const player = await Player.open(service, registrationId);
    const course = xapiCourse(await player.openUnit(COURSE));
    const { actor, activity: object } = course;
    await course.lrs.store({ actor, object, verb: PASSED, result: { score: WIDEST } });
    const { success, score } = await resultOf(service, registrationId);
    assert.deepEqual([success, score], ['PASS', null]);
  });

  const put = (number: string) => {
    const id = randomUUID();
    const result = { score: { raw: 0 }, extensions: { 'https://example.com/n': 0 } };
    const body = JSON.stringify(statement({ id, result }));
    return {
      id,
      send: (text: string) =>
        lrs.call('PUT', 'statements', { query: { statementId: id }, body: body.replace(number, text) }),
    };
  };

  it('do not keep a statement from being sent again: some languages write a zero with a sign', async () => {
    const { id, send } = put('"raw":0');
    for (const raw of ['-0.0', '-0', '0']) assert.equal((await send(`"raw":${raw}`)).status, 204, raw);
    assert.equal((await send('"raw":1')).status, 409);
    const { json } = await lrs.call('GET', 'statements', { query: { statementId: id } });
    assert.equal(json.result.score.raw, 0);
  });

  it('are rejected in the score of a statement if they are larger than any number', async () => {
    for (const raw of ['1e400', '-1e400']) {
      const { send } = put('"raw":0');
      const { status, json } = await send(`"raw":${raw}`);
      assert.deepEqual(
        [status, json.errors],
        [400, [{ pointer: '/result/score/raw', detail: 'must be a number' }]],
      );
    }
  });

  it('do not keep a statement from being sent again if they are in an extension', async () => {
    const { send } = put('/n":0');
    const statuses = [(await send('/n":1e400')).status, (await send('/n":1e400')).status];
    assert.deepEqual(statuses, [204, 204]);
  });
});
