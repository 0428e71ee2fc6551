import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { signingKeys } from '../../secrets/signed-token.ts';
import { DAY_MS } from '../../time/units.ts';

/** How long a browser counts as known after a sign-in. */
export const KNOWN_FOR_MS = 180 * DAY_MS;

/** Separates these keys from every other use of the same secret (RFC 5869 section 3.2). */
const KEY_PURPOSE = 'coursewire known browser';
const NONCE_BYTES = 16;
/** The browser, the day of the sign-in since 1970, and the signature. */
const SHAPE = /^([A-Za-z0-9_-]{22})\.(\d{1,7})\.([A-Za-z0-9_-]{43})$/;

/** Whom a mark is for. */
export interface MarkOwner {
  emailKey: string;
  /** The hash of the person's current password, or null for an unknown person and one without a password. */
  passwordHash: string | null;
}

/**
 * Marks of browsers in which someone has signed in. A known browser has its own budget of wrong passwords, so
 * that guesses from elsewhere do not lock the person out. A mark does not identify anyone and grants no access. It has
 * the day of its sign-in, so that a copied one ends, too. A new password ends all marks: somebody who knew the old one
 * could have collected any number of them, each with a budget for guessing the new one.
 * @see OWASP, "Slow Down Online Guessing Attacks with Device Cookies"
 */
export class KnownBrowsers {
  readonly #keys: readonly [KeyObject, ...KeyObject[]];
  readonly #now: () => number;

  /** @param authSecrets the first one signs; marks signed with any of them are accepted */
  constructor(authSecrets: readonly [string, ...string[]], now: () => number = Date.now) {
    this.#now = now;
    this.#keys = signingKeys(authSecrets, KEY_PURPOSE);
  }

  /** A new mark for a browser in which this person has signed in. */
  mark(owner: MarkOwner & { passwordHash: string }): string {
    const browser = randomBytes(NONCE_BYTES).toString('base64url');
    const day = String(Math.floor(this.#now() / DAY_MS));
    return `${browser}.${day}.${mac(this.#keys[0], browser, day, owner).toString('base64url')}`;
  }

  /** The browser that a mark identifies, or null if it was issued for another person or password, or too long ago. */
  browserOf(mark: string | null, owner: MarkOwner): string | null {
    const [, browser, day, signature] = SHAPE.exec(mark ?? '') ?? [];
    if (browser === undefined || day === undefined || signature === undefined) return null;
    if (Number(day) * DAY_MS + KNOWN_FOR_MS < this.#now()) return null;
    const found = Buffer.from(signature, 'base64url');
    const genuine = this.#keys.some((key) => timingSafeEqual(mac(key, browser, day, owner), found));
    return genuine ? browser : null;
  }
}

function mac(key: KeyObject, browser: string, day: string, { emailKey, passwordHash }: MarkOwner): Buffer {
  // No mark is made without a password, so one for an unknown address never matches, after the same work.
  const text = [browser, day, emailKey, passwordHash ?? ''].join('\0');
  return createHmac('sha256', key).update(text).digest();
}
