import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LaunchTokens } from './launch-tokens.ts';

const NOW = Date.UTC(2026, 0, 31, 9, 30);
const REGISTRATION = {
  registrationId: '0d0c8c4e-7a55-4f6a-9a63-5d0e3a1f5c11',
  versionId: 3,
  returnUrl: null,
  mode: 'normal' as const,
  language: null,
};
const secret = (character: string) => character.repeat(64);

function tokensWith(...secrets: [string, ...string[]]): LaunchTokens {
  return new LaunchTokens({ authSecrets: secrets, now: () => NOW });
}

describe('launch tokens', () => {
  it('say which version of which registration they open, and until when', () => {
    const { token, expiresAt } = tokensWith(secret('a')).issue(REGISTRATION);
    assert.equal(expiresAt, NOW + 8 * 3_600_000);
    assert.match(token, /^cwl1_[\w-]{78}$/);
    assert.deepEqual(tokensWith(secret('a')).read(token), { ...REGISTRATION, expiresAt });
  });

  it('hold the address that the learner returns to', () => {
    const returnUrl = 'https://portal.example/köln?a=1#b';
    const { token } = tokensWith(secret('a')).issue({ ...REGISTRATION, returnUrl });
    assert.equal(tokensWith(secret('a')).read(token)?.returnUrl, returnUrl);
    assert.equal(tokensWith(secret('a')).read(token.replace('cwl2_', 'cwl1_')), null);
  });

  it('hold the mode, with and without an address', () => {
    for (const mode of ['browse', 'review'] as const) {
      for (const returnUrl of [null, 'https://portal.example/']) {
        const { token } = tokensWith(secret('a')).issue({ ...REGISTRATION, mode, returnUrl });
        const { expiresAt: _, ...read } = tokensWith(secret('a')).read(token)!;
        assert.deepEqual(read, { ...REGISTRATION, mode, returnUrl });
      }
    }
  });

  it('hold the requested language, with and without a mode and an address', () => {
    const language = `de-${'x'.repeat(97)}`;
    for (const mode of ['normal', 'review'] as const) {
      for (const returnUrl of [null, 'https://portal.example/']) {
        const of = { ...REGISTRATION, mode, returnUrl, language };
        const { token } = tokensWith(secret('a')).issue(of);
        const { expiresAt: _, ...read } = tokensWith(secret('a')).read(token)!;
        assert.deepEqual(read, of);
      }
    }
  });

  it('hold the largest version as well', () => {
    const tokens = tokensWith(secret('a'));
    const versionId = 2 ** 32 - 1;
    assert.equal(tokens.read(tokens.issue({ ...REGISTRATION, versionId }).token)?.versionId, versionId);
  });

  it('are read with a former secret, and not with another one', () => {
    const { token } = tokensWith(secret('a')).issue(REGISTRATION);
    assert.notEqual(tokensWith(secret('b'), secret('a')).read(token), null);
    assert.equal(tokensWith(secret('b')).read(token), null);
    assert.notEqual(tokensWith(secret('b'), secret('a')).issue(REGISTRATION).token, token);
  });

  it('are refused when any character of them is changed', () => {
    const tokens = tokensWith(secret('a'));
    const { token } = tokens.issue(REGISTRATION);
    for (let at = 0; at < token.length; at++) {
      for (const other of ['A', 'B', '-', '.']) {
        if (other === token[at]) continue;
        assert.equal(
          tokens.read(token.slice(0, at) + other + token.slice(at + 1)),
          null,
          `at ${at}: ${other}`,
        );
      }
    }
  });

  it('have exactly one valid spelling each', () => {
    const tokens = tokensWith(secret('a'));
    const { token } = tokens.issue(REGISTRATION);
    // With 58 bytes, four bits of the last character are unused.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const taken = [...alphabet].filter((last) => tokens.read(token.slice(0, -1) + last) !== null);
    assert.deepEqual(taken, [token.at(-1)]);
  });

  it('are valid only exactly as issued: not shortened, extended, padded or otherwise changed', () => {
    const tokens = tokensWith(secret('a'));
    const { token } = tokens.issue(REGISTRATION);
    const texts = [
      '',
      'cwl1_',
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      ` ${token}`,
      `cwt1_${token.slice(5)}`,
    ];
    for (const text of [...texts, 'x'.repeat(1_000_000)]) assert.equal(tokens.read(text), null);
  });
});
