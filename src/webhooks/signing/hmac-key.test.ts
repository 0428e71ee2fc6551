import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { HmacKey } from './hmac-key.ts';

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');

describe('HMAC-SHA256', () => {
  test('is that of the test cases of RFC 4231', () => {
    const cases = [
      ['0b'.repeat(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
      [
        Buffer.from('Jefe').toString('hex'),
        'what do ya want for nothing?',
        '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
      ],
    ] as const;
    for (const [key, message, code] of cases) {
      const hmac = new HmacKey(Buffer.from(key, 'hex'));
      assert.equal(hmac.sign(message.slice(0, 2), message.slice(2)), base64(code));
    }
  });

  test('is that of node:crypto, whatever is signed and however long it is', () => {
    const keys = fc.uint8Array({ minLength: 0, maxLength: 64 });
    const bodies = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 2_000 }),
      fc.string({ maxLength: 300 }).map((text) => `${text}\ud800`),
      fc.integer({ min: 21_000, max: 70_000 }).map((length) => 'é'.repeat(length)),
      fc.uint8Array({ maxLength: 200 }),
    );
    fc.assert(
      fc.property(keys, fc.string({ maxLength: 60 }), bodies, (bytes, head, body) => {
        const key = Buffer.from(bytes);
        const expected = createHmac('sha256', key).update(head).update(body).digest('base64');
        assert.equal(new HmacKey(key).sign(head, body), expected);
      }),
    );
  });

  test('rejects keys that are longer than a block', () => {
    assert.throws(() => new HmacKey(Buffer.alloc(65)), RangeError);
  });
});
