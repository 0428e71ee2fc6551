import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ElementStatus, evaluateAiccScript } from './aicc-script.ts';

const STATUSES: Record<string, ElementStatus> = {
  passed: 'passed',
  done: 'completed',
  failed: 'failed',
  seen: 'browsed',
  new: 'not attempted',
  begun: 'incomplete',
  'item-1.2_x': 'completed',
};
const evaluate = (script: string) => evaluateAiccScript(script, (id) => STATUSES[id] ?? null);

describe('the AICC script language', () => {
  const cases: [script: string, result: boolean | null][] = [
    ['passed', true],
    ['done', true],
    ['failed', false],
    ['seen', false],
    ['new', false],
    ['begun', false],
    ['item-1.2_x', true],
    ['~new', true],
    ['~~done', true],
    ['~(done & new)', true],
    ['passed & done', true],
    ['passed&new', false],
    ['new | done', true],
    ['new | begun', false],
    // "And" binds closer than "or".
    ['done | new & begun', true],
    ['(done | new) & begun', false],
    ['passed = "passed"', true],
    ['passed = P', true],
    ['failed="failed"', true],
    ['new = "not attempted"', true],
    ['seen = browsed', true],
    ['passed = "completed"', true],
    ['done = "passed"', false],
    ['done <> "passed"', true],
    ['passed <> "completed"', false],
    ['2*{passed, done, new}', true],
    ['3*{passed, done, new}', false],
    ['3*{passed, done, (new | ~begun)}', true],
    ['1*{2*{passed, new}, done}', true],
    // The status of "other" is unknown. A result is known only if it does not depend on it.
    ['other', null],
    ['~other', null],
    ['other & new', false],
    ['other & done', null],
    ['other | done', true],
    ['other = passed', null],
    ['2*{passed, other}', null],
    ['1*{passed, other}', true],
    ['', null],
    ['passed &', null],
    ['& passed', null],
    ['passed done', null],
    ['(passed', null],
    ['passed)', null],
    ['passed = ', null],
    ['passed = "x"', null],
    ['2*passed', null],
    ['passed < done', null],
    ['"passed', null],
    [`${'('.repeat(5_000)}passed${')'.repeat(5_000)}`, null],
    [`${'~'.repeat(10_000)}passed`, true],
  ];
  for (const [script, result] of cases) {
    it(`reads ${script.slice(0, 40) || 'an empty script'} as ${result}`, () => {
      assert.equal(evaluate(script), result);
    });
  }
});
