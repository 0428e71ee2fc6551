import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DataModelApi, type ScormVersion, type StartedUnit, startUnit } from './support/data-model.ts';

/** The answers of a type of question: SCORM 2004 Run-Time Environment 4.1.1 and 4.2.9. */
interface AnswerRule {
  /** Allowed as the learner's answer and as a correct answer. */
  both?: readonly string[];
  learner?: readonly string[];
  correct?: readonly string[];
  neither?: readonly string[];
  notLearner?: readonly string[];
  notCorrect?: readonly string[];
}

const long = (length: number) => 'x'.repeat(length);
const many = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index)).join('[,]');
const TEXTS = [
  '',
  'Rome',
  ' Rome ',
  'a, b',
  '{x} is a set',
  '{',
  '}{',
  '{"a": 1}',
  '{a=b}',
  '{lang=en',
  '{lang=en}Rome',
  '{lang=zh-min-nan}{x}',
  'first\nsecond\r\nthird',
  long(5_000),
];
const NO_TEXTS = ['{lang=}Rome', '{lang=not a language}Rome', '{lang=en-}{x}'];

const ANSWERS: Readonly<Record<string, AnswerRule>> = {
  'true-false': { both: ['true', 'false'], neither: ['', 't', 'True', 'true-false'] },
  choice: {
    both: [
      '',
      'a',
      'a[,]b',
      'größe',
      'Text of a choice',
      'a,b',
      'https://x.example/?a=1&b=2',
      long(300),
      many(40, String),
    ],
    neither: ['a[,]a', 'a[,]', '[,]', 'a\nb'],
  },
  'fill-in': {
    both: [...TEXTS, 'a[,]b', 'a[,]a', '[,]', '{lang=en}a[,]{lang=fr}b', many(12, String)],
    learner: ['{case_matters=true}x', '{order_matters=x}a[,]b'],
    correct: [
      '{case_matters=true}x',
      '{order_matters=false}{case_matters=false}{lang=en}{x}[,]y',
      '{case_matters=true}{case_matters=x}',
    ],
    neither: [...NO_TEXTS, 'a[,]{lang=}b'],
    notCorrect: ['{case_matters=yes}x', '{case_matters=true}{order_matters=}x'],
  },
  'long-fill-in': {
    both: [...TEXTS, long(60_000)],
    learner: ['{case_matters=x}x'],
    correct: [
      '{case_matters=true}a, b',
      '{lang=en}{case_matters=true}x',
      '{case_matters=false}{lang=en-US}{x}',
    ],
    neither: NO_TEXTS,
    notCorrect: ['{case_matters=yes}x'],
  },
  likert: { both: ['a', 'größe', 'a&b', 'a,b', '4.5', long(300)], neither: ['', 'a b', '{a}', 'a\nb'] },
  matching: {
    both: [
      'a[.]b',
      'a[.]b[,]a[.]b',
      'größe[.]ä',
      'urn:x:a[.]1.5',
      'a.b,c.d',
      many(40, (index) => `${index}[.]x`),
    ],
    learner: [''],
    neither: ['a', 'a[.]', '[.]b', 'a[.]b[,]', 'a[.]b[.]c', 'a b[.]c', '{order_matters=false}a[.]b', 'a.b.c'],
    notCorrect: [''],
  },
  performance: {
    both: [
      'a[.]b',
      '[.]b',
      'a[.]',
      'a[.]{x}, y',
      'a[.]b[,]a[.]b',
      'größe[.]1[:]2.5',
      'a[.][:]',
      'a.3.5,b.x',
      `a[.]${long(300)}`,
      many(130, (index) => `${index}[.]x`),
    ],
    correct: ['{order_matters=false}a[.]b[,]c[.]d'],
    neither: [
      '',
      'a',
      '[.]',
      'a[.]b[,]',
      'a[.]b[.]c',
      'a b[.]c',
      'a[.]2[:]1',
      'a[.]x[:]',
      '{case_matters=true}a[.]b',
    ],
    notLearner: ['{order_matters=false}a[.]b'],
    notCorrect: ['{order_matters=x}a[.]b'],
  },
  sequencing: {
    both: ['a', 'ab', 'a[,]b[,]a', 'größe', 'a&b', many(40, String)],
    neither: ['', 'a[,]', '[,]', 'a b', '{order_matters=false}a[,]b'],
  },
  numeric: {
    both: ['1', '-1.5', '+1', '.5', '1e-7', '12345678901234567890', '0.12345678901234567890123'],
    correct: ['1[:]2', '-2.5[:]', '[:]1e6', '[:]', '1:2'],
    neither: ['', 'abc', '1,5', '5 km', '1[:]2[:]3'],
    notLearner: ['1[:]2'],
    notCorrect: ['2[:]1', 'a[:]b'],
  },
  other: { both: [...TEXTS, ...NO_TEXTS, 'a[,]b[.]c'] },
};

