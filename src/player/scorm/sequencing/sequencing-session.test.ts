import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  block,
  FLOW,
  FLOW_ONLY,
  Learner,
  rule,
  sharing,
  treeOf,
  unit,
} from '../../../../test/player/sequencing-helpers.ts';
import { SequencingSession } from './sequencing-session.ts';

describe('sequencing of SCORM 2004', () => {
  it('flows through units, blocks included, and ends the session after the last one', async () => {
    const learner = await Learner.in(unit('a') + block('b', unit('b1') + unit('b2')) + unit('c'));
    assert.deepEqual(
      [
        learner.go('start'),
        ...['continue', 'continue', 'continue', 'continue'].map(() => learner.go('continue')),
      ],
      ['a', 'b1', 'b2', 'c', 'over'],
    );
    assert.deepEqual([learner.root.completed(), learner.root.satisfied(null)], [true, true]);
  });

  it('goes back, except where a block goes forward only', async () => {
    const items =
      unit('a') + block('b', unit('b1') + unit('b2'), '<imsss:controlMode flow="true" forwardOnly="true"/>');
    const learner = await Learner.in(items);
    assert.deepEqual([learner.choose('b'), learner.go('continue')], ['b1', 'b2']);
    assert.equal(learner.session.isValid('previous'), false);
    assert.equal(learner.go('previous'), 'nothing');
    assert.equal(learner.choose('a'), 'a');
    assert.equal(learner.session.isValid('previous'), false, 'nothing comes before the first unit');
  });

  it('counts attempts, and delivers no more than the limit', async () => {
    const learner = await Learner.in(unit('a', '<imsss:limitConditions attemptLimit="2"/>') + unit('b'));
    assert.deepEqual([learner.choose('a'), learner.choose('b'), learner.choose('a')], ['a', 'b', 'a']);
    assert.equal(learner.choose('b'), 'b');
    assert.equal(learner.session.isValid({ to: 'choice', target: 'a' }), false);
    assert.equal(learner.choose('a'), 'nothing');
  });

  it('detects that the time limit of an attempt is reached', async () => {
    const limited =
      '<imsss:limitConditions attemptAbsoluteDurationLimit="PT90S"/>' +
      rule('postConditionRule', 'condition="timeLimitExceeded" operator="not"', 'retry');
    const learner = await Learner.in(unit('a', limited) + unit('b'), FLOW_ONLY);
    learner.go('start');
    assert.equal(learner.says({ exit: 'suspend' }).go('suspendAll'), 'over');
    assert.equal(learner.go('resumeAll'), 'a');
    assert.equal(learner.says({}).go('continue'), 'b', 'two visits of a minute are longer');
  });

  for (const [action, expected] of [
    ['skip', ['b', 'c']],
    ['disabled', ['b', 'nothing']],
  ] as const) {
    it(`obeys the precondition rule "${action}"`, async () => {
      const ruled = rule('preConditionRule', 'condition="satisfied"', action);
      const items = unit('a', ruled + sharing('x')) + unit('b', sharing('x')) + unit('c');
      const learner = await Learner.in(items);
      assert.equal(learner.go('start'), 'a');
      assert.equal(learner.says({ success_status: 'passed' }).go('continue'), 'b');
      const back = learner.go('previous');
      assert.deepEqual(
        ['b', action === 'skip' ? learner.go('continue') : learner.choose('a')],
        [...expected],
        back,
      );
    });
  }

  it('hides units with "hiddenFromChoice", and stops choice at "stopForwardTraversal"', async () => {
    const hidden = rule('preConditionRule', 'condition="always"', 'hiddenFromChoice');
    const stop = rule('preConditionRule', 'condition="always"', 'stopForwardTraversal');
    const learner = await Learner.in(unit('a') + unit('b', stop) + unit('c', hidden) + unit('d'));
    learner.go('start');
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((target) => [
        learner.session.isShown(target),
        learner.session.isValid({ to: 'choice', target }),
      ]),
      [
        [true, true],
        [true, true],
        [false, false],
        [true, false],
      ],
    );
  });

  it('exits a block when its exit rule applies', async () => {
    const exit = FLOW + rule('exitConditionRule', 'condition="completed"', 'exit');
    const anyCompleted =
      '<imsss:rollupRules><imsss:rollupRule childActivitySet="any"><imsss:rollupConditions><imsss:rollupCondition condition="completed"/></imsss:rollupConditions>' +
      '<imsss:rollupAction action="completed"/></imsss:rollupRule></imsss:rollupRules>';
    const learner = await Learner.in(block('x', unit('a') + unit('b'), exit + anyCompleted) + unit('c'));
    learner.go('start');
    assert.equal(learner.says({ completion_status: 'completed' }).go('continue'), 'c');
    assert.equal(learner.session.tree.find('x')?.isActive, false);
  });

  for (const [action, expected] of [
    ['retry', 'b'],
    ['continue', 'c'],
    ['previous', 'a'],
    ['exitParent', 'd'],
    ['retryAll', 'a'],
    ['exitAll', 'over'],
  ] as const) {
    it(`obeys the post-condition rule "${action}" instead of the request of the learner`, async () => {
      const ruled = rule('postConditionRule', 'condition="satisfied" operator="not"', action);
      const learner = await Learner.in(block('x', unit('a') + unit('b', ruled) + unit('c')) + unit('d'));
      assert.deepEqual([learner.go('start'), learner.go('continue')], ['a', 'b']);
      const asked = action === 'exitParent' ? 'continue' : action === 'continue' ? 'previous' : 'continue';
      assert.equal(learner.says({ success_status: 'failed' }).go(asked), expected);
    });
  }

  it('jumps to any unit, regardless of rules on the way there', async () => {
    const skipped = rule('preConditionRule', 'condition="always"', 'skip');
    const learner = await Learner.in(unit('a') + unit('b', skipped) + unit('c'), FLOW_ONLY);
    assert.equal(learner.go('start'), 'a');
    assert.equal(learner.session.isValid({ to: 'choice', target: 'b' }), false);
    assert.equal(learner.session.isValid({ to: 'jump', target: 'b' }), true);
    assert.equal(learner.go({ to: 'jump', target: 'b' }), 'b');
    assert.equal(learner.session.isValid({ to: 'jump', target: 'nowhere' }), false);
  });

  it('resumes a suspended unit as the same attempt, and starts another one after an end', async () => {
    const tree = await treeOf(unit('a') + unit('b'));
    const learner = new Learner(tree);
    learner.go('start');
    learner.says({ exit: 'suspend', completion_status: 'incomplete' }).go('suspendAll');
    const kept = JSON.parse(JSON.stringify(learner.session.tree.state()));
    const later = new SequencingSession(tree, kept);
    assert.deepEqual(later.navigate('resumeAll').delivered, { id: 'a', isResumed: true });
    assert.equal(later.tree.find('a')?.attempts, 1);
    later.navigate('exitAll');
    assert.deepEqual(later.navigate('start').delivered, { id: 'a', isResumed: false });
    assert.equal(later.tree.find('a')?.attempts, 2);
  });

  it('gives a suspended unit that its rules disable no status when the learner continues behind it', async () => {
    const tree = await treeOf(
      unit('exam', rule('preConditionRule', 'condition="attempted"', 'disabled')) + unit('b'),
    );
    const learner = new Learner(tree);
    learner.go('start');
    learner.go('suspendAll');
    const later = new SequencingSession(tree, JSON.parse(JSON.stringify(learner.session.tree.state())));
    assert.equal(later.navigate('resumeAll').delivered, null);
    assert.equal(later.resumeUndelivered(), true);
    assert.equal(later.navigate('continue').delivered?.id, 'b');
    const exam = later.tree.find('exam');
    assert.deepEqual([exam?.completed(), exam?.satisfied(null)], [null, null]);
  });

  it('restores an available unit once, however often the state repeats it, and ignores unknown ones', async () => {
    const tree = await treeOf(block('x', unit('a') + unit('b') + unit('c')));
    const learner = new Learner(tree);
    learner.go('start');
    const kept = JSON.parse(JSON.stringify(learner.session.tree.state()));
    kept.activities.x.available = ['b', 'a', 'b', 'nowhere', 'a', 'b'];
    const restored = new SequencingSession(tree, kept).tree.find('x');
    assert.deepEqual(
      restored?.available.map(({ id }) => id),
      ['b', 'a'],
    );
  });

  it('discards the results of an abandoned unit, and keeps the learner’s position', async () => {
    const learner = await Learner.in(unit('a') + unit('b'));
    learner.go('start');
    assert.equal(learner.go('abandon'), 'nothing');
    assert.equal(learner.root.completed(), null);
    assert.equal(learner.go('continue'), 'b');
    assert.equal(learner.go('abandonAll'), 'over');
  });

  it('undoes the delivery of a unit that never began, and keeps the learner’s position', async () => {
    const once = (id: string) => unit(id, rule('preConditionRule', 'condition="attempted"', 'disabled'));
    const learner = await Learner.in(unit('a') + block('x', once('exam') + unit('b')) + unit('c'));
    learner.go('start');
    learner.go('continue');
    assert.equal(learner.leavesUnbegun('continue'), 'b');
    const { session } = learner;
    assert.deepEqual(session.tree.find('exam')?.state(), null);
    assert.deepEqual([session.tree.find('x')?.attempts, learner.root.attempts], [1, 1]);
    assert.equal(learner.choose('exam'), 'exam', 'it is not attempted yet');
    assert.equal(learner.leavesUnbegun({ to: 'choice', target: 'c' }), 'c');
    assert.deepEqual(session.tree.find('exam')?.state(), null);
    assert.equal(learner.go('exitAll'), 'over');
    assert.equal(learner.root.completed(), null);
  });

  it('undoes the delivery of a suspended unit, which is then still suspended', async () => {
    const learner = await Learner.in(unit('a') + unit('b'));
    learner.go('start');
    learner.says({ exit: 'suspend', completion_status: 'incomplete' }).go('suspendAll');
    assert.equal(learner.go('resumeAll'), 'a');
    assert.equal(learner.leavesUnbegun('continue'), 'b');
    const { delivered } = learner.session.navigate('previous');
    assert.deepEqual(delivered, { id: 'a', isResumed: true });
    assert.equal(learner.leavesUnbegun('exitAll'), 'over');
    assert.deepEqual(learner.session.navigate('start').delivered, { id: 'a', isResumed: true });
    assert.deepEqual([learner.root.attempts, learner.session.tree.find('a')?.attempts], [1, 1]);
  });

  it('delivers a unit that never began again if no other one can be delivered without its result', async () => {
    const untilExam = rule('preConditionRule', 'condition="objectiveStatusKnown" operator="not"', 'disabled');
    const items = unit('a') + unit('exam', sharing('passed')) + unit('c', untilExam + sharing('passed', ''));
    const learner = await Learner.in(items);
    learner.go('start');
    learner.says({ completion_status: 'completed' });
    assert.equal(learner.go('continue'), 'exam');
    const { delivered, isOver } = learner.session.leaveUnbegun('continue');
    assert.deepEqual([delivered?.id, delivered?.isResumed, isOver], ['exam', false, false]);
    assert.equal(learner.session.tree.find('exam')?.attempts, 1);
  });

  it('delivers the last unit again if it never began, instead of ending the attempt on the course', async () => {
    const limited = `${FLOW}<imsss:limitConditions attemptLimit="1"/>`;
    const learner = await Learner.in(unit('a') + unit('b'), limited);
    learner.go('start');
    learner.go('continue');
    learner.says({ exit: 'suspend', completion_status: 'incomplete' }).go('suspendAll');
    assert.equal(learner.go('resumeAll'), 'b');
    assert.deepEqual(learner.session.leaveUnbegun('continue'), {
      delivered: { id: 'b', isResumed: true },
      isOver: false,
    });
    assert.equal(learner.root.attempts, 1);
    assert.equal(learner.session.leaveUnbegun('exitAll').isOver, true);
  });

  it('uses up no attempt on the course if the learner exits before the first unit began', async () => {
    const limited = `${FLOW}<imsss:limitConditions attemptLimit="1"/>`;
    const learner = await Learner.in(unit('a') + unit('b'), limited);
    assert.equal(learner.go('start'), 'a');
    assert.equal(learner.leavesUnbegun('exitAll'), 'over');
    assert.equal(learner.go('start'), 'a');
    assert.equal(learner.go('exitAll'), 'over');
    assert.equal(learner.go('start'), 'nothing');
  });

  it('selects children once, or for each new attempt, and keeps the order that chance gave them', async () => {
    const numbers = [0.9, 0.1, 0.5, 0.2, 0.7, 0.3];
    let at = 0;
    const random = () => numbers[at++ % numbers.length] ?? 0;
    const units = ['a', 'b', 'c', 'd'].map((id) => unit(id)).join('');
    const controls = (timing: string) =>
      `${FLOW}<imsss:randomizationControls randomizationTiming="${timing}" selectCount="2" reorderChildren="true" selectionTiming="${timing}"/>`;
    const tree = await treeOf(block('x', units, controls('onEachNewAttempt')) + unit('z'));
    const learner = new Learner(tree, random);
    const seen = () => learner.session.tree.find('x')?.available.map(({ id }) => id) ?? [];
    const first = seen();
    assert.equal(first.length, 2);
    assert.equal(learner.go('start'), first[0]);
    assert.deepEqual(
      new SequencingSession(tree, learner.session.tree.state(), random).tree
        .find('x')
        ?.available.map(({ id }) => id),
      first,
    );
    assert.equal(learner.choose('z'), 'z');
    const second = seen();
    assert.equal(second.length, 2);
    assert.notDeepEqual(second, first);
    const once = new Learner(await treeOf(block('x', units, controls('once')) + unit('z')), random);
    const kept = once.session.tree.find('x')?.available.map(({ id }) => id);
    once.go('start');
    once.choose('z');
    assert.deepEqual(
      once.session.tree.find('x')?.available.map(({ id }) => id),
      kept,
    );
  });

  it('shares objectives between units, and rolls up blocks whose units read them', async () => {
    const reads = sharing('x', 'readSatisfiedStatus="true"');
    const learner = await Learner.in(unit('a', sharing('x')) + block('y', unit('b', reads)));
    learner.go('start');
    learner.says({ success_status: 'failed' }).go('exit');
    assert.equal(learner.session.tree.find('b')?.satisfied(null), false);
    assert.equal(learner.session.tree.find('y')?.satisfied(null), false);
  });

  it('completes by progress and satisfies by measure if the manifest requires it', async () => {
    const measured =
      '<imsss:objectives><imsss:primaryObjective objectiveID="own" satisfiedByMeasure="true"><imsss:minNormalizedMeasure>0.6</imsss:minNormalizedMeasure></imsss:primaryObjective></imsss:objectives>';
    const learner = await Learner.in(unit('a', measured) + unit('b', measured));
    learner.go('start');
    learner.says({ success_status: 'passed', score: { scaled: '0.5' } }).go('continue');
    assert.equal(learner.session.tree.find('a')?.satisfied(null), false, 'the measure counts');
    learner.says({ score: { scaled: '0.8' } }).go('exitAll');
    assert.deepEqual([learner.root.measure(null), learner.root.satisfied(null)], [0.65, false]);
  });

  it('applies no rule whose condition is unknown, not even if it is negated', async () => {
    const skipped = rule('preConditionRule', 'condition="satisfied" operator="not"', 'skip');
    const learner = await Learner.in(unit('a') + unit('b', skipped));
    learner.go('start');
    assert.equal(learner.go('continue'), 'b');
  });

  it('counts the attempt that ends as used up in a rule about the attempt limit', async () => {
    const limit = '<imsss:limitConditions attemptLimit="1"/>';
    const ends = rule('postConditionRule', 'condition="attemptLimitExceeded"', 'exitAll');
    const learner = await Learner.in(unit('a', limit + ends) + unit('b'));
    learner.go('start');
    assert.equal(learner.go('continue'), 'over');
  });

  it('applies no post-condition rule to a unit that suspends', async () => {
    const ends = rule('postConditionRule', 'condition="always"', 'exitAll');
    const learner = await Learner.in(unit('a', ends) + unit('b'));
    learner.go('start');
    assert.equal(learner.says({ exit: 'suspend' }).go('continue'), 'b');
  });

  it('exits the outermost of the blocks whose exit rules apply', async () => {
    const exit = FLOW + rule('exitConditionRule', 'condition="always"', 'exit');
    const inner = block('inner', unit('a') + unit('b'), exit);
    const learner = await Learner.in(block('outer', inner + unit('c'), exit) + unit('d'));
    learner.go('start');
    assert.equal(learner.go('continue'), 'd');
  });

  it('ends no session and changes nothing for a request that is not valid', async () => {
    const learner = await Learner.in(unit('a') + unit('b'), FLOW_ONLY);
    for (const request of [
      'continue',
      'previous',
      'exit',
      'exitAll',
      'abandon',
      'suspendAll',
      'resumeAll',
    ] as const) {
      assert.equal(learner.go(request), 'nothing', request);
    }
    learner.go('start');
    const before = JSON.stringify(learner.session.tree.state());
    for (const request of ['start', 'resumeAll'] as const) learner.go(request);
    assert.equal(learner.choose('b'), 'nothing');
    assert.equal(JSON.stringify(learner.session.tree.state()), before);
  });
});
