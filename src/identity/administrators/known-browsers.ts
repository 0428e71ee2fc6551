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
const DAY_MS = 24 * 60 * 60 * 1_000;

const KEY_BYTES = 32;
/** Separates these keys from every other use of the same secret (RFC 5869 section 3.2). */
const KEY_PURPOSE = 'coursewire known browser';
const NONCE_BYTES = 16;
/** The browser, the day of the sign-in since 1970, and the signature. */
const SHAPE = /^([A-Za-z0-9_-]{22})\.(?:(\d{1,7})\.)?([A-Za-z0-9_-]{43})$/;
/** Earlier releases gave marks without a day, the last of which browsers delete before this time. */
const UNDATED_UNTIL = Date.UTC(2027, 6, 1);

/**
 * Marks of browsers in which someone has signed in. A known browser has its own budget of wrong passwords, so
 * that guesses from elsewhere do not lock the person out. A mark does not identify anyone and grants no access. It has
 * the day of its sign-in, so that a copied one ends, too.
 * @see OWASP, "Slow Down Online Guessing Attacks with Device Cookies"
 */
export class KnownBrowsers {
  readonly #keys: readonly KeyObject[];
  readonly #now: () => number;

  /** @param authSecrets the first one signs; marks signed with any of them are accepted */
  constructor(authSecrets: readonly [string, ...string[]], now: () => number = Date.now) {
    this.#now = now;
    this.#keys = authSecrets.map((secret) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', KEY_PURPOSE, KEY_BYTES))),
    );
  }

  /** A new mark for a browser in which the person of this address has signed in. */
  mark(emailKey: string): string {
    const browser = randomBytes(NONCE_BYTES).toString('base64url');
    const day = String(Math.floor(this.#now() / DAY_MS));
    return `${browser}.${day}.${mac(this.#keys[0]!, browser, day, emailKey).toString('base64url')}`;
  }

  /** The browser that a mark identifies, or null if it was not issued for this address, or too long ago. */
  browserOf(mark: string | null, emailKey: string): string | null {
    const [, browser, day, signature] = SHAPE.exec(mark ?? '') ?? [];
    if (browser === undefined || signature === undefined) return null;
    const endsAt = day === undefined ? UNDATED_UNTIL : Number(day) * DAY_MS + KNOWN_FOR_MS;
    if (endsAt < this.#now()) return null;
    const found = Buffer.from(signature, 'base64url');
    const genuine = this.#keys.some((key) => timingSafeEqual(mac(key, browser, day, emailKey), found));
    return genuine ? browser : null;
  }
}

function mac(key: KeyObject, browser: string, day: string | undefined, emailKey: string): Buffer {
  const text = [browser, ...(day === undefined ? [] : [day]), emailKey].join('\0');
  return createHmac('sha256', key).update(text).digest();
}
