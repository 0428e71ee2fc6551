import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomOf } from '../support/seeded-random.ts';
import { type DataModelApi, type ScormVersion, startDataModel, startUnit } from './support/data-model.ts';
import { type ElementRule, SCORM_12_ELEMENTS, SCORM_2004_ELEMENTS } from './support/data-model-tables.ts';
import { type Answer, ERRORS, PlainDataModel } from './support/plain-data-model.ts';

const RULES = { '1.2': SCORM_12_ELEMENTS, '2004': SCORM_2004_ELEMENTS };
/** The initial values of a unit that was never opened, as far as the tables define them. */
const GIVEN = {
  '1.2': {
    core: { lesson_status: 'not attempted', lesson_mode: 'normal', total_time: '00:00:00' },
  },
  '2004': { mode: 'normal', credit: 'credit', total_time: 'PT0S', time_limit_action: 'continue,no message' },
};
/** Elements that may have line breaks (null), after those that they need. The third member marks elements that are write-only. */
const ELEMENTS_OF_TEXTS: Record<ScormVersion, readonly [string, string | null, true?][]> = {
  '1.2': [
    ['cmi.core.exit', 'suspend'],
    ['cmi.suspend_data', null],
    ['cmi.comments', null],
    ['cmi.interactions.0.id', 'first'],
    ['cmi.interactions.0.type', 'fill-in', true],
    ['cmi.interactions.0.student_response', null, true],
    ['cmi.interactions.0.correct_responses.0.pattern', null, true],
  ],
  '2004': [
    ['cmi.exit', 'suspend'],
    ['cmi.suspend_data', null],
    ['cmi.comments_from_learner.0.comment', null],
    ['cmi.objectives.0.id', 'first'],
    ['cmi.objectives.0.description', null],
    ['cmi.interactions.0.id', 'first'],
    ['cmi.interactions.0.type', 'long-fill-in'],
    ['cmi.interactions.0.description', null],
    ['cmi.interactions.0.learner_response', null],
    ['cmi.interactions.0.correct_responses.0.pattern', null],
    ['cmi.interactions.1.id', 'second'],
    ['cmi.interactions.1.type', 'fill-in'],
    ['cmi.interactions.1.learner_response', null],
  ],
};
const SEQUENCES = 100;
const CALLS = 80;
const PLACES = 3;

const start = (version: ScormVersion) => startDataModel(version, structuredClone(GIVEN[version]));

/** A unit that runs, with the first places of the lists that the element is in. */
function prepared(version: ScormVersion, element: string): DataModelApi {
  const api = start(version);
  api.Initialize('');
  const list = /^cmi\.(?:objectives|interactions)(?=\.n\.)/.exec(element)?.[0];
  if (list !== undefined && !element.endsWith('.n.id')) api.SetValue(`${list}.0.id`, 'first');
  if (element.startsWith('cmi.comments_from_learner.n.') && !element.endsWith('.comment')) {
    api.SetValue('cmi.comments_from_learner.0.comment', 'first');
  }
  return api;
}

const read = (api: DataModelApi, element: string): Answer => ({
  value: inOrder(element, api.GetValue(element)),
  error: api.GetLastError(),
});
const write = (api: DataModelApi, element: string, value: string): Answer => ({
  value: api.SetValue(element, value),
  error: api.GetLastError(),
});
/** The standards leave the order of children open. */
const inOrder = (element: string, value: string) =>
  element.endsWith('._children') ? value.split(',').toSorted().join() : value;
const shown = (value: string) => (value.length > 40 ? `${value.slice(0, 20)}… (${value.length})` : value);

function assertRule(version: ScormVersion, rule: ElementRule): void {
  const errors = ERRORS[version];
  const element = rule.element.replace('.n.', '.0.').replace('.m.', '.0.');
  const isKeyword = /\._(?:children|count|version)$/.test(element);
  const fresh = () => prepared(version, rule.element);
  // An entry of a list does not exist before it has an id.
  const isThere = !/\.(?:n\.id|n\.comment|m\.id|m\.pattern)$/.test(rule.element);
  if (rule.access === 'write') {
    if (isThere) assert.deepEqual(read(fresh(), element), { value: '', error: errors.writeOnly }, 'read');
  } else if (isThere) {
    const { initial = '' } = rule;
    const expected =
      initial === null
        ? { value: '', error: errors.unset }
        : { value: inOrder(element, initial), error: '0' };
    assert.deepEqual(read(fresh(), element), expected, 'before it was set');
  }
  if (rule.access === 'read') {
    const error = isKeyword ? errors.keyword : errors.readOnly;
    assert.deepEqual(write(fresh(), element, 'x'), { value: 'false', error }, 'written');
    return;
  }
  for (const value of rule.good ?? []) {
    const api = fresh();
    assert.deepEqual(write(api, element, value), { value: 'true', error: '0' }, `set to "${shown(value)}"`);
    if (rule.access === 'both') {
      assert.deepEqual(read(api, element), { value, error: '0' }, `read as "${shown(value)}"`);
    }
    for (const [values, error] of [
      [rule.bad ?? [], errors.type],
      [rule.outside ?? [], errors.range],
    ] as const) {
      for (const wrong of values) {
        const said = `set to "${shown(wrong)}" after "${shown(value)}"`;
        assert.deepEqual(write(api, element, wrong), { value: 'false', error }, said);
        if (rule.access === 'both')
          assert.deepEqual(read(api, element), { value, error: '0' }, `${said}, read`);
      }
    }
  }
}

