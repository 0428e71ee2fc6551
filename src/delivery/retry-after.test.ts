import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRetryAfter } from './retry-after.ts';

const NOW = Date.UTC(2026, 10, 6, 8, 49, 37);

describe('Retry-After', () => {
  it('may be seconds', () => {
    assert.equal(parseRetryAfter('0', NOW), 0);
    assert.equal(parseRetryAfter(' 120 ', NOW), 120_000);
  });

  it('may be a date in each of the three forms', () => {
    for (const date of [
      'Fri, 06 Nov 2026 08:50:37 GMT',
      'Friday, 06-Nov-26 08:50:37 GMT',
      'Fri Nov  6 08:50:37 2026',
    ])
      assert.equal(parseRetryAfter(date, NOW), 60_000, date);
  });

  it('has no effect if its date is in the past', () => {
    assert.equal(parseRetryAfter('Fri, 06 Nov 2026 08:49:36 GMT', NOW), 0);
    assert.equal(parseRetryAfter('Sun, 06 Nov 1994 08:49:37 GMT', NOW), 0);
  });

  it('is a finite number, whatever the target sends', () => {
    assert.equal(parseRetryAfter('9'.repeat(400), NOW), Number.MAX_SAFE_INTEGER);
  });

  it('is ignored if it is neither', () => {
    for (const text of [
      '',
      'soon',
      '-1',
      '1.5',
      '1e3',
      '0x10',
      '2026-11-06',
      '60, 60',
      'Fri, 99 Nov 2026 08:50:37 GMT',
      'Fri, 06 Nov 2026 08:50:37',
    ])
      assert.equal(parseRetryAfter(text, NOW), null, text);
  });
});
