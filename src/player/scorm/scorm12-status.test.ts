import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readScorm12, timespanMs, timespanOf } from './scorm12-status.ts';

describe('a timespan of SCORM 1.2', () => {
  it('is rounded to hundredths of a second, up to the next minute and hour', () => {
    assert.equal(timespanOf(0), '0000:00:00.00');
    assert.equal(timespanOf(61_234), '0000:01:01.23');
    assert.equal(timespanOf(59_997), '0000:01:00.00');
    assert.equal(timespanOf(3_599_999), '0001:00:00.00');
    assert.equal(timespanMs(timespanOf(3_599_994)), 3_599_990);
  });
});

describe('the status of a SCORM 1.2 unit', () => {
  const statusOf = (core: object, { terminated = false, masteryScore = null as number | null } = {}) => {
    const { completion, success } = readScorm12({ core }, { masteryScore }, terminated).status;
    return [completion, success];
  };

  it('is passed from the mastery score on, if the unit reports that it is completed', () => {
    const scored = (raw: string) => ({ lesson_status: 'completed', score: { raw } });
    assert.deepEqual(statusOf(scored('80'), { masteryScore: 80 }), ['Completed', 'PASS']);
    assert.deepEqual(statusOf(scored('79.9'), { masteryScore: 80 }), ['Completed', 'FAIL']);
    assert.deepEqual(statusOf(scored('80')), ['Completed', 'UNKNOWN']);
    assert.deepEqual(statusOf({ lesson_status: 'completed' }, { masteryScore: 80 }), [
      'Completed',
      'UNKNOWN',
    ]);
  });

  it('is completed if the unit ends without a status, unless it suspends', () => {
    const silent = { lesson_status: 'not attempted' };
    assert.deepEqual(statusOf(silent, { terminated: true }), ['Completed', 'UNKNOWN']);
    assert.deepEqual(statusOf(silent), ['Incomplete', 'UNKNOWN']);
    assert.deepEqual(statusOf({ ...silent, exit: 'suspend' }, { terminated: true }), [
      'Incomplete',
      'UNKNOWN',
    ]);
  });
});
