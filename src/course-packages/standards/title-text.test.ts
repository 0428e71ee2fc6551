import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { titleText } from './title-text.ts';

describe('a title', () => {
  it('is one line without white space around it', () => {
    assert.equal(titleText('\n   Golf\t\tExplained \r\n  Basics  '), 'Golf Explained Basics');
  });

  it('has no control characters and no halves of characters', () => {
    assert.equal(titleText('A\u0000B\u0085C\ud800'), 'A B C\ufffd');
  });

  it('is null if it is missing', () => {
    assert.equal(titleText(null), null);
    assert.equal(titleText(' \n '), null);
  });

  it('is truncated to 500 characters', () => {
    assert.equal(titleText('😀'.repeat(500)), '😀'.repeat(500));
    assert.equal(titleText('😀'.repeat(501)), `${'😀'.repeat(499)}…`);
    assert.equal(titleText('x'.repeat(1_000_000))?.length, 500);
  });
});
