import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameName } from '../../web/src/utilities/same-name.ts';

test('a name is the same if it is shown the same', () => {
  for (const [name, typed] of [
    ['Acme Corp', ' Acme Corp '],
    ['Acme  Corp', 'Acme Corp'],
    ['Acme\u00a0Corp', 'Acme Corp'],
    ['Acme\tCorp', 'Acme Corp'],
    ['Acme\u200b', 'Acme'],
    ['Acme', '\u2068Acme\u2069'],
    ['\u3164Acme', 'Acme'],
    ['Cafe\u0301', 'Caf\u00e9'],
    ['\ufb01nance', 'finance'],
    ['e\u200b\u0301', '\u00e9'],
    ['\u2764\ufe0f', '\u2764'],
    ['\u3164', '\u3164'],
  ] as const)
    assert.ok(isSameName(name, typed), JSON.stringify([name, typed]));
});

test('a name is not the same with other letters, in another case, or without its spaces', () => {
  for (const typed of ['', 'Acme', 'acme corp', 'AcmeCorp', 'Acme Corp.'])
    assert.ok(!isSameName('Acme Corp', typed), typed);
  for (const [name, typed] of [
    ['\u3164', ''],
    ['\u115f', ''],
  ] as const)
    assert.ok(!isSameName(name, typed), JSON.stringify([name, typed]));
});
