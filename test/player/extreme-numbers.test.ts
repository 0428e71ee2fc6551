import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { activityTreeOf } from '../../src/player/scorm/course-activity-tree.ts';
import { SequencingSession } from '../../src/player/scorm/sequencing/sequencing-session.ts';
import { inspectFiles } from '../course-packages/package-file.ts';
import { aroundTests } from '../support/around-tests.ts';
import { xapiFiles } from '../support/course-packages.ts';
import { startLaunch, startUnit } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import type { TestService } from '../support/service.ts';
import { Player, resultOf, xapiCourse } from './learner-helpers.ts';
import { type LrsClient, openStore, PASSED, statement } from './lrs-helpers.ts';

const COURSE = 'https://example.com/courses/golf';
const LARGEST = 1.7e308;
/** A range that is larger than any number. */
const WIDEST = { min: -LARGEST, max: LARGEST };

/** A sequenced course with two units in a block of weight 0, and another unit. */
function courseWithPractice() {
  const unit = (id: string) => `<item identifier="${id}" identifierref="r1"><title>${id}</title></item>`;
  const sequencing = (rules = '') =>
    `<imsss:sequencing><imsss:controlMode choice="true" flow="true"/>${rules}</imsss:sequencing>`;
  const weightless = sequencing('<imsss:rollupRules objectiveMeasureWeight="0"/>');
  const block = `<item identifier="b1"><title>Practice</title>${unit('i1')}${unit('i2')}${weightless}</item>`;
  return scorm2004Course({ items: `${block}${unit('i3')}`, sequencing: sequencing() });
}

describe('numbers at the limits of floating point', () => {
  let service: TestService;
  let lrs: LrsClient;
  aroundTests(async (parts) => {
    ({ service, lrs } = await openStore(parts));
  });

  it('are no score if a unit of SCORM reports them, and the rest is recorded', async () => {
    const { min, max } = WIDEST;
    for (const raw of [LARGEST, 85]) {
      const { registrationId, client } = await startUnit(service, scorm12Course(), 'i1');
      const score = { raw: String(raw), min: String(min), max: String(max) };
      const { status } = await client.commit('i1', { core: { lesson_status: 'passed', score } });
      assert.equal(status, 200);
      const { success, score: recorded } = await resultOf(service, registrationId);
      assert.deepEqual([success, recorded], ['PASS', null], String(raw));
    }
  });

  it('are no score if a statement of a course reports them, and the rest is recorded', async () => {
    for (const raw of [LARGEST, 85]) {
      const { registrationId } = await registerTo(service, xapiFiles({ identifier: COURSE }));
      const player = await Player.open(service, registrationId);
      const course = xapiCourse(await player.openUnit(COURSE));
      const { actor, activity: object } = course;
      await course.lrs.store({ actor, object, verb: PASSED, result: { score: { raw, ...WIDEST } } });
      const { success, score } = await resultOf(service, registrationId);
      assert.deepEqual([success, score], ['PASS', null], String(raw));
    }
  });

  it('are no score if the measures of a sequenced course add up to them, and the rest is recorded', async () => {
    const files = courseWithPractice();
    const { registrationId } = await registerTo(service, files);
    const client = await startLaunch(service, registrationId);
    await client.open();
    await client.openUnit('i2');
    const session = new SequencingSession(activityTreeOf((await inspectFiles(files)).structure)!, null);
    session.navigate('start');
    session.navigate('continue');
    const state = session.tree.state();
    const ended = state.activities.i1!;
    const measured = (measure: number) => ({
      ...ended,
      objectives: ended.objectives.map((objective) => ({ ...objective, measure })),
    });
    const activities = { ...state.activities, i1: measured(LARGEST), i3: measured(0.5) };
    const sequencing = { ...state, activities };
    const cmi = { completion_status: 'completed', score: { scaled: String(LARGEST) } };
    assert.equal((await client.commit('i2', cmi, { state: { sequencing } })).status, 200);
    const { completion, score } = await resultOf(service, registrationId);
    assert.deepEqual([completion, score], ['Completed', null]);
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