function assertSequence(version: ScormVersion, seed: number): void {
  const random = randomOf(seed);
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  const api = start(version);
  const model = new PlainDataModel(version, RULES[version]);
  // The total time grows with a clock that the model does not have.
  const rules = RULES[version].filter(({ element }) => !element.endsWith('.total_time'));
  const calls: string[] = [];
  const made = (call: string, answer: string, element: string, expected: Answer) => {
    calls.push(call);
    const got = { value: inOrder(element, answer), error: api.GetLastError() };
    const wanted = { ...expected, value: inOrder(element, expected.value) };
    assert.deepEqual(got, wanted, `seed ${seed}: the last of\n${calls.slice(-12).join('\n')}`);
  };
  if (random(5) > 0) made('Initialize', api.Initialize(''), '', model.initialize());
  for (let count = 0; count < CALLS; count++) {
    const rule = pick(rules);
    const element = rule.element
      .replace('.n.', () => `.${random(PLACES)}.`)
      .replace('.m.', () => `.${random(PLACES)}.`);
    const kind = random(40);
    if (kind === 0) made('Commit', api.Commit(''), '', model.commit());
    else if (kind === 1) made('Initialize', api.Initialize(''), '', model.initialize());
    // When it begins again, SCORM 1.2 forgets interactions without an id, which cannot be read.
    else if (kind === 2 && random(4) === 0 && version === '2004')
      made('Terminate', api.Terminate(''), '', model.terminate());
    else if (kind < 18) made(`GetValue ${element}`, api.GetValue(element), element, model.get(element));
    else {
      const value = pick([...(rule.good ?? ['x']), ...(rule.bad ?? []), ...(rule.outside ?? [])]);
      const call = `SetValue ${element} = ${shown(value)}`;
      made(call, api.SetValue(element, value), '', model.set(element, value));
    }
  }
}

it('the data model of SCORM 2004 accepts line breaks only in texts', () => {
  const api = start('2004');
  api.Initialize('');
  for (const [element, value] of ELEMENTS_OF_TEXTS['2004']) {
    if (value === null) continue;
    assert.equal(write(api, element, `${value}\n`).value, 'false', element);
    assert.equal(write(api, element, value).value, 'true', element);
  }
  api.SetValue('cmi.interactions.0.type', 'choice');
  assert.equal(write(api, 'cmi.interactions.0.learner_response', 'a\nb').value, 'false');
});

it('a unit of SCORM 2004 that asks to suspend the course is suspended, unless it says that it has ended', () => {
  for (const [exit, request, left] of [
    ['', 'suspendAll', 'suspend'],
    ['normal', 'suspendAll', 'suspend'],
    ['time-out', 'suspendAll', 'time-out'],
    ['logout', 'suspendAll', 'logout'],
    ['normal', 'exitAll', 'normal'],
  ] as const) {
    const { api, sent } = startUnit('2004', structuredClone(GIVEN['2004']));
    api.Initialize('');
    api.SetValue('adl.nav.request', request);
    api.SetValue('cmi.exit', exit);
    api.Terminate('');
    assert.equal(sent().exit, left, `${exit} ${request}`);
    api.Initialize('');
    assert.equal(api.GetValue('cmi.entry'), left === 'suspend' ? 'resume' : '', `${exit} ${request}`);
  }
});

for (const version of ['1.2', '2004'] as const) {
  describe(`the data model of SCORM ${version}`, () => {
    for (const rule of RULES[version]) {
      it(`handles ${rule.element} as the standard describes it`, () => assertRule(version, rule));
    }

    it('keeps texts with line breaks, sends them, and has them again at the next visit', () => {
      const text = 'first\nsecond\r\nthird\u2028fourth\u2029end';
      const elements = ELEMENTS_OF_TEXTS[version];
      const texts = elements.filter(([, value]) => value === null);
      const first = startUnit(version, structuredClone(GIVEN[version]));
      first.api.Initialize('');
      for (const [element, value] of elements)
        assert.deepEqual(write(first.api, element, value ?? text), { value: 'true', error: '0' }, element);
      const next = startUnit(version, structuredClone(first.sent()));
      next.api.Initialize('');
      for (const { api, sent } of [first, next]) {
        for (const [element, , isWriteOnly] of texts)
          if (isWriteOnly !== true)
            assert.deepEqual(read(api, element), { value: text, error: '0' }, element);
        assert.equal(JSON.stringify(sent()).split(JSON.stringify(text)).length - 1, texts.length);
      }
    });

    it('has an error for an element without a name', () => {
      const [whenRead, whenSet] = version === '1.2' ? ['201', '201'] : ['301', '351'];
      const api = start(version);
      api.Initialize('');
      for (const element of ['', undefined]) {
        assert.deepEqual([api.GetValue(element), api.GetLastError()], ['', whenRead]);
        assert.deepEqual([api.SetValue(element, 'x'), api.GetLastError()], ['false', whenSet]);
      }
    });

    it('answers random calls like a simple model of its table', () => {
      for (let seed = 1; seed <= SEQUENCES; seed++) assertSequence(version, seed);
    });

    it('converts values other than text, and never throws', () => {
      const api = start(version);
      for (const strange of [undefined, null, 7, true, {}, [], Symbol.iterator]) {
        for (const call of Object.values(api)) assert.equal(typeof call(strange, strange), 'string');
      }
    });
  });
}
