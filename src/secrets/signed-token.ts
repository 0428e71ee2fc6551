import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

const KEY_BYTES = 32;
const MAC_BYTES = 32;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/**
 * The keys of one purpose, one for each secret, in the same order. Each is derived with HKDF-SHA256.
 * @param purpose separates these keys from every other use of the same secret (RFC 5869 §3.2)
 * @param salt separates them from those of other installations with the same secret. Signed texts that contain a random
 *   id, which another installation does not have, need none.
 * @see RFC 5869
 */
export function signingKeys(
  authSecrets: readonly [string, ...string[]],
  purpose: string,
  salt: Buffer | '' = '',
): [KeyObject, ...KeyObject[]] {
  const derive = (secret: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, salt, purpose, KEY_BYTES)));
  const [current, ...former] = authSecrets;
  return [derive(current), ...former.map(derive)];
}

/**
 * Self-contained tokens, signed with HMAC-SHA256. Nothing is stored for them, and they survive a restart. The text is
 * the name of the format, then base64url of the claim and its MAC. Each claim has exactly one text.
 */
export class SignedTokens {
  readonly #format: string;
  readonly #keys: readonly [KeyObject, ...KeyObject[]];

  /**
   * @param keys the first one signs; tokens signed with any of them are accepted
   * @param format the prefix of every token; a later format gets another name
   */
  constructor({ keys, format }: { keys: readonly [KeyObject, ...KeyObject[]]; format: string }) {
    this.#format = format;
    this.#keys = keys;
  }

  /** The token of a claim. */
  sign(claim: Buffer): string {
    return this.#format + Buffer.concat([claim, this.#mac(this.#keys[0], claim)]).toString('base64url');
  }

  /** The claim of a token; null if it is not one of ours. */
  read(token: string): Buffer | null {
    if (!token.startsWith(this.#format)) return null;
    const text = token.slice(this.#format.length);
    if (!BASE64URL.test(text)) return null;
    const signed = Buffer.from(text, 'base64url');
    // The last character of base64url may have unused bits. They are checked, so that each token has one text.
    if (signed.length <= MAC_BYTES || signed.toString('base64url') !== text) return null;
    const claim = signed.subarray(0, -MAC_BYTES);
    const found = signed.subarray(-MAC_BYTES);
    return this.#keys.some((key) => timingSafeEqual(this.#mac(key, claim), found)) ? claim : null;
  }

  /** A KeyObject takes a fifth of the time of a Buffer as key. */
  #mac(key: KeyObject, claim: Buffer): Buffer {
    return createHmac('sha256', key).update(this.#format).update(claim).digest();
  }
}
