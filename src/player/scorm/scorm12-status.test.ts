import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timespanMs, timespanOf } from './scorm12-status.ts';

describe('a timespan of SCORM 1.2', () => {
  it('is rounded to hundredths of a second, up to the next minute and hour', () => {
    assert.equal(timespanOf(0), '0000:00:00.00');
    assert.equal(timespanOf(61_234), '0000:01:01.23');
    assert.equal(timespanOf(59_997), '0000:01:00.00');
    assert.equal(timespanOf(3_599_999), '0001:00:00.00');
    assert.equal(timespanMs(timespanOf(3_599_994)), 3_599_990);
  });
});
