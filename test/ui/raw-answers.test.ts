import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { interactionsOf, isCorrect } from '../../web/src/pages/registrations/learning/interactions.ts';

describe('answers in the raw data', () => {
  it('are read of SCORM 1.2 and 2004, from lists and from numbered members', () => {
    const scorm12 = interactionsOf({
      cmi: {
        interactions: {
          1: { id: 'b', student_response: 'x', result: 'wrong', correct_responses: { 0: { pattern: 'y' } } },
          0: { id: 'a', student_response: '1', result: 'correct' },
          _count: 2,
        },
      },
    });
    assert.deepEqual(
      scorm12.map((each) => [each.id, each.response, each.correct, isCorrect(each)]),
      [
        ['a', '1', [], true],
        ['b', 'x', ['y'], false],
      ],
    );
    const [scorm2004] = interactionsOf({
      cmi: {
        interactions: [
          {
            id: 'q',
            description: 'Why?',
            learner_response: 'so',
            result: 'neutral',
            correct_responses: [{ pattern: 'a' }, { pattern: 'b' }],
          },
        ],
      },
    });
    assert.deepEqual(scorm2004, {
      id: 'q',
      description: 'Why?',
      response: 'so',
      correct: ['a', 'b'],
      result: 'neutral',
    });
    assert.equal(isCorrect(scorm2004!), null);
  });

  it('are empty for data of other shapes', () => {
    for (const data of [
      null,
      'x',
      7,
      [],
      {},
      { cmi: null },
      { cmi: { interactions: 'x' } },
      { cmi: { interactions: [null, {}] } },
    ]) {
      assert.deepEqual(interactionsOf(data), []);
    }
  });
});
