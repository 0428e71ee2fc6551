import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isQuietAt, isTimeZone, quietSince } from './quiet-hours.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (text: string) => Date.parse(text);
const isoOf = (time: number | null) => time && new Date(time).toISOString();

describe('quiet hours', () => {
  it('include their start and not their end', () => {
    const lunch = { from: '12:00', to: '13:30', timeZone: 'UTC' };
    assert.equal(isQuietAt(lunch, at('2026-01-15T11:59:59.999Z')), false);
    assert.equal(isQuietAt(lunch, at('2026-01-15T12:00:00Z')), true);
    assert.equal(isQuietAt(lunch, at('2026-01-15T13:29:59.999Z')), true);
    assert.equal(isQuietAt(lunch, at('2026-01-15T13:30:00Z')), false);
  });

  it('can span midnight', () => {
    const night = { from: '22:00', to: '07:00', timeZone: 'UTC' };
    for (const time of ['22:00', '23:59', '00:00', '06:59'])
      assert.equal(isQuietAt(night, at(`2026-01-15T${time}:00Z`)), true, time);
    for (const time of ['07:00', '12:00', '21:59'])
      assert.equal(isQuietAt(night, at(`2026-01-15T${time}:00Z`)), false, time);
  });

  it('follow the local time of their time zone, also when clocks change', () => {
    const night = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
    assert.equal(isQuietAt(night, at('2026-01-15T05:59:00Z')), true, 'winter: 06:59');
    assert.equal(isQuietAt(night, at('2026-07-15T05:59:00Z')), false, 'summer: 07:59');
    // In the night of 29 March 2026, 02:00 becomes 03:00.
    assert.equal(isQuietAt(night, at('2026-03-29T04:59:00Z')), true, '06:59 in summer time');
    assert.equal(isQuietAt(night, at('2026-03-29T05:00:00Z')), false, '07:00 in summer time');
  });

  it('began at the local time that is set, also if the clock was changed since', () => {
    const night = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
    // In the night of 25 October 2026, 03:00 becomes 02:00.
    assert.equal(isoOf(quietSince(night, at('2026-10-25T02:00:30Z'))), '2026-10-24T20:00:00.000Z');
    assert.equal(isoOf(quietSince(night, at('2026-03-29T04:00:30Z'))), '2026-03-28T21:00:00.000Z');
    assert.equal(isoOf(quietSince(night, at('2026-07-15T04:00:30Z'))), '2026-07-14T20:00:00.000Z');
  });

  it('began at the start of the current period without a gap', () => {
    const times = ['01:30', '02:00', '02:15', '02:30', '03:00'];
    // The hours around a change of the clock by an hour or half an hour.
    const nights = [
      ['Europe/Berlin', '2026-03-28T23:00Z'],
      ['Europe/Berlin', '2026-10-24T22:00Z'],
      ['Australia/Lord_Howe', '2026-04-04T12:00Z'],
      ['Australia/Lord_Howe', '2026-10-03T12:00Z'],
    ] as const;
    const pairs = times.flatMap((from) => times.filter((to) => to !== from).map((to) => ({ from, to })));
    for (const [timeZone, start] of nights)
      for (const pair of pairs) {
        const quiet = { ...pair, timeZone };
        let first = isQuietAt(quiet, at(start)) ? quietSince(quiet, at(start)) : null;
        for (let time = at(start); time < at(start) + 5 * HOUR; time += 15 * MINUTE) {
          first = isQuietAt(quiet, time) ? (first ?? time) : null;
          const message = `${pair.from} to ${pair.to} at ${isoOf(time)} in ${timeZone}`;
          assert.equal(isoOf(quietSince(quiet, time)), isoOf(first), message);
        }
      }
  });

  it('are ignored if their time zone is unknown', () => {
    const always = { from: '00:00', to: '23:59', timeZone: 'Europe/Nowhere' };
    assert.equal(isQuietAt(always, at('2026-01-15T12:00:00Z')), false);
  });

  it('do not exist without a setting', () => {
    assert.equal(isQuietAt(null, 0), false);
  });
});

describe('a time zone', () => {
  it('is known by its IANA name', () => {
    assert.ok(isTimeZone('Europe/Berlin') && isTimeZone('UTC') && isTimeZone('America/St_Johns'));
    assert.ok(!isTimeZone('Europe/Nowhere') && !isTimeZone('') && !isTimeZone('22:00'));
  });
});