const QUESTION = 'cmi.interactions.0';
const ELEMENTS = {
  learner: `${QUESTION}.learner_response`,
  correct: `${QUESTION}.correct_responses.0.pattern`,
};

const GIVEN = {
  '1.2': { core: { lesson_status: 'not attempted', lesson_mode: 'normal', total_time: '00:00:00' } },
  '2004': { mode: 'normal', credit: 'credit', total_time: 'PT0S' },
};

function begun(version: ScormVersion, cmi: Record<string, unknown> = GIVEN[version]): StartedUnit {
  const unit = startUnit(version, structuredClone(cmi));
  unit.api.Initialize('');
  return unit;
}

function asked(version: ScormVersion, type: string): StartedUnit {
  const unit = begun(version);
  set(unit.api, `${QUESTION}.id`, 'q');
  set(unit.api, `${QUESTION}.type`, type);
  return unit;
}

const shown = (value: string) => (value.length > 40 ? `${value.slice(0, 30)}… (${value.length})` : value);

function set(api: DataModelApi, element: string, value: string): void {
  const said = `${element} = ${JSON.stringify(shown(value))}`;
  assert.deepEqual([api.SetValue(element, value), api.GetLastError()], ['true', '0'], said);
}

function assertRefused(api: DataModelApi, element: string, value: string, error: string): void {
  const said = `${element} = ${JSON.stringify(shown(value))}`;
  assert.deepEqual([api.SetValue(element, value), api.GetLastError()], ['false', error], said);
}

function assertHas(api: DataModelApi, element: string, value: string): void {
  assert.equal(api.GetValue(element), value, `${element} reads ${JSON.stringify(shown(value))}`);
}

/** The answer that the page sends to the service for the question. */
function sentAnswer({ sent }: StartedUnit, who: 'learner' | 'correct'): unknown {
  const [question] = Object.values(sent().interactions as Record<string, Record<string, unknown>>);
  if (who === 'learner') return question?.learner_response ?? question?.student_response;
  const [correct] = Object.values(question?.correct_responses as Record<string, { pattern: string }>);
  return correct?.pattern;
}

