import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { block, FLOW, Learner, rule, unit } from '../../../../test/player/sequencing-helpers.ts';

/** Control modes of a block that the learner may not leave by choice. */
const NO_CHOICE_EXIT = '<imsss:controlMode choice="true" choiceExit="false" flow="true"/>';
const constrained = (how: string) => `${FLOW}<adlseq:constrainedChoiceConsiderations ${how}="true"/>`;

/** Which of some units the learner may choose. */
const choosable = (learner: Learner, ...ids: string[]) =>
  ids.filter((target) => learner.session.isValid({ to: 'choice', target }));

describe('choice of SCORM 2004', () => {
  it('leaves no block whose control mode forbids it, and does not end the unit that is open', async () => {
    const learner = await Learner.in(block('x', unit('a') + unit('b'), NO_CHOICE_EXIT) + unit('z'));
    learner.go('start');
    assert.deepEqual(choosable(learner, 'b', 'z'), ['b']);
    assert.equal(learner.choose('z'), 'nothing');
    assert.equal(learner.session.tree.find('a')?.isActive, true);
  });

  it('does not leave a block that forbids it, even after the attempt on the block has ended', async () => {
    const exits = rule('postConditionRule', 'condition="always"', 'exitParent');
    const inner = block('x', unit('a', exits), NO_CHOICE_EXIT);
    const learner = await Learner.in(block('outer', inner) + unit('z'));
    learner.go('start');
    assert.equal(learner.go('exit'), 'nothing');
    assert.equal(learner.choose('z'), 'nothing');
    assert.equal(learner.go('continue'), 'z');
  });

  it('reaches from a block that constrains it only what is next to the block', async () => {
    const x = block('x', unit('a') + unit('b'), constrained('constrainChoice'));
    const learner = await Learner.in(unit('first') + unit('before') + x + block('y', unit('c')) + unit('z'));
    learner.choose('a');
    assert.deepEqual(choosable(learner, 'first', 'before', 'a', 'b', 'c', 'z'), ['before', 'a', 'b', 'c']);
  });

  it('does not enter a block from outside if its activation is prevented', async () => {
    const x = block('x', unit('a') + unit('b'), constrained('preventActivation'));
    const learner = await Learner.in(unit('first') + x);
    learner.go('start');
    assert.deepEqual(choosable(learner, 'a', 'b'), []);
    assert.equal(learner.go('continue'), 'a');
    assert.deepEqual(choosable(learner, 'b'), ['b']);
  });
});
