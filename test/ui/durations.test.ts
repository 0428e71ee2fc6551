import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCountdown, formatDuration, formatRelative } from '../../web/src/utilities/times.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** What a line may break at, shown as `|`. */
const breaks = (text: string) => text.replaceAll(' ', '|').replaceAll('\u00a0', ' ');

test('a length of time never breaks between a number and its unit', () => {
  for (const [ms, expected] of [
    [850, '850 ms'],
    [4_200, '4.2 s'],
    [42 * SECOND, '42 s'],
    [6 * MINUTE + 59 * SECOND, '6 min|59 s'],
    [2 * HOUR, '2 h'],
    [76 * HOUR, '3 d|4 h'],
  ] as const) {
    assert.equal(breaks(formatDuration(ms)), expected);
  }
});

test('a countdown ends at one second', () => {
  assert.equal(breaks(formatCountdown(1)), '1 s');
  assert.equal(breaks(formatCountdown(59 * SECOND + 1)), '60 s');
  assert.equal(breaks(formatCountdown(61 * SECOND)), '1 min|1 s');
});

test('days are those of the calendar', () => {
  const now = new Date(2026, 10, 26, 10);
  for (const [hours, expected] of [
    [23, '23 hours ago'],
    [25, 'yesterday'],
    [34, 'yesterday'],
    [35, '2 days ago'],
    [58, '2 days ago'],
    [59, '3 days ago'],
    [-30, 'tomorrow'],
    [-38, 'in 2 days'],
  ] as const) {
    assert.equal(formatRelative(new Date(now.getTime() - hours * HOUR), now.getTime()), expected);
  }
});
