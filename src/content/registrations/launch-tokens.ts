import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

/** How long a launch URL can be opened. */
export const LAUNCH_LIFETIME_MS = 8 * 60 * 60 * 1_000;

const KEY_BYTES = 32;
/** Keeps these keys apart from every other use of the same secret (RFC 5869 section 3.2). */
const KEY_PURPOSE = 'coursewire launch url';

/** Names the format; a later format gets another number, so that both can be told apart. */
const FORMAT = 'cwl1_';
const MAC_BYTES = 32;

/** The claim, by offset in bytes. */
const EXPIRES_AT = 0;
const EXPIRES_AT_BYTES = 6;
const VERSION_ID = 6;
const REGISTRATION_ID = 10;
const CLAIM_BYTES = 26;

const TOKEN_CHARACTERS = FORMAT.length + Math.ceil(((CLAIM_BYTES + MAC_BYTES) * 4) / 3);
const SHAPE = /^cwl1_[A-Za-z0-9_-]+$/;

/** What a launch URL opens. */
export interface LaunchClaim {
  /** A UUID in lower case. */
  registrationId: string;
  versionId: number;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/**
 * Tokens of launch URLs: who has one may open that version of that registration until it expires. They hold
 * what they say, signed with HMAC-SHA256, so that they outlive a restart and nothing is stored for them.
 *
 * The text is `cwl1_` and base64url of a claim (expiry, version, registration) and its MAC. The keys need no
 * salt: a claim names a random registration, which another installation with the same secret does not have.
 * @see RFC 5869
 */
export class LaunchTokens {
  readonly #keys: readonly KeyObject[];
  readonly #now: () => number;

  /** @param authSecrets the first one signs; tokens signed with any of them are taken */
  constructor({
    authSecrets,
    now,
  }: {
    authSecrets: readonly [string, ...string[]];
    now: () => number;
  }) {
    this.#keys = authSecrets.map((secret) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', KEY_PURPOSE, KEY_BYTES))),
    );
    this.#now = now;
  }

  /** Makes a token that expires {@link LAUNCH_LIFETIME_MS} from now. */
  issue(of: Pick<LaunchClaim, 'registrationId' | 'versionId'>): { token: string; expiresAt: number } {
    const expiresAt = Math.floor(this.#now()) + LAUNCH_LIFETIME_MS;
    const claim = encodeClaim({ ...of, expiresAt });
    const signed = Buffer.concat([claim, mac(this.#keys[0]!, claim)]);
    return { token: FORMAT + signed.toString('base64url'), expiresAt };
  }

  /** What a token says, also when it has expired; null when it is none of ours. */
  read(token: string): LaunchClaim | null {
    if (token.length !== TOKEN_CHARACTERS || !SHAPE.test(token)) return null;
    const text = token.slice(FORMAT.length);
    const signed = Buffer.from(text, 'base64url');
    // The last character of base64url may hold bits that count for nothing: one token, one text.
    if (signed.length !== CLAIM_BYTES + MAC_BYTES || signed.toString('base64url') !== text) return null;
    const claim = signed.subarray(0, CLAIM_BYTES);
    const found = signed.subarray(CLAIM_BYTES);
    const genuine = this.#keys.some((key) => timingSafeEqual(mac(key, claim), found));
    return genuine ? decodeClaim(claim) : null;
  }
}

function mac(key: KeyObject, claim: Buffer): Buffer {
  return createHmac('sha256', key).update(FORMAT).update(claim).digest();
}

function encodeClaim({ registrationId, versionId, expiresAt }: LaunchClaim): Buffer {
  const claim = Buffer.alloc(CLAIM_BYTES);
  claim.writeUIntBE(expiresAt, EXPIRES_AT, EXPIRES_AT_BYTES);
  claim.writeUInt32BE(versionId, VERSION_ID);
  claim.write(registrationId.replaceAll('-', ''), REGISTRATION_ID, 'hex');
  return claim;
}

function decodeClaim(claim: Buffer): LaunchClaim {
  const hex = claim.toString('hex', REGISTRATION_ID);
  return {
    registrationId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    versionId: claim.readUInt32BE(VERSION_ID),
    expiresAt: claim.readUIntBE(EXPIRES_AT, EXPIRES_AT_BYTES),
  };
}
