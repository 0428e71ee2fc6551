import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { entityTag, expectedRevisions } from './conditions.ts';

/** A request with this If-Match field; nothing else of it is read. */
function requestWith(ifMatch: string | undefined): FastifyRequest {
  return { headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } } as FastifyRequest;
}

describe('conditions (RFC 9110 section 13.1.1)', () => {
  test('without If-Match, or with an asterisk, every revision is accepted', () => {
    for (const field of [undefined, '*', ' * ']) assert.equal(expectedRevisions(requestWith(field)), null);
  });

  test('the tag of a revision accepts only this revision', () => {
    assert.equal(entityTag(17), '"17"');
    assert.deepEqual(expectedRevisions(requestWith(entityTag(17))), new Set([17]));
  });

  test('one matching tag of a list is enough', () => {
    assert.deepEqual(expectedRevisions(requestWith('"3" , "foreign","5"')), new Set([3, 5]));
  });

  test('a tag that a proxy changed because it compressed the response is still that of the revision', () => {
    for (const field of ['W/"3"', '"3-gzip"', 'W/"3-br"', '"3;gzip"', '"other", W/"3"'])
      assert.deepEqual(expectedRevisions(requestWith(field)), new Set([3]), field);
  });

  test('anything but the tag of a revision matches nothing', () => {
    for (const field of [
      '',
      '""',
      '3',
      "'3'",
      'w/"3"',
      'W/3',
      'W/ "3"',
      '"3-"',
      '"3-4"',
      '"3',
      '"-3"',
      '"3.0"',
      '"٣"',
      `"${'9'.repeat(400)}"`,
      '"3" "4"',
    ]) {
      assert.deepEqual(expectedRevisions(requestWith(field)), new Set(), field);
    }
  });
});
