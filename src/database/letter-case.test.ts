import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foldLetter, foldLetters, formsOf } from './letter-case.ts';

const LAST_LETTER = 0x10_ff_ff;

/** All letters that have cases. */
const letters = Array.from({ length: LAST_LETTER + 1 }, (_, code) => code)
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map((code) => String.fromCodePoint(code))
  .filter((letter) => letter.toLowerCase() !== letter || letter.toUpperCase() !== letter);

describe('letters in either case', () => {
  it('are folded in a text as they are alone', () => {
    for (const letter of letters) {
      const text = `x${letter}y ${letter}`;
      assert.equal(foldLetters(text), Array.from(text, foldLetter).join(''), letter);
    }
    assert.equal(foldLetters('ΟΔΟΣ ΟΔΟΣ'), 'οδοσ οδοσ');
  });

  it('have exactly all their forms listed', () => {
    const forms = new Map<string, string[]>();
    for (const letter of letters) {
      const folded = foldLetter(letter);
      forms.set(folded, [...(forms.get(folded) ?? []), letter]);
    }
    for (const [folded, all] of forms) {
      assert.equal(foldLetter(folded), folded);
      assert.deepEqual(formsOf(folded).sort(), all.sort());
    }
    assert.deepEqual(formsOf('日'), ['日']);
    assert.deepEqual(formsOf('ς').sort(), ['Σ', 'ς', 'σ']);
  });
});
