import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { pageRequest, pageResponse, parseCursor } from './paging.ts';

describe('paging', () => {
  test('a list starts with its first 50 items by default', () => {
    assert.deepEqual(pageRequest({}), { limit: 50, after: null });
    assert.deepEqual(pageRequest({ limit: 7 }), { limit: 7, after: null });
  });

  test('the cursor of a page asks for the next one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (id) => {
        const { next_cursor } = pageResponse({ items: [], next: id }, (item) => item);
        assert.match(next_cursor ?? '', /^[\w-]+$/, 'goes into a query as it is');
        assert.deepEqual(pageRequest({ cursor: next_cursor ?? '' }), { limit: 50, after: id });
      }),
    );
  });

  test('the last page has no cursor', () => {
    assert.deepEqual(
      pageResponse({ items: [{ id: 1 }], next: null }, ({ id }) => id),
      { data: [1], next_cursor: null },
    );
  });

  test('a cursor that no list returned is not read, however similar it is', () => {
    const encode = (text: string) => Buffer.from(text, 'latin1').toString('base64url');
    const texts = [
      '',
      ' ',
      '0x10',
      '1e3',
      '-1',
      '1.5',
      ' 5',
      '05',
      'NaN',
      'null',
      '9'.repeat(17),
      '1\n',
      '٣',
    ];
    for (const cursor of [...texts.map(encode), 'abc', 'MQ==', 'M!Q', 'MR', '%00', '🚒', ' MQ']) {
      assert.equal(parseCursor(cursor), null, JSON.stringify(cursor));
    }
  });
});