describe('answers in SCORM 2004', () => {
  for (const [type, rule] of Object.entries(ANSWERS)) {
    const rules = [
      { who: 'learner', good: rule.learner, bad: rule.notLearner },
      { who: 'correct', good: rule.correct, bad: rule.notCorrect },
    ] as const;
    for (const { who, good: own = [], bad: ownBad = [] } of rules) {
      const element = ELEMENTS[who];
      const good = [...(rule.both ?? []), ...own];
      const of =
        who === 'learner' ? `learner’s answers to ${type} questions` : `correct answers of ${type} questions`;

      it(`keeps ${of} exactly as the course reports them, also for the next visit`, () => {
        for (const value of good) {
          const first = asked('2004', type);
          set(first.api, element, value);
          assertHas(first.api, element, value);
          assert.equal(first.api.GetLastError(), '0');
          const next = begun('2004', first.sent());
          const last = begun('2004', next.sent());
          for (const unit of [first, next, last]) {
            assertHas(unit.api, element, value);
            assert.equal(sentAnswer(unit, who), value);
          }
        }
      });

      it(`replaces ${of}, and keeps them when it rejects what the standard forbids`, () => {
        const { api } = asked('2004', type);
        for (const value of good) {
          set(api, element, value);
          for (const wrong of [...(rule.neither ?? []), ...ownBad]) {
            assertRefused(api, element, wrong, '406');
            assertHas(api, element, value);
          }
        }
      });
    }
  }

  it('rejects an answer before the type of its question', () => {
    const { api } = begun('2004');
    set(api, `${QUESTION}.id`, 'q');
    for (const element of Object.values(ELEMENTS)) assertRefused(api, element, 'a', '408');
  });

  it('rejects a second correct answer if the type has only one, and one that skips an index', () => {
    for (const [type, value] of [
      ['true-false', 'true'],
      ['likert', 'a'],
      ['numeric', '1[:]2'],
      ['other', 'a'],
    ] as const) {
      const { api } = asked('2004', type);
      set(api, ELEMENTS.correct, value);
      for (const second of [value, '{lang=}']) {
        assertRefused(api, `${QUESTION}.correct_responses.1.pattern`, second, '351');
      }
    }
    const { api } = asked('2004', 'fill-in');
    for (const value of ['a', '{lang=}'])
      assertRefused(api, `${QUESTION}.correct_responses.1.pattern`, value, '351');
  });

  it('rejects the same correct choice twice, and accepts it again in its place', () => {
    const { api } = asked('2004', 'choice');
    set(api, ELEMENTS.correct, 'a[,]b');
    assertRefused(api, `${QUESTION}.correct_responses.1.pattern`, 'a[,]b', '351');
    set(api, ELEMENTS.correct, 'a[,]b');
    set(api, `${QUESTION}.correct_responses.1.pattern`, 'c');
    assertRefused(api, `${QUESTION}.correct_responses.1.pattern`, 'a[,]b', '351');
  });

  it('keeps the places of empty correct answers and comments for the next visit', () => {
    const first = asked('2004', 'fill-in');
    for (const [index, value] of ['', '{x}', '', 'y'].entries()) {
      set(first.api, `${QUESTION}.correct_responses.${index}.pattern`, value);
      set(first.api, `cmi.comments_from_learner.${index}.comment`, value);
    }
    const next = begun('2004', first.sent());
    for (const [index, value] of ['', '{x}', '', 'y'].entries()) {
      assertHas(next.api, `${QUESTION}.correct_responses.${index}.pattern`, value);
      assertHas(next.api, `cmi.comments_from_learner.${index}.comment`, value);
    }
  });

  it('keeps comments of learners and descriptions, also those that begin with a brace', () => {
    const elements = [
      'cmi.comments_from_learner.0.comment',
      `${QUESTION}.description`,
      'cmi.objectives.0.description',
    ];
    const first = asked('2004', 'choice');
    set(first.api, 'cmi.objectives.0.id', 'o');
    for (const value of TEXTS) {
      for (const element of elements) {
        set(first.api, element, value);
        for (const wrong of NO_TEXTS) assertRefused(first.api, element, wrong, '406');
      }
      set(first.api, 'cmi.comments_from_learner.0.location', value);
      const next = begun('2004', first.sent());
      for (const { api } of [first, next]) {
        for (const element of [...elements, 'cmi.comments_from_learner.0.location'])
          assertHas(api, element, value);
      }
    }
  });

  it('keeps an answer at an index that begins with zeros', () => {
    const { api } = asked('2004', 'fill-in');
    set(api, 'cmi.interactions.00.learner_response', 'Rome');
    assertHas(api, ELEMENTS.learner, 'Rome');
  });
});

describe('answers in SCORM 1.2', () => {
  it('keeps each answer as the course reports it, whatever the type of the question, also for the next visit', () => {
    const texts = new Set(Object.values(ANSWERS).flatMap((rule) => Object.values(rule).flat() as string[]));
    for (const type of [
      'true-false',
      'choice',
      'fill-in',
      'matching',
      'performance',
      'sequencing',
      'likert',
      'numeric',
    ]) {
      const first = asked('1.2', type);
      for (const value of texts) {
        set(first.api, `${QUESTION}.student_response`, value);
        set(first.api, ELEMENTS.correct, value);
        for (const unit of [first, begun('1.2', first.sent())]) {
          for (const who of ['learner', 'correct'] as const) assert.equal(sentAnswer(unit, who), value);
        }
      }
    }
  });
});
