import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CredentialsCipher, UndecryptableError } from './credentials-cipher.ts';

const SECRET = 'a'.repeat(64);
const OLDER = 'b'.repeat(64);
const cipher = new CredentialsCipher([SECRET]);
const credentials = { key: 'coursewire', secret: 'open sesame' };

function assertUndecryptable(decrypt: () => unknown, what = ''): void {
  assert.throws(decrypt, (error) => error instanceof UndecryptableError, what);
}

describe('the credentials cipher', () => {
  test('returns the stored text, whatever characters it has', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary', maxLength: 1_000 }),
        (webhookId, key, secret) => {
          const stored = cipher.encryptCredentials(webhookId, { key, secret });
          assert.deepEqual(cipher.decryptCredentials(webhookId, stored), { key, secret });
        },
      ),
    );
  });

  test('does not reveal them, and encrypts the same ones differently each time', () => {
    const first = cipher.encryptCredentials(1, credentials);
    const second = cipher.encryptCredentials(1, credentials);
    assert.notEqual(first, second);
    const [, keyId, , sealed = ''] = first.split('.');
    const bytes = Buffer.from(sealed, 'base64url').toString('latin1');
    for (const hidden of [credentials.key, credentials.secret, SECRET]) {
      assert.ok(!first.includes(hidden) && !bytes.includes(hidden));
    }
    assert.ok(!SECRET.startsWith(keyId ?? SECRET));
  });

  test('a value copied into another row does not decrypt', () => {
    const stored = cipher.encryptCredentials(1, credentials);
    for (const webhookId of [0, 2, 11])
      assertUndecryptable(() => cipher.decryptCredentials(webhookId, stored));
  });

  test('a value bound to something else is no credential', () => {
    assertUndecryptable(() =>
      cipher.decryptCredentials(1, cipher.encrypt('something', JSON.stringify(credentials))),
    );
  });

  test('a value that was changed in any bit, truncated or extended does not decrypt', () => {
    const stored = cipher.encryptCredentials(1, credentials);
    const [version, keyId, nonce = '', sealed = ''] = stored.split('.');
    for (const [place, part] of [nonce, sealed].entries()) {
      const bytes = Buffer.from(part, 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const parts =
          place === 0 ? [flipped.toString('base64url'), sealed] : [nonce, flipped.toString('base64url')];
        assertUndecryptable(
          () => cipher.decryptCredentials(1, [version, keyId, ...parts].join('.')),
          `bit ${bit}`,
        );
      }
    }
    for (let length = 0; length < stored.length; length++) {
      assertUndecryptable(
        () => cipher.decryptCredentials(1, stored.slice(0, length)),
        `${length} characters`,
      );
    }
    for (const grown of [
      `${stored}.`,
      `${stored}.AAAA`,
      `${stored}AAAA`,
      `v2${stored.slice(2)}`,
      `x${stored}`,
    ]) {
      assertUndecryptable(() => cipher.decryptCredentials(1, grown), grown);
    }
    for (const other of ['', '....', 'v1....', `v1.${keyId}...`, '{"key":"k","secret":"s"}']) {
      assertUndecryptable(() => cipher.decryptCredentials(1, other), other);
    }
  });

  test('a value with only a part of its tag does not decrypt', () => {
    const [version, keyId, nonce, tag = ''] = cipher.encrypt('empty', '').split('.');
    assert.equal(cipher.decrypt('empty', [version, keyId, nonce, tag].join('.')), '');
    for (const bytes of [4, 8, 12, 15]) {
      const part = Buffer.from(tag, 'base64url').subarray(0, bytes).toString('base64url');
      const stored = [version, keyId, nonce, part].join('.');
      assertUndecryptable(() => cipher.decrypt('empty', stored), `${bytes} bytes`);
    }
  });

  test('another secret does not decrypt them, and the error contains neither', () => {
    const stored = cipher.encryptCredentials(1, credentials);
    const other = new CredentialsCipher([OLDER]);
    assert.throws(
      () => other.decryptCredentials(1, stored),
      (error) =>
        error instanceof UndecryptableError &&
        /webhooks_auth_secret/.test(error.message) &&
        ![SECRET, OLDER, credentials.secret].some((hidden) => error.message.includes(hidden)),
    );
  });

  test('older secrets still decrypt, the current one encrypts', () => {
    const byOlder = new CredentialsCipher([OLDER]).encryptCredentials(1, credentials);
    const rotated = new CredentialsCipher([SECRET, OLDER]);
    assert.deepEqual(rotated.decryptCredentials(1, byOlder), credentials);
    const byCurrent = rotated.encryptCredentials(1, credentials);
    assert.deepEqual(cipher.decryptCredentials(1, byCurrent), credentials);
    assertUndecryptable(() => new CredentialsCipher([OLDER]).decryptCredentials(1, byCurrent));
  });
});
