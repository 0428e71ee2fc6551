import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** How long a browser counts as known after a sign-in. */
export const KNOWN_FOR_MS = 180 * 24 * 60 * 60 * 1_000;

const KEY_BYTES = 32;
/** Separates these keys from every other use of the same secret (RFC 5869 section 3.2). */
const KEY_PURPOSE = 'coursewire known browser';
const NONCE_BYTES = 16;
const SHAPE = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

/**
 * Marks of browsers in which someone has signed in. A known browser has its own budget of wrong passwords, so
 * that guesses from elsewhere do not lock the person out. A mark does not identify anyone and grants no access.
 * @see OWASP, "Slow Down Online Guessing Attacks with Device Cookies"
 */
export class KnownBrowsers {
  readonly #keys: readonly KeyObject[];

  /** @param authSecrets the first one signs; marks signed with any of them are accepted */
  constructor(authSecrets: readonly [string, ...string[]]) {
    this.#keys = authSecrets.map((secret) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', KEY_PURPOSE, KEY_BYTES))),
    );
  }

  /** A new mark for a browser in which the person of this address has signed in. */
  mark(emailKey: string): string {
    const browser = randomBytes(NONCE_BYTES).toString('base64url');
    return `${browser}.${mac(this.#keys[0]!, browser, emailKey).toString('base64url')}`;
  }

  /** The browser that a mark identifies, or null if it was not issued for this address. */
  browserOf(mark: string | null, emailKey: string): string | null {
    const [, browser, signature] = SHAPE.exec(mark ?? '') ?? [];
    if (browser === undefined || signature === undefined) return null;
    const found = Buffer.from(signature, 'base64url');
    const genuine = this.#keys.some((key) => timingSafeEqual(mac(key, browser, emailKey), found));
    return genuine ? browser : null;
  }
}

function mac(key: KeyObject, browser: string, emailKey: string): Buffer {
  return createHmac('sha256', key).update(`${browser}\0${emailKey}`).digest();
}
