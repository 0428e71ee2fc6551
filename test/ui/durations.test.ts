import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errors } from '../../web/src/texts/errors.ts';
import { formatBytes, formatCompact, formatShare } from '../../web/src/utilities/numbers.ts';
import { formatCountdown, formatDuration, formatRelative } from '../../web/src/utilities/times.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Shows the places where a line may break as `|`. */
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

test('a length of time is rounded before its unit is chosen', () => {
  for (const [ms, expected] of [
    [999.4, '999 ms'],
    [999.6, '1.0 s'],
    [9_940, '9.9 s'],
    [9_960, '10 s'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [119_600, '2 min'],
    [HOUR - 400, '1 h'],
    [2 * HOUR - 400, '2 h'],
    [DAY - 400, '1 d'],
    [2 * DAY - 400, '2 d'],
  ] as const) {
    assert.equal(breaks(formatDuration(ms)), expected);
  }
});

test('a countdown ends at one second', () => {
  assert.equal(breaks(formatCountdown(1)), '1 s');
  assert.equal(breaks(formatCountdown(59 * SECOND)), '59 s');
  assert.equal(breaks(formatCountdown(59 * SECOND + 1)), '1 min');
  assert.equal(breaks(formatCountdown(61 * SECOND)), '1 min|1 s');
  assert.equal(breaks(formatCountdown(61 * SECOND + 1)), '1 min|2 s');
  assert.equal(breaks(formatCountdown(HOUR - 1)), '1 h');
});

test('a time ago is rounded before its unit is chosen', () => {
  const now = new Date(2026, 10, 26, 12).getTime();
  for (const [ms, expected] of [
    [59_400, '59 seconds ago'],
    [59_600, '1 minute ago'],
    [89_600, '1 minute ago'],
    [HOUR - 31 * SECOND, '59 minutes ago'],
    [HOUR - SECOND, '1 hour ago'],
    [DAY - HOUR, '23 hours ago'],
    [DAY - SECOND, 'yesterday'],
    [-59_600, 'in 1 minute'],
    [-(HOUR - SECOND), 'in 1 hour'],
    [-(DAY - SECOND), 'tomorrow'],
  ] as const) {
    assert.equal(formatRelative(new Date(now - ms), now), expected);
  }
});

test('a size is rounded before its unit is chosen', () => {
  for (const [bytes, expected] of [
    [0, '0 B'],
    [1_023, '1023 B'],
    [1_024, '1.0 KB'],
    [99.94 * 1_024, '99.9 KB'],
    [99.96 * 1_024, '100 KB'],
    [1_048_575, '1.0 MB'],
    [1_073_741_823, '1.0 GB'],
    [2_000 * 1_024 ** 4, '2000 TB'],
  ] as const) {
    assert.equal(formatBytes(bytes), expected);
  }
});

test('a share or a count at the edge of a unit is in the right unit', () => {
  assert.equal(formatShare(0.99996), '99.9%');
  assert.equal(formatShare(0.00001), '0.1%');
  assert.equal(formatCompact(999_950), '1M');
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

test('the wait before another try is rounded up before its words are chosen', () => {
  for (const [seconds, expected] of [
    [0.5, 'Try again in 1 second.'],
    [1, 'Try again in 1 second.'],
    [1.5, 'Try again in 2 seconds.'],
    [90, 'Try again in 2 minutes.'],
  ] as const) {
    assert.equal(errors.tooMany.advice(seconds), expected);
  }
});
