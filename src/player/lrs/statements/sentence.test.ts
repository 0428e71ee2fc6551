import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceOf } from './sentence.ts';

const actor = { account: { homePage: 'https://example.com', name: 'ann' } };

test('a statement reads as a sentence', () => {
  const golf = {
    id: 'https://example.com/golf',
    definition: { name: { de: 'Golf spielen', 'en-GB': 'Golf' } },
  };
  const passed = { id: 'http://adlnet.gov/expapi/verbs/passed' };
  const cases: [object, string][] = [
    [
      { actor, verb: passed, object: golf, result: { score: { scaled: 0.855 } } },
      'ann passed “Golf” with 85.5 %',
    ],
    [
      {
        actor,
        verb: passed,
        object: { id: 'https://example.com/a#q1' },
        result: { response: 'x', success: false },
      },
      'ann passed “q1” with the answer “x”, without success',
    ],
    [
      {
        actor: { mbox: 'mailto:bob@example.com' },
        verb: { id: 'x:y', display: { en: 'liked' } },
        object: { objectType: 'Agent', ...actor },
      },
      'bob@example.com liked ann',
    ],
    [
      {
        actor: { name: 'A\nB', mbox: 'mailto:a@b.c' },
        verb: passed,
        object: { objectType: 'SubStatement', actor, verb: passed, object: golf },
      },
      'A B passed “ann passed “Golf””',
    ],
  ];
  for (const [statement, sentence] of cases) assert.equal(sentenceOf(statement as never), sentence);
});
