import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { block, FLOW, Learner, rule, unit } from '../../../../test/player/sequencing-helpers.ts';

/** A rollup rule with one condition. */
const rollupRule = (set: string, condition: string, action: string) =>
  `<imsss:rollupRules><imsss:rollupRule ${set}><imsss:rollupConditions><imsss:rollupCondition condition="${condition}"/></imsss:rollupConditions>` +
  `<imsss:rollupAction action="${action}"/></imsss:rollupRule></imsss:rollupRules>`;
/** When the completion of a unit counts. */
const requiredForCompleted = (when: string) =>
  `<adlseq:rollupConsiderations requiredForCompleted="${when}"/>`;
const COMPLETED = { completion_status: 'completed' };
const INCOMPLETE = { completion_status: 'incomplete' };

/** A learner in the first unit of the block x. Another unit follows the block. */
async function startBlock(units: string, sequencing = ''): Promise<Learner> {
  const learner = await Learner.in(block('x', units, `${FLOW}${sequencing}`) + unit('z'));
  learner.go('start');
  return learner;
}

const completionOf = (learner: Learner, id = 'x') => learner.session.tree.find(id)?.completed();
const satisfactionOf = (learner: Learner, id = 'x') => learner.session.tree.find(id)?.satisfied(null);

describe('rollup of SCORM 2004', () => {
  for (const [set, expected] of [
    ['childActivitySet="any"', [true, true, true]],
    ['childActivitySet="atLeastCount" minimumCount="2"', [null, null, true]],
    ['childActivitySet="atLeastPercent" minimumPercent="0.5"', [null, null, true]],
    ['childActivitySet="all"', [null, null, null]],
  ] as const) {
    it(`completes a block once as many of its four units are completed as the rule says: ${set}`, async () => {
      const units = ['a', 'b', 'c', 'd'].map((id) => unit(id)).join('');
      const learner = await startBlock(units, rollupRule(set, 'completed', 'completed'));
      const found = [COMPLETED, INCOMPLETE, COMPLETED].map((report) => {
        learner.says(report).go('continue');
        return completionOf(learner);
      });
      assert.deepEqual(found, expected);
    });
  }

  it('applies a rule with the set "none" only once the status of every unit is known', async () => {
    const none = rollupRule('childActivitySet="none"', 'satisfied', 'notSatisfied');
    const learner = await startBlock(unit('a') + unit('b'), none);
    learner.says({ success_status: 'failed' }).go('continue');
    assert.equal(satisfactionOf(learner), null);
    learner.says({ success_status: 'failed' }).go('continue');
    assert.equal(satisfactionOf(learner), false);
  });

  it('waits for a unit that is always required', async () => {
    const learner = await startBlock(unit('a') + unit('b', requiredForCompleted('always')));
    learner.says(COMPLETED).choose('z');
    assert.equal(completionOf(learner), null);
  });

  for (const when of ['ifAttempted', 'ifNotSuspended']) {
    it(`does not wait for a unit that was not attempted if it is required "${when}"`, async () => {
      const learner = await startBlock(unit('a') + unit('b', requiredForCompleted(when)));
      learner.says(COMPLETED).choose('z');
      assert.equal(completionOf(learner), true);
    });
  }

  it('does not wait for a suspended unit if it is required "ifNotSuspended"', async () => {
    const learner = await startBlock(unit('a') + unit('b', requiredForCompleted('ifNotSuspended')));
    learner.says(COMPLETED).go('continue');
    learner.says({ ...INCOMPLETE, exit: 'suspend' }).choose('z');
    assert.equal(completionOf(learner), true);
  });

  it('does not wait for a skipped unit if it is required "ifNotSkipped"', async () => {
    const skipped = rule('preConditionRule', 'condition="always"', 'skip');
    const learner = await startBlock(
      unit('a') + unit('b', `${skipped}${requiredForCompleted('ifNotSkipped')}`),
    );
    assert.equal(learner.says(COMPLETED).go('continue'), 'z');
    assert.equal(completionOf(learner), true);
  });

  it('ignores a unit that is not tracked', async () => {
    const learner = await startBlock(unit('a') + unit('b', '<imsss:deliveryControls tracked="false"/>'));
    learner.says(COMPLETED).choose('z');
    assert.equal(completionOf(learner), true);
  });

  it('counts what an open unit has reported when the learner suspends the course', async () => {
    const learner = await startBlock(unit('a'));
    assert.equal(learner.says({ ...COMPLETED, exit: 'suspend' }).go('suspendAll'), 'over');
    assert.equal(completionOf(learner), true);
  });

  it('goes from the innermost block to the outer one', async () => {
    const learner = await startBlock(block('y', unit('a')));
    learner.says({ ...COMPLETED, success_status: 'passed' }).go('exit');
    assert.deepEqual(
      ['y', 'x'].map((id) => [completionOf(learner, id), satisfactionOf(learner, id)]),
      [
        [true, true],
        [true, true],
      ],
    );
  });
});
