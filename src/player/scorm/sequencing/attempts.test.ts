import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { block, Learner, rule, sharing, treeOf, unit } from '../../../../test/player/sequencing-helpers.ts';
import { rolledUpStatus } from '../sequencing-state.ts';
import { SequencingSession } from './sequencing-session.ts';

describe('an attempt on an activity of SCORM 2004', () => {
  it('is a new one on a suspended unit once another unit was delivered', async () => {
    const tree = await treeOf(block('x', unit('a')) + unit('b'));
    const learner = new Learner(tree);
    learner.go('start');
    learner.says({ exit: 'suspend' }).go('suspendAll');
    const later = new SequencingSession(tree, JSON.parse(JSON.stringify(learner.session.tree.state())));
    assert.equal(later.navigate({ to: 'choice', target: 'b' }).delivered?.id, 'b');
    assert.deepEqual(later.navigate('previous').delivered, { id: 'a', isResumed: false });
  });

  for (const isKept of [false, true]) {
    const kept = isKept ? 'with' : 'without';
    it(`on the course begins ${kept} its shared data if that ${isKept ? 'persists' : 'does not persist'}`, async () => {
      const tree = await treeOf(unit('a', sharing('x')) + unit('b'));
      const learner = new Learner({
        ...tree,
        objectivesGlobalToSystem: isKept,
        sharedDataGlobalToSystem: isKept,
      });
      const { tree: session } = learner.session;
      learner.go('start');
      session.stores = { notes: 'Mine' };
      learner.says({ success_status: 'passed' }).go('exitAll');
      assert.equal(session.objectives.get('x')?.satisfied, true);
      learner.go('start');
      assert.equal(session.objectives.get('x')?.satisfied, isKept ? true : undefined);
      assert.deepEqual(session.stores, isKept ? { notes: 'Mine' } : {});
    });
  }

  it('that "retryAll" begins on the course ignores the shared objectives of the attempt before', async () => {
    const shared = sharing('x', 'readSatisfiedStatus="true" writeSatisfiedStatus="true"');
    const skipped = rule('preConditionRule', 'condition="satisfied"', 'skip');
    const again = rule('postConditionRule', 'condition="always"', 'retryAll');
    const tree = await treeOf(unit('a', skipped + shared) + unit('b', again));
    const learner = new Learner({ ...tree, objectivesGlobalToSystem: false });
    learner.go('start');
    assert.equal(learner.says({ success_status: 'passed' }).go('continue'), 'b');
    assert.equal(learner.go('continue'), 'a');
  });

  it('ends without a status if an earlier session of its unit has set it to unknown', async () => {
    const learner = await Learner.in(unit('a') + unit('b'));
    learner.go('start');
    learner
      .says({ success_status: 'unknown', completion_status: 'unknown', exit: 'suspend' })
      .go('suspendAll');
    learner.go('resumeAll');
    learner.says({}).go('continue');
    const a = learner.session.tree.find('a');
    assert.deepEqual([a?.completed(), a?.satisfied(null)], [null, null]);
  });

  it('makes earlier results outdated, including those of units within blocks', async () => {
    const learner = await Learner.in(block('x', unit('a')) + unit('b'));
    const { tree } = learner.session;
    learner.go('start');
    learner.says({ success_status: 'failed' }).go('exitAll');
    assert.equal(rolledUpStatus(tree.state(), tree.definition).isJudged, true);
    assert.equal(learner.choose('b'), 'b');
    assert.equal(rolledUpStatus(tree.state(), tree.definition).isJudged, false);
  });
});
