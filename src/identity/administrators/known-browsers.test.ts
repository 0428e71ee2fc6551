import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../../test/support/clock.ts';
import { DAY_MS } from '../../time/units.ts';
import { KnownBrowsers } from './known-browsers.ts';

const SECRET = 'a'.repeat(64);
const OTHER_SECRET = 'b'.repeat(64);
const PASSWORD_HASH = '$argon2id$v=19$m=8,t=1,p=1$c2FsdA$aGFzaA';
const ANN = { emailKey: 'ann@example.com', passwordHash: PASSWORD_HASH };

describe('marks of known browsers', () => {
  test('identify a browser, each a different one, for the person they were issued to', () => {
    const browsers = new KnownBrowsers([SECRET]);
    const marks = [browsers.mark(ANN), browsers.mark(ANN)];
    const [first, second] = marks.map((mark) => browsers.browserOf(mark, ANN));
    assert.ok(first !== null && second !== null);
    assert.notEqual(first, second);
    assert.equal(browsers.browserOf(marks[0]!, { ...ANN, emailKey: 'bob@example.com' }), null);
  });

  test('end with the password', () => {
    const browsers = new KnownBrowsers([SECRET]);
    const mark = browsers.mark(ANN);
    for (const passwordHash of [`${PASSWORD_HASH}A`, '', null])
      assert.equal(browsers.browserOf(mark, { ...ANN, passwordHash }), null);
  });

  test('are accepted on every instance with the secret, and while it is a former secret', () => {
    const mark = new KnownBrowsers([SECRET]).mark(ANN);
    assert.notEqual(new KnownBrowsers([OTHER_SECRET, SECRET]).browserOf(mark, ANN), null);
    assert.equal(new KnownBrowsers([OTHER_SECRET]).browserOf(mark, ANN), null);
  });

  test('are valid for 180 days, however long a browser keeps the cookie', () => {
    const clock = new ManualClock();
    const browsers = new KnownBrowsers([SECRET], clock.now);
    const mark = browsers.mark(ANN);
    clock.pass(179 * DAY_MS);
    assert.notEqual(browsers.browserOf(mark, ANN), null);
    clock.pass(2 * DAY_MS);
    assert.equal(browsers.browserOf(mark, ANN), null);
  });

  test('cannot be forged or changed', () => {
    const browsers = new KnownBrowsers([SECRET]);
    const mark = browsers.mark(ANN);
    const [browser, day, signature] = mark.split('.');
    const changed = [
      `${'A'.repeat(22)}.${day}.${signature}`,
      `${browser}.${Number(day) + 1}.${signature}`,
      `${browser}.${day}.${'A'.repeat(43)}`,
      `${browser}.${signature}`,
    ];
    for (const forged of [null, '', '.', mark.slice(1), `${mark}A`, ...changed])
      assert.equal(browsers.browserOf(forged, ANN), null, String(forged));
  });
});
