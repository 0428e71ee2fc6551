import type { HmacKey } from '../webhooks/signing/hmac-key.ts';
import type { SigningKeys } from '../webhooks/signing/signing-secret.ts';

/** The signed parts of a postback. */
export interface SignedParts {
  messageId: string;
  /** In seconds since the Unix epoch. */
  timestamp: number;
  body: string | Uint8Array;
}

/**
 * The header `webhook-signature` of Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over id, timestamp and body.
 * One signature is made with the current key, and another one with the former key while that is valid.
 */
export function webhookSignature({ current, former }: SigningKeys, parts: SignedParts, now: number): string {
  const signature = signatureWith(current, parts);
  return former === null || former.until <= now
    ? signature
    : `${signature} ${signatureWith(former.key, parts)}`;
}

function signatureWith(key: HmacKey, { messageId, timestamp, body }: SignedParts): string {
  return `v1,${key.sign(`${messageId}.${timestamp}.`, body)}`;
}
