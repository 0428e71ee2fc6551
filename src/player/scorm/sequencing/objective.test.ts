import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Learner, sharing, unit } from '../../../../test/player/sequencing-helpers.ts';
import { objectivesFor } from './unit-tracking.ts';

const PASSED = { success_status: 'passed' };
const FAILED = { success_status: 'failed' };
const READS = 'readSatisfiedStatus="true"';
const satisfactionOf = (learner: Learner, id: string) => learner.session.tree.find(id)?.satisfied(null);

describe('shared objectives of SCORM 2004', () => {
  it('are read instead of what the unit itself has reported, even while they are unknown', async () => {
    const learner = await Learner.in(unit('a', sharing('x', READS)) + unit('b', sharing('x')));
    learner.go('start');
    learner.says(PASSED).go('continue');
    assert.equal(satisfactionOf(learner, 'a'), null);
    learner.says(FAILED).go('exit');
    assert.equal(satisfactionOf(learner, 'a'), false);
  });

  it('are read in the order of their maps: the first one that is known counts', async () => {
    const maps = ['x', 'y'].map((id) => `<imsss:mapInfo targetObjectiveID="${id}" ${READS}/>`).join('');
    const both = `<imsss:objectives><imsss:primaryObjective objectiveID="own">${maps}</imsss:primaryObjective></imsss:objectives>`;
    const learner = await Learner.in(
      unit('a', sharing('y')) + unit('b', sharing('x')) + unit('c', both) + unit('d'),
    );
    learner.go('start');
    learner.says(PASSED).go('continue');
    assert.equal(satisfactionOf(learner, 'c'), true);
    learner.says(FAILED).go('continue');
    assert.equal(satisfactionOf(learner, 'c'), false);
  });

  it('keep what a unit wrote if another unit that may write them reports nothing', async () => {
    const writing = sharing('x', 'writeNormalizedMeasure="true"');
    const learner = await Learner.in(unit('a', writing) + unit('b', writing));
    learner.go('start');
    learner.says({ score: { scaled: '0.4' } }).go('continue');
    learner.says({ completion_status: 'incomplete' });
    assert.equal(learner.session.tree.objectives.get('x')?.measure, 0.4);
  });
});

describe('the objectives that a unit of SCORM 2004 begins with', () => {
  const reported = { '0': { id: 'own', score: { raw: '7' } }, '1': { id: 'further', description: 'Mine' } };

  it('are those that it left if its attempt is resumed, and those of the manifest otherwise', async () => {
    const learner = await Learner.in(unit('a', sharing('x')) + unit('b'));
    const a = learner.session.tree.find('a')!;
    const idsAndScores = (isResumed: boolean) =>
      Object.values(objectivesFor(a, { objectives: reported }, isResumed)).map(({ id, score }) => [
        id,
        (score as { raw?: string } | undefined)?.raw,
      ]);
    assert.deepEqual(idsAndScores(true), [
      ['own', '7'],
      ['further', undefined],
    ]);
    assert.deepEqual(idsAndScores(false), [['own', '']]);
  });
});
