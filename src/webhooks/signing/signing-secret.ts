import { randomBytes } from 'node:crypto';
import { HmacKey } from './hmac-key.ts';

/** The form of Standard Webhooks: `whsec_` and the base64 of the key. */
const PREFIX = 'whsec_';
const KEY_BYTES = 32;

/** The keys that sign the postbacks of a webhook. */
export interface SigningKeys {
  current: HmacKey;
  /** After a rotation: the former key, and until when it also signs, in epoch milliseconds. */
  former: { key: HmacKey; until: number } | null;
}

/** A new signing secret: `whsec_` and the base64 of 32 random bytes. */
export function makeSigningSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString('base64');
}

/** The key of a signing secret. */
export function keyOf(secret: string): HmacKey {
  return new HmacKey(Buffer.from(secret.slice(PREFIX.length), 'base64'));
}
