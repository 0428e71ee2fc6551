import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { inspectFiles } from '../../../test/course-packages/package-file.ts';
import { scorm2004Files } from '../../../test/support/course-packages.ts';
import { durationMs, durationOf, readScorm2004 } from './scorm2004-status.ts';

describe('the status of a SCORM 2004 unit', () => {
  let course: Awaited<ReturnType<typeof inspectFiles>>;
  before(async () => {
    course = await inspectFiles(scorm2004Files());
  });
  const statusOf = (
    cmi: Record<string, unknown>,
    { masteryScore = null as number | null, completionThreshold = null as number | null, terminated = false },
  ) => {
    const unit = { id: 'i1', masteryScore, completionThreshold };
    const { completion, success } = readScorm2004(cmi, unit, course, terminated).status;
    return [completion, success];
  };

  it('is passed from the passing score on, whatever the unit says', () => {
    const scored = (scaled: string) => ({ success_status: 'failed', score: { scaled } });
    assert.equal(statusOf(scored('0.8'), { masteryScore: 0.8 })[1], 'PASS');
    assert.equal(statusOf(scored('0.79'), { masteryScore: 0.8 })[1], 'FAIL');
    assert.equal(statusOf({ success_status: 'passed' }, { masteryScore: 0.8 })[1], 'PASS', 'not measured');
  });

  it('is completed from the completion threshold on, whatever the unit says', () => {
    const measured = (progress_measure: string) => ({ completion_status: 'incomplete', progress_measure });
    assert.equal(statusOf(measured('0.5'), { completionThreshold: 0.5 })[0], 'Completed');
    assert.equal(statusOf(measured('0.49'), { completionThreshold: 0.5 })[0], 'Incomplete');
    assert.equal(statusOf({ completion_status: 'completed' }, { completionThreshold: 0.5 })[0], 'Completed');
  });

  it('is completed if the unit ends without a status, unless it suspends', () => {
    assert.equal(statusOf({}, { terminated: true })[0], 'Completed');
    assert.equal(statusOf({ completion_status: 'unknown' }, { terminated: true })[0], 'Completed');
    assert.equal(statusOf({}, {})[0], 'Incomplete');
    assert.equal(statusOf({ exit: 'suspend' }, { terminated: true })[0], 'Incomplete');
  });
});

describe('a time interval of SCORM 2004', () => {
  it('is read with all its parts, and written in hours, minutes and hundredths of a second', () => {
    assert.equal(durationMs('P1DT2H3M4.5S'), 93_784_500);
    assert.equal(durationOf(93_784_500), 'PT26H3M4.5S');
    assert.equal(durationOf(0), 'PT0S');
  });

  it('is rejected if it has no parts, or is malformed', () => {
    for (const text of ['', 'P', 'PT', '1H', 'PT1H1H']) assert.equal(durationMs(text), null, text);
  });
});
