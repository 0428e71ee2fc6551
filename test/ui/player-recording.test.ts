import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failedWords } from '../../web/player/src/record.ts';
import { type RecordedUnit, Recording } from '../../web/player/src/recording.ts';
import type { PageResponse } from '../../web/player/src/server.ts';

const PAGE = { mode: 'normal', registration: 'R', course: { name: 'C', standard: 'AICC' } } as PageResponse;

const recordingOf = () => new Recording(PAGE, { sharedState: () => ({}), onState: () => {} });
/** A unit that calls the service itself. */
const opened = (id: string): RecordedUnit => ({
  unit: { id },
  start: { isReview: false },
  runtime: null,
  saver: null,
});

describe('the work of a unit that was left without a connection', () => {
  it('is not shown as saved after another unit, until the unit is opened again and left with a connection', () => {
    const recording = recordingOf();
    recording.left(opened('a'), 'lost');
    assert.equal(recording.doubt, 'lost');
    recording.left(opened('b'), null);
    assert.equal(recording.doubt, 'lost');
    recording.left(opened('a'), null);
    assert.equal(recording.doubt, null);
  });

  it('is shown as refused if the service has rejected some of it, unless other work was lost', () => {
    const recording = recordingOf();
    recording.left(opened('a'), 'refused');
    assert.equal(recording.doubt, 'refused');
    recording.left(opened('b'), 'lost');
    assert.equal(recording.doubt, 'lost');
  });

  it('is not in doubt if nothing was to be recorded', () => {
    const recording = recordingOf();
    recording.left({ ...opened('a'), start: { isReview: true } }, 'refused');
    assert.equal(recording.doubt, null);
  });

  it('is not shown as saved when its window was closed before, and the page has a connection again', () => {
    const recording = recordingOf();
    const open = opened('a');
    recording.left(open, 'lost');
    recording.left(open, null);
    assert.equal(recording.doubt, 'lost');
  });

  it('is not shown as kept if it was lost and the next unit cannot be opened', () => {
    assert.match(
      failedWords(null),
      /^The service cannot be reached\. Check your connection.* Your earlier work is kept\.$/,
    );
    assert.match(
      failedWords('lost'),
      /^The service cannot be reached\. Check your connection.* Your last work may not be saved\./,
    );
    assert.doesNotMatch(failedWords('lost'), /kept/);
    assert.match(
      failedWords(null, true),
      /^The service refuses to open it\. .* Your earlier work is kept\.$/,
    );
  });
});
