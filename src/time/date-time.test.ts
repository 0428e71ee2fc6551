import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatDateTime, formatOptionalDateTime, parseDateTime } from './date-time.ts';

const FIRST = Date.parse('0000-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

describe('parsing times', () => {
  test('accepts every notation of a time with a zone', () => {
    const moment = Date.UTC(2026, 0, 31, 9, 30, 0);
    const same = [
      '2026-01-31T09:30:00Z',
      '2026-01-31T09:30:00.000Z',
      '2026-01-31t09:30:00z',
      '2026-01-31T09:30Z',
      '2026-01-31T09:30:00+00:00',
      '2026-01-31T09:30:00-00:00',
      '2026-01-31T10:30:00+01:00',
      '2026-01-31T10:30:00+0100',
      '2026-01-31T10:30:00+01',
      '2026-01-31T15:15:00+05:45',
      '2026-01-30T21:30:00-12:00',
      '2026-01-31T23:30:00+14:00',
      '2026-01-31T09:30:00,000Z',
      '2026-01-31T09:30:00.000000000Z',
    ];
    for (const text of same) assert.equal(parseDateTime(text), moment, text);
  });

  test('keeps milliseconds and drops finer fractions', () => {
    const second = Date.UTC(2026, 0, 31, 9, 30, 15);
    const fractions = { '.1': 100, '.12': 120, '.123': 123, '.1239': 123, '.123456789': 123, ',5': 500 };
    for (const [fraction, milliseconds] of Object.entries(fractions)) {
      assert.equal(parseDateTime(`2026-01-31T09:30:15${fraction}Z`), second + milliseconds, fraction);
    }
  });

  test('knows the calendar', () => {
    const days = ['2024-02-29', '2000-02-29', '2026-12-31', '0001-01-01', '0099-07-04', '9999-12-31'];
    for (const day of days)
      assert.equal(parseDateTime(`${day}T00:00:00Z`), Date.parse(`${day}T00:00:00.000Z`), day);
    const none = [
      '2026-02-29',
      '1900-02-29',
      '2026-02-30',
      '2026-04-31',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
    ];
    for (const day of none) assert.equal(parseDateTime(`${day}T00:00:00Z`), null, day);
  });

  test('refuses times and zones that no clock shows', () => {
    for (const time of [
      '24:00:00Z',
      '25:00:00Z',
      '10:60:00Z',
      '10:00:60Z',
      '10:00:00+24:00',
      '10:00:00+10:60',
    ]) {
      assert.equal(parseDateTime(`2026-01-31T${time}`), null, time);
    }
  });

  test('rejects a time without a zone, and anything that is not a time', () => {
    const texts = [
      '',
      '2026-01-31',
      '2026-01-31T09:30:00',
      '2026-01-31 09:30:00Z',
      '20260131T093000Z',
      '2026-1-31T09:30:00Z',
      '26-01-31T09:30:00Z',
      '2026-01-31T09:30:00.Z',
      '2026-01-31T09:30:00 Z',
      ' 2026-01-31T09:30:00Z',
      '2026-01-31T09:30:00Z\n',
      '2026-01-31T09:30:00ZZ',
      '2026-01-31T09:30:00+1:00',
      '+002026-01-31T09:30:00Z',
      '٢٠٢٦-01-31T09:30:00Z',
      '1769851800000',
      'now',
      'Sat, 31 Jan 2026 09:30:00 GMT',
    ];
    for (const text of texts) assert.equal(parseDateTime(text), null, JSON.stringify(text));
  });

  test('rejects a time that could not be written in the same form', () => {
    assert.equal(parseDateTime('9999-12-31T23:59:59.999Z'), LAST);
    assert.equal(parseDateTime('9999-12-31T23:59:59-00:01'), null);
    assert.equal(parseDateTime('0000-01-01T00:00:00Z'), FIRST);
    assert.equal(parseDateTime('0000-01-01T00:00:00+00:01'), null);
  });
});

describe('formatting times', () => {
  test('a formatted time is parsed as the same time', () => {
    fc.assert(
      fc.property(fc.integer({ min: FIRST, max: LAST }), (moment) => {
        const text = formatDateTime(moment);
        assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        assert.equal(parseDateTime(text), moment);
      }),
    );
  });

  test('everything that is read can be written and read again', () => {
    const two = (from: number, to: number) =>
      fc.integer({ min: from, max: to }).map((number) => String(number).padStart(2, '0'));
    const texts = fc
      .tuple(
        fc.integer({ min: 0, max: 9_999 }).map((year) => String(year).padStart(4, '0')),
        fc.tuple(two(1, 13), two(1, 32), two(0, 24), two(0, 60), two(0, 60)),
        fc.constantFrom('Z', '+14:00', '-12:00', '+05:45', '-23:59', '+23:59'),
      )
      .map(
        ([year, [month, day, hour, minute, second], zone]) =>
          `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`,
      );
    fc.assert(
      fc.property(texts, (text) => {
        const moment = parseDateTime(text);
        const byEngine = Date.parse(text);
        if (moment === null) return;
        assert.equal(moment, byEngine, text);
        assert.equal(parseDateTime(formatDateTime(moment)), moment);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a missing time is null', () => {
    assert.equal(formatOptionalDateTime(null), null);
    assert.equal(formatOptionalDateTime(0), '1970-01-01T00:00:00.000Z');
  });
});
