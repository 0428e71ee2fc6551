import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browserLanguages, fittingLanguages } from './language-choice.ts';

const choices = ['en-GB', 'de', 'fr-CA', 'en-US', 'zh-Hant-TW'].map((language) => ({ language }));
const fitting = (...ranges: string[]) => fittingLanguages(choices, ranges).map(({ language }) => language);

describe('the languages of a course that match a request', () => {
  it('are the same language, otherwise variants, otherwise more general ones', () => {
    assert.deepEqual(fitting('en-US'), ['en-US']);
    assert.deepEqual(fitting('EN-us'), ['en-US']);
    assert.deepEqual(fitting('en'), ['en-GB', 'en-US']);
    assert.deepEqual(fitting('de-AT'), ['de']);
    assert.deepEqual(fitting('fr-FR'), ['fr-CA']);
    assert.deepEqual(fitting('zh-Hant'), ['zh-Hant-TW']);
    assert.deepEqual(fitting('d'), []);
    assert.deepEqual(fitting('nl'), []);
  });

  it('match the first preferred language that has any match', () => {
    assert.deepEqual(fitting('nl', 'de-CH', 'en'), ['de']);
    assert.deepEqual(fitting(), []);
  });
});

describe('the languages that a browser accepts', () => {
  it('are in the order of preference, without invalid and unwanted ones', () => {
    assert.deepEqual(browserLanguages('de-CH, fr;q=0.5, de;q=0.9, *;q=0.1, en;q=0, x y'), [
      'de-CH',
      'de',
      'fr',
    ]);
    assert.deepEqual(browserLanguages(undefined), []);
    assert.deepEqual(browserLanguages(';;,,q=;'), []);
    assert.ok(browserLanguages('en,'.repeat(10_000)).length <= 20);
    // Finding its canonical form would take longer than other requests may wait.
    assert.deepEqual(browserLanguages(`en-x${'-a'.repeat(8_000)}, de`), ['de']);
  });
});
