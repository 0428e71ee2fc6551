import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProblemError } from '../../problems/problem.ts';
import { Passwords } from './passwords.ts';

const MAX_WAITING = 64;
const RESERVED = 16;

describe('passwords', () => {
  test('are kept as argon2id hashes with a salt of their own and the cost that OWASP names', async () => {
    const passwords = new Passwords();
    const [first, second] = await Promise.all([passwords.hash('same'), passwords.hash('same')]);
    assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.notEqual(first, second);
    assert.equal(await passwords.verify(first, 'same'), true);
    assert.equal(await passwords.verify(first, 'other'), false);
  });

  test('are the same, however a keyboard encodes them', async () => {
    const passwords = new Passwords();
    const hash = await passwords.hash('é'.normalize('NFC'));
    assert.equal(await passwords.verify(hash, 'é'.normalize('NFD')), true);
    assert.equal(await passwords.verify(hash, 'e'), false);
  });

  test('without a stored hash, no text is the password', async () => {
    const passwords = new Passwords();
    for (const password of ['', '\0'.repeat(32), 'password']) {
      assert.equal(await passwords.verify(null, password), false);
    }
  });

  test('of unknown users wait their turn like all others, and too many at a time are rejected', async () => {
    const passwords = new Passwords();
    const refused = async (count: number, verify: () => Promise<unknown>) => {
      const results = await Promise.allSettled(Array.from({ length: count }, verify));
      return results.filter((result) => result.status === 'rejected' && result.reason instanceof ProblemError)
        .length;
    };
    // Known callers come after the strangers, and are not kept out by them.
    const counts = await Promise.all([
      refused(MAX_WAITING + 6, () => passwords.verify(null, 'x')),
      refused(RESERVED - 1, () => passwords.verify(null, 'x', { isKnown: true })),
      refused(2, () => passwords.hash('x')),
    ]);
    assert.deepEqual(counts, [6, 0, 1]);
    assert.equal((await passwords.hash('x')).startsWith('$argon2id$'), true);
  });

  test('with a damaged hash do not delay others', async () => {
    const passwords = new Passwords();
    await assert.rejects(passwords.verify('not a hash', 'x'));
    assert.equal(await passwords.verify(null, 'x'), false);
  });
});
