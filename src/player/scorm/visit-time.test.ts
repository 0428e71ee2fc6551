import assert from 'node:assert/strict';
import { it } from 'node:test';
import { visitMs } from './visit-time.ts';

it('a later session of a visit adds at most the time that has passed in it', () => {
  const later = { earlierSessionsMs: 60_000, elapsedMs: 10_000 };
  assert.equal(visitMs(later, 8_000), 68_000);
  assert.equal(visitMs(later, 50_000), 70_000, 'more than has passed');
  assert.equal(visitMs(later, null), 70_000);
  assert.equal(visitMs(later, 75_000), 75_000, 'the time since the page was loaded');
  assert.equal(visitMs({ elapsedMs: 10_000 }, 50_000), 50_000, 'the first session');
});
