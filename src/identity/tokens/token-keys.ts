import { type KeyObject, randomBytes } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import { factOf } from '../../database/facts.ts';
import { signingKeys } from '../../secrets/signed-token.ts';

const SALT_NAME = 'access_token_salt';
const SALT_BYTES = 32;
/** Separates these keys from every other use of the same secret (RFC 5869 §3.2). */
const KEY_PURPOSE = 'coursewire access token';

/**
 * The keys of access tokens, one for each `webhooks_auth_secret`: the current one first, then those whose tokens are
 * still valid. Their salt is random and stored in the database, so that every instance derives the same keys, even after
 * a restart.
 */
export async function deriveTokenKeys(
  database: Database,
  authSecrets: readonly [string, ...string[]],
): Promise<[KeyObject, ...KeyObject[]]> {
  const salt = await factOf(database, SALT_NAME, () => randomBytes(SALT_BYTES).toString('base64url'));
  return signingKeys(authSecrets, KEY_PURPOSE, Buffer.from(salt, 'base64url'));
}
