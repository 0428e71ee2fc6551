import { request } from './request.ts';

/** A new signing secret. No later response contains it. */
export interface SigningSecret {
  signing_secret: string;
  signing_since_dt: string;
  /** Until when the former secret also signs; null if there is none. */
  former_signing_secret_until_dt: string | null;
}

/**
 * Creates or replaces the secret that signs a webhook's postbacks.
 * @param formerSeconds how long the former secret keeps signing
 */
export function rotateSigningSecret(
  id: number,
  formerSeconds: number,
  idempotencyKey: string,
): Promise<SigningSecret> {
  const body = { former_valid_for: formerSeconds };
  return request('POST', `/webhooks/${id}/signing-secret`, { body, idempotencyKey });
}

/** Stops signing. */
export function deleteSigningSecret(id: number): Promise<void> {
  return request('DELETE', `/webhooks/${id}/signing-secret`);
}
