import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ResponseBody } from './response-body.ts';

function read(limit: number, ...chunks: (string | number[])[]): ResponseBody {
  const body = new ResponseBody(limit);
  for (const chunk of chunks)
    body.append(typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk));
  return body;
}

describe('the body of a response', () => {
  it('is empty at first', () => {
    assert.equal(read(10).text(), '');
    assert.equal(read(10, '').truncated, false);
  });

  it('contains the added bytes, up to the limit', () => {
    const exact = read(10, 'abc', 'defg', 'hij');
    assert.equal(exact.text(), 'abcdefghij');
    assert.equal(exact.truncated, false);

    const longer = read(10, 'abc', 'defg', 'hijk');
    assert.equal(longer.text(), 'abcdefghij');
    assert.equal(longer.truncated, true);
  });

  it('does not end in half a character if it was truncated', () => {
    assert.equal(read(5, 'abcd€').text(), 'abcd');
    assert.equal(read(7, 'abcd€').text(), 'abcd€');
  });

  it('is read across chunks that cut a character in two', () => {
    assert.equal(read(100, [0xe2], [0x82], [0xac]).text(), '€');
  });

  it('is read in the encoding of its Content-Type', () => {
    const latin = [0x55, 0x6e, 0x67, 0xfc, 0x6c, 0x74, 0x69, 0x67];
    for (const type of ['text/plain; charset=iso-8859-1', 'text/plain;Charset="windows-1252"; q=1'])
      assert.equal(read(100, latin).text(type), 'Ungültig', type);
    assert.equal(
      read(100, [0x61, 0x00, 0x00, 0x00]).text('text/plain; charset=utf-16le'),
      'a\uFFFD',
      'NUL is replaced',
    );
    assert.equal(
      read(3, [0x82, 0xa0, 0x82, 0xa2]).text('text/plain; charset=shift_jis'),
      'あ',
      'no half of a character',
    );
    for (const type of [
      undefined,
      '',
      'text/plain',
      'text/plain; charset=',
      'text/plain; charset=utf8',
      'x; charset=none',
    ])
      assert.equal(read(100, 'ü').text(type), 'ü', type);
  });

  it('replaces invalid UTF-8 and NUL', () => {
    assert.equal(read(100, [0x61, 0xff, 0x62, 0xc3]).text(), 'a\uFFFDb\uFFFD');
    assert.equal(read(100, [0x61, 0x00, 0x62]).text(), 'a\uFFFDb');
  });

  it('keeps a byte order mark, whether it is complete or not', () => {
    assert.equal(read(100, '\uFEFFa').text(), '\uFEFFa');
    assert.equal(read(4, '\uFEFFab').text(), '\uFEFFa');
  });

  it('does not change the bytes it was given', () => {
    const first = Buffer.from('ab');
    const body = new ResponseBody(100);
    body.append(first);
    body.append(Buffer.from('cd'));
    assert.equal(first.toString(), 'ab');
    assert.equal(body.text(), 'abcd');
  });

  it('is the beginning of all bytes, however they are cut into chunks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 3_000 }), { maxLength: 8 }),
        fc.nat(9_000),
        (parts, limit) => {
          const ascii = parts.map((part) => part.replace(/[^ -~]/g, 'x'));
          const body = read(limit, ...ascii);
          const whole = ascii.join('');
          assert.equal(body.text(), whole.slice(0, limit));
          assert.equal(body.truncated, whole.length > limit);
        },
      ),
    );
  });
});
